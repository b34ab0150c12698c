import { useEffect, useMemo, useState } from 'react';
import type { AnalysisRepository, TraceImage } from '../../../data/repositories';
import type { FormDraft } from '../../../domain/analysis/free-draw/expert-categories';
import type { JournalQueueState } from '../work/journal-queue';
import { useJournalQueue } from '../work/use-journal-queue';
import type { WorkTabState } from '../work/use-work-tab';

interface Options {
  readonly analyses: Pick<AnalysisRepository, 'formJournal'>;
  readonly image: TraceImage;
  readonly stored: FormDraft;
  /** Typed earlier and not saved; null for none. */
  readonly unsaved: FormDraft | null;
  /** Takes the queue of the form, which is flushed before another tab goes on. */
  readonly setQueue: WorkTabState['setQueue'];
}

interface FormDraftState {
  readonly draft: FormDraft;
  readonly isUnsaved: boolean;
  /** True if the unsaved draft was typed before this page was opened. */
  readonly isRestored: boolean;
  readonly journalState: JournalQueueState;
  /** Journals the draft at once, so a reload or a power loss loses nothing. */
  readonly change: (draft: FormDraft) => void;
  readonly retry: () => void;
  /** Settles once the journal has the draft, or cannot take it: the record will hold it then. */
  readonly settle: () => Promise<void>;
  readonly markSaved: () => void;
}

const TEXTS = {
  busy: 'percentages are being stored',
  lost: {
    title: 'The last percentages could not be stored',
    text: 'This tablet could not write them. Everything typed before is safe.',
  },
};

/** Draft of a form; an unsaved one takes precedence over the saved form. */
export function useFormDraft({ analyses, image, stored, unsaved, setQueue }: Options): FormDraftState {
  const [draft, setDraft] = useState(unsaved ?? stored);
  const [isUnsaved, setUnsaved] = useState(unsaved !== null);
  const [isFromBefore, setFromBefore] = useState(unsaved !== null);
  const journal = useMemo(() => analyses.formJournal(image), [analyses, image]);
  const { queue, state } = useJournalQueue(journal, TEXTS);
  useEffect(() => setQueue(queue), [setQueue, queue]);
  const flush = (): Promise<void> =>
    (queue?.flush() ?? Promise.resolve()).catch((error: unknown) => {
      console.warn('Typed percentages could not be stored yet:', error);
    });
  return {
    draft,
    isUnsaved,
    isRestored: isFromBefore,
    journalState: state,
    change: (next) => {
      queue?.apply(next);
      setDraft(next);
      setUnsaved(true);
    },
    retry: () => void flush(),
    settle: flush,
    markSaved: () => {
      queue?.discardPending();
      setUnsaved(false);
      setFromBefore(false);
    },
  };
}
