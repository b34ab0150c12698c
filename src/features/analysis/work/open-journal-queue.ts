import { holdBusy } from '../../../platform/busy';
import { notify } from '../../../ui/feedback/notices';
import { JournalQueue, type JournalQueueState } from './journal-queue';

/** Texts on what a journal stores. */
export interface JournalTexts {
  /** Reason that a new version of the app waits, such as `labels are being stored`. */
  readonly busy: string;
  /** Notice if the last edits could not be stored before the page was left. */
  readonly lost: { readonly title: string; readonly text: string };
}

interface Options<Edit> {
  readonly journal: { readonly apply: (edit: Edit) => Promise<void> };
  readonly texts: JournalTexts;
  readonly onState: (state: JournalQueueState) => void;
}

/** Open queue; `close` stores what is pending, even if the page is left, and reports what cannot be stored. */
interface OpenJournalQueue<Edit> {
  readonly queue: JournalQueue<Edit>;
  readonly close: () => void;
}

export function openJournalQueue<Edit>({ journal, texts, onState }: Options<Edit>): OpenJournalQueue<Edit> {
  let releaseBusy: (() => void) | null = null;
  let isOver = false;
  const queue = new JournalQueue<Edit>({
    journal,
    schedule: (run, ms) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    onChange: (state) => {
      // A new version of the app must not take over before an edit is stored.
      if (state.pending > 0) releaseBusy ??= holdBusy(texts.busy);
      else {
        releaseBusy?.();
        releaseBusy = null;
      }
      if (!isOver) onState(state);
    },
  });
  const close = (): void => {
    isOver = true;
    queue
      .flush()
      .catch((error: unknown) => {
        console.error('Edits could not be stored before the photograph was closed:', error);
        notify({ icon: 'alert', ...texts.lost });
      })
      .finally(() => {
        queue.close();
        releaseBusy?.();
      });
  };
  return { queue, close };
}
