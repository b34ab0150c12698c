import { useEffect, useState } from 'react';
import type { JournalQueue, JournalQueueState } from './journal-queue';
import { openJournalQueue, type JournalTexts } from './open-journal-queue';

interface OpenedQueue<Edit> {
  /** null before it is open. */
  readonly queue: JournalQueue<Edit> | null;
  readonly state: JournalQueueState;
}

const IDLE: JournalQueueState = { pending: 0, failed: null };

/**
 * Queue of the edits of one photograph, each stored at once.
 * @param journal of the photograph; the same object on each render
 * @param texts constant
 */
export function useJournalQueue<Edit>(
  journal: { readonly apply: (edit: Edit) => Promise<void> },
  texts: JournalTexts,
): OpenedQueue<Edit> {
  const [queue, setQueue] = useState<JournalQueue<Edit> | null>(null);
  const [state, setState] = useState(IDLE);
  useEffect(() => {
    const opened = openJournalQueue({
      journal,
      texts,
      // An edit on its way is no news: only a failure is shown.
      onState: (next) => setState((before) => (next.failed === null && before.failed === null ? before : next)),
    });
    setState(IDLE);
    setQueue(opened.queue);
    return opened.close;
  }, [journal, texts]);
  return { queue, state };
}
