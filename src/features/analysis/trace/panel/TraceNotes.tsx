import type { FreeDrawWork } from '../../../../data/repositories';
import { categoryType } from '../../../../domain/analysis/free-draw/categories';
import { Note } from '../../../../ui/feedback/Note';
import type { JournalQueueState } from '../../work/journal-queue';
import type { WorkTabState } from '../../work/use-work-tab';
import { WorkNotes } from '../../work/WorkNotes';

interface Props {
  readonly tab: WorkTabState | undefined;
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

const TRACE_WORDS = { one: 'stroke', many: 'strokes', work: 'marks', lateWork: 'what was painted here', edit: 'paint' };

/** Notes on this work: what happened, what is safe, what to do. */
export function TraceNotes({
  tab,
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
      <WorkNotes
        words={TRACE_WORDS}
        tab={tab}
        uid={uid}
        readOnly={work.readOnly}
        journalState={journalState}
        saveFailed={saveFailed}
        onRetrySave={onRetrySave}
        onRetryJournal={onRetryJournal}
        onSignIn={onSignIn}
      />
      {isVersionRaised && (
        <Note icon="info" title="Saved in version 3">
          This analysis has areas, which version 1 does not support. It is shown and saved in version 3, unchanged.
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
      {tab?.isElsewhere !== true && isFresh && work.from === 'unfinished' && work.marks.length > 0 && (
        <Note tone="good" icon="check" title="Your marks are back">
          {work.marks.length === 1 ? 'The stroke' : `${work.marks.length} strokes`} that you made here and did not save.
        </Note>
      )}
    </>
  );
}
