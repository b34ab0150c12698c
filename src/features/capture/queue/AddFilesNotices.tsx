import { formatCount } from '../../../base/plural';
import { Button } from '../../../ui/controls/Button';
import { Disclosure } from '../../../ui/controls/Disclosure';
import { Note } from '../../../ui/feedback/Note';
import { leftOutText } from './picked-files';
import styles from './AddFilesNotices.module.css';
import type { AddFilesNotice } from './use-add-files';

const LISTED_MAX = 200;

/** Notices about files just added: no space, or other files in a folder. */
export function AddFilesNotices({ note, onClear }: { readonly note: AddFilesNotice; readonly onClear: () => void }) {
  if (note.kind === 'none') return null;
  const close = <Button variant="quiet" icon="close" aria-label="Close this note" onPress={onClear} />;
  if (note.kind === 'no-room' || note.kind === 'not-begun') {
    return (
      <Note
        tone="look"
        icon="disk"
        title={note.kind === 'no-room' ? 'Not enough space for these' : 'These were not added'}
        role="alert"
        action={close}
      >
        {note.text}
      </Note>
    );
  }
  const { leftOut, photographs } = note;
  return (
    <Note
      icon="info"
      title={
        photographs === 0
          ? 'No photographs found'
          : `${formatCount(leftOut.length, 'other file')} in the folder left out`
      }
      role="status"
      action={close}
    >
      {leftOutText(leftOut)}. They stay where they are.
      <Disclosure title="Which ones">
        <ul className={styles.list}>
          {leftOut.slice(0, LISTED_MAX).map(({ name, why }, i) => (
            <li key={i}>
              <b>{name}</b>: {why}
            </li>
          ))}
          {leftOut.length > LISTED_MAX && <li>and {(leftOut.length - LISTED_MAX).toLocaleString('en')} more</li>}
        </ul>
      </Disclosure>
    </Note>
  );
}
