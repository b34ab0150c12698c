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
            ? 'This tablet is full. Your marks are safe. Free up space under Photographs, then save again.'
            : 'Your marks are safe on this tablet. Save again.'}
        </Note>
      )}
      {journalState.pending > 0 && journalState.failed !== null && (
        <Note
          tone="look"
          icon="alert"
          role="alert"
          title={
            journalState.pending === 1
              ? 'One stroke is not stored yet'
              : `${journalState.pending} strokes are not stored yet`
          }
          action={<Button onPress={onRetryJournal}>Try again</Button>}
        >
          {isOpenInAnotherTab(journalState.failed)
            ? 'Work on this photograph continued in another tab of this browser. Continue there, or open it here again: what was painted here since then cannot be added.'
            : `${isFull(journalState.failed) ? 'This tablet is full.' : 'This tablet could not write.'} They are only on this page: keep it open. Saving retries automatically.`}
        </Note>
      )}
      {isVersionRaised && (
        <Note icon="info" title="Saved in version 3">
          This analysis has areas, which version 1 does not support. It is shown and saved in version 3, unchanged.
        </Note>
      )}
      {uid === null && (
        <Note
          tone="wait"
          icon="person"
          title="No one is using this tablet"
          action={<Button onPress={onSignIn}>Sign in</Button>}
        >
          Sign in or enter your name: an analysis is saved under a name.
        </Note>
      )}
      {work.readOnly === 'broken' && (
        <Note tone="look" icon="lock" title="This analysis cannot be read">
          Its record is damaged. It stays unchanged, so you cannot paint here.
        </Note>
      )}
      {work.readOnly === 'other-version' && (
        <Note tone="wait" icon="lock" title="Made by another version">
          This app cannot write analyses of this version. The analysis stays unchanged.
        </Note>
      )}
      {lost > 0 && (
        <Note icon="info" title={lost === 1 ? 'One mark is not shown' : `${lost} marks are not shown`}>
          {names.length === 0
            ? 'They are'
            : `They are of categories that no longer exist (${names.slice(0, 4).join(', ')}) and are`}{' '}
          kept when you save.
        </Note>
      )}
      {work.damaged > 0 && (
        <Note tone="look" icon="alert" title="Some strokes are lost">
          This tablet’s storage lost part of what was painted here. Everything else is here.
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
            ? 'It is too long and narrow. Skip it.'
            : 'What you painted is safe. Open it again, or skip it.'}
        </Note>
      )}
      {warning !== null && (
        <Note tone="wait" icon="info" role="status" title="Painting runs in a simpler mode">
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
