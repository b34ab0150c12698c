import type { FreeDrawWork } from '../../../../data/repositories';
import { categoryType } from '../../../../domain/analysis/free-draw/categories';
import { ReefError } from '../../../../domain/errors';
import { ANALYSIS_MESSAGES } from '../../../../domain/messages';
import { Button } from '../../../../ui/controls/Button';
import { Note } from '../../../../ui/feedback/Note';
import type { JournalQueueState } from '../../canvas/journal-queue';

interface Props {
  readonly isVersionRaised: boolean;
  readonly work: FreeDrawWork;
  readonly isFresh: boolean;
  readonly uid: string | null;
  readonly journalState: JournalQueueState;
  readonly failed: unknown;
  readonly saveFailed: unknown;
  readonly warning: string | null;
  readonly onRetrySave: () => void;
  readonly onRetryJournal: () => void;
  readonly onSignIn: () => void;
}

const isFull = (error: unknown): boolean => error instanceof ReefError && error.code === 'storage-full';
/** Another tab of this browser continued the photograph. */
const isOpenInAnotherTab = (error: unknown): boolean => error instanceof ReefError && error.code === 'forbidden';

/** Notes on this work: what happened, what is safe, what to do. */
export function TraceNotes({
  isVersionRaised,
  work,
  isFresh,
  uid,
  journalState,
  failed,
  saveFailed,
  warning,
  onRetrySave,
  onRetryJournal,
  onSignIn,
}: Props) {
  const lost = [...work.unknown].reduce((sum, [, count]) => sum + count, 0);
  const names = [...work.unknown.keys()].filter((id) => id !== '' && categoryType(id) === undefined);
  return (
    <>
      {saveFailed !== null && (
        <Note
          tone="look"
          icon="alert"
          role="alert"
          title={ANALYSIS_MESSAGES.analysisSaveFailed}
          action={<Button onPress={onRetrySave}>Save again</Button>}
        >
          {isFull(saveFailed)
            ? 'This tablet is full. Your marks are kept; free some space under Photographs, then save again.'
            : 'Your marks are kept on this tablet as they were. Save again.'}
        </Note>
      )}
      {journalState.pending > 0 && journalState.failed !== null && (
        <Note
          tone="look"
          icon="alert"
          role="alert"
          title={
            journalState.pending === 1
              ? 'One stroke is not kept yet'
              : `${journalState.pending} strokes are not kept yet`
          }
          action={<Button onPress={onRetryJournal}>Try again</Button>}
        >
          {isOpenInAnotherTab(journalState.failed)
            ? 'Another tab of this browser went on with this photograph. Go on there, or open it here again: what was painted here since cannot be added to it.'
            : `${isFull(journalState.failed) ? 'This tablet is full.' : 'This tablet could not write.'} They stand on this page: leave it open. It is tried again by itself.`}
        </Note>
      )}
      {isVersionRaised && (
        <Note icon="info" title="Kept in version 3">
          This analysis holds areas, which version 1 cannot say. It is shown and saved in version 3, as it was.
        </Note>
      )}
      {uid === null && (
        <Note
          tone="wait"
          icon="person"
          title="Nobody is at the tablet"
          action={<Button onPress={onSignIn}>Sign in</Button>}
        >
          Sign in, or say who you are: an analysis is saved under a name.
        </Note>
      )}
      {work.readOnly === 'broken' && (
        <Note tone="look" icon="lock" title="This analysis cannot be read">
          Its record is broken. It is left as it is and never written over, so nothing can be painted here.
        </Note>
      )}
      {work.readOnly === 'other-version' && (
        <Note tone="wait" icon="lock" title="Made by another version">
          This analysis is of a version that this app does not write. It is left as it is.
        </Note>
      )}
      {lost > 0 && (
        <Note icon="info" title={lost === 1 ? 'One mark is not shown' : `${lost} marks are not shown`}>
          {names.length === 0
            ? 'They are'
            : `They are of classes that no longer exist (${names.slice(0, 4).join(', ')}) and are`}{' '}
          kept when you save.
        </Note>
      )}
      {work.damaged > 0 && (
        <Note tone="look" icon="alert" title="Some strokes are gone">
          This tablet’s storage lost a part of what was painted here. All else is there.
        </Note>
      )}
      {failed !== null && (
        <Note
          tone="look"
          icon="alert"
          role="alert"
          title={failed instanceof RangeError ? 'This picture cannot be traced' : 'The picture cannot be shown now'}
        >
          {failed instanceof RangeError
            ? 'Its shape is that of a strip. Skip it.'
            : 'What you painted is kept. Open it again, or skip it.'}
        </Note>
      )}
      {warning !== null && (
        <Note tone="wait" icon="info" role="status" title="Painting runs in a simpler way">
          {warning}
        </Note>
      )}
      {isFresh && work.from === 'unfinished' && work.marks.length > 0 && (
        <Note tone="good" icon="check" title="Your marks are back">
          {work.marks.length === 1 ? 'The stroke' : `All ${work.marks.length} strokes`} that you made here and did not
          save.
        </Note>
      )}
    </>
  );
}
