import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import list from './list.module.css';

/** Shown for a reef of the address that the region does not have. */
export function UnknownReef({ onAll }: { readonly onAll: () => void }) {
  return (
    <div className={list.note}>
      <Note
        tone="look"
        icon="alert"
        role="status"
        title="This region has no reef of that address"
        action={<Button onPress={onAll}>Show all reefs</Button>}
      />
    </div>
  );
}
