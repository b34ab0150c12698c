import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import type { WorkTabState } from './use-work-tab';

/** Note on work that another tab of this browser edits; nothing while this one does. */
export function OtherTabNote({ tab }: { readonly tab: WorkTabState | undefined }) {
  if (tab === undefined || !tab.isElsewhere) return null;
  return (
    <Note
      tone="wait"
      icon="lock"
      role="status"
      title="Open in another tab"
      action={
        <Button isDisabled={tab.isTakingOver} onPress={tab.takeOver}>
          Go on here
        </Button>
      }
    >
      Your work is safe, and only shown here. Continue in the other tab, or go on here instead.
    </Note>
  );
}
