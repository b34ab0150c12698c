import type { FreeDrawWork } from '../../../data/repositories';
import { ReefError } from '../../../domain/errors';
import { ANALYSIS_MESSAGES } from '../../../domain/messages';
import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import type { JournalQueueState } from './journal-queue';
import { OtherTabNote } from './OtherTabNote';
import type { WorkTabState } from './use-work-tab';

/** Words for the edits of a screen. */
interface EditWords {
  readonly one: string;
  readonly many: string;
  /** All edits as a whole: "Your marks are safe". */
  readonly work: string;
  /** Subject of "cannot be added": edits of this tab after another one continued. */
  readonly lateWork: string;
  /** Verb: "you cannot paint here". */
  readonly edit: string;
}

interface Props {
  readonly words: EditWords;
  readonly tab: WorkTabState | undefined;
  readonly uid: string | null;
  readonly readOnly: FreeDrawWork['readOnly'];
  readonly journalState: JournalQueueState;
  readonly saveFailed: unknown;
  readonly onRetrySave: () => void;
  readonly onRetryJournal: () => void;
  readonly onSignIn: () => void;
}

const hasCode = (error: unknown, code: ReefError['code']): boolean => error instanceof ReefError && error.code === code;

/** Notes that tracing and labelling share: another tab, a failed save, unstored edits, no person, no permission to edit. */
export function WorkNotes(props: Props) {
  const { words, tab, uid, readOnly, journalState, saveFailed } = props;
  return (
    <>
      <OtherTabNote tab={tab} />
      {saveFailed !== null && (
        <Note
          tone="look"
          icon="alert"
          role="alert"
          title={ANALYSIS_MESSAGES.analysisSaveFailed}
          action={<Button onPress={props.onRetrySave}>Save again</Button>}
        >
          {saveFailedText(saveFailed, words)}
        </Note>
      )}
      {journalState.pending > 0 && journalState.failed !== null && (
        <Note
          tone="look"
          icon="alert"
          role="alert"
          title={
            journalState.pending === 1
              ? `One ${words.one} is not stored yet`
              : `${journalState.pending} ${words.many} are not stored yet`
          }
          action={<Button onPress={props.onRetryJournal}>Try again</Button>}
        >
          {hasCode(journalState.failed, 'forbidden')
            ? `Work on this photograph continued in another tab of this browser. Continue there, or open it here again: ${words.lateWork} since then cannot be added.`
            : `${hasCode(journalState.failed, 'storage-full') ? 'This tablet is full.' : 'This tablet could not write.'} They are only on this page: keep it open. Saving retries automatically.`}
        </Note>
      )}
      {uid === null && (
        <Note
          tone="wait"
          icon="person"
          title="No one is using this tablet"
          action={<Button onPress={props.onSignIn}>Sign in</Button>}
        >
          Sign in or enter your name: an analysis is saved under a name.
        </Note>
      )}
      {readOnly === 'broken' && (
        <Note tone="look" icon="lock" title="This analysis cannot be read">
          Its record is damaged. It stays unchanged, so you cannot {words.edit} here.
        </Note>
      )}
      {readOnly === 'other-version' && (
        <Note tone="wait" icon="lock" title="Made by another version">
          This app cannot write analyses of this version. The analysis stays unchanged.
        </Note>
      )}
    </>
  );
}

function saveFailedText(error: unknown, { work }: EditWords): string {
  if (hasCode(error, 'storage-full'))
    return `This tablet is full. Your ${work} are safe. Free up space under Photographs, then save again.`;
  if (error instanceof ReefError && error.code === 'too-large') return error.message;
  return `Your ${work} are safe on this tablet. Save again.`;
}
