import type { LabellingWork } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import { WorkNotes, type JournalQueueState, type WorkTabState } from '../../analysis';
import { versionText } from '../labelling-text';

interface Props {
  readonly tab: WorkTabState;
  readonly work: LabellingWork;
  /** True until the first edit of this visit. */
  readonly isFresh: boolean;
  readonly uid: string | null;
  /** Version of the address; undefined for none. */
  readonly askedVersion: number | undefined;
  readonly journalState: JournalQueueState;
  readonly pictureFailed: unknown;
  readonly saveFailed: unknown;
  readonly onRetryPicture: () => void;
  readonly onRetrySave: () => void;
  readonly onRetryJournal: () => void;
  readonly onSignIn: () => void;
}

const LABEL_WORDS = { one: 'label', many: 'labels', work: 'labels', lateWork: 'labels set here', edit: 'label' };

/** Notes on this work: what happened, what is safe, what to do. */
export function LabelNotes(props: Props) {
  const { work, tab, isFresh, pictureFailed } = props;
  const labels = work.logs.labels?.marks.length ?? 0;
  const versionNote = work.readOnly === null ? versionText(props.askedVersion, work.version) : null;
  return (
    <>
      <WorkNotes
        words={LABEL_WORDS}
        tab={tab}
        uid={props.uid}
        readOnly={work.readOnly}
        journalState={props.journalState}
        saveFailed={props.saveFailed}
        onRetrySave={props.onRetrySave}
        onRetryJournal={props.onRetryJournal}
        onSignIn={props.onSignIn}
      />
      {versionNote !== null && (
        <Note tone="wait" icon="info" title={versionNote.title}>
          {versionNote.text}
        </Note>
      )}
      {work.damaged > 0 && (
        <Note tone="look" icon="alert" title="Some labels are lost">
          This tablet’s storage lost part of what was labelled here. Everything else is here.
        </Note>
      )}
      {work.isPictureChanged && (
        <Note tone="wait" icon="info" title="The picture changed its size">
          It was outlined in other proportions, so the outlines do not fit everywhere. Your labels are safe.
        </Note>
      )}
      {pictureFailed !== null && (
        <Note
          tone="look"
          icon="alert"
          role="alert"
          title="The picture cannot be shown now"
          action={<Button onPress={props.onRetryPicture}>Try again</Button>}
        >
          Your labels are safe. Connect to the box or the shore to fetch the picture, or skip it.
        </Note>
      )}
      {!tab.isElsewhere && isFresh && work.from === 'unfinished' && labels > 0 && (
        <Note tone="good" icon="check" title="Your labels are back">
          {labels === 1 ? 'The label' : `${labels} labels`} that you set here and did not submit.
        </Note>
      )}
    </>
  );
}
