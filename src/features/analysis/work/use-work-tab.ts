import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { AnalysisRepository, WorkTab } from '../../../data/repositories';
import type { ImageId } from '../../../domain/ids';
import type { JournalQueue } from './journal-queue';

/** State of work that several tabs of this browser may have open. */
export interface WorkTabState {
  /** True while another tab edits it: this one only shows it. */
  readonly isElsewhere: boolean;
  /** True from the wish to go on here until the other tab has stored its last edits. */
  readonly isTakingOver: boolean;
  readonly takeOver: () => void;
  /** Sets the queue of the screen, which is flushed before another tab goes on. */
  readonly setQueue: (queue: Pick<JournalQueue<never>, 'flush'> | null) => void;
}

/**
 * Follows if another tab of this browser edits the same work.
 * @param imageId null: it is only viewed, so tabs are not followed
 * @param reopen reads the work again: another tab has changed it
 */
export function useWorkTab(
  analyses: Pick<AnalysisRepository, 'workTab'>,
  kind: Parameters<AnalysisRepository['workTab']>[0],
  imageId: ImageId | null,
  reopen: () => void,
): WorkTabState {
  const [isElsewhere, setElsewhere] = useState(false);
  const [isTakingOver, setTakingOver] = useState(false);
  const tab = useRef<WorkTab | null>(null);
  const queue = useRef<Pick<JournalQueue<never>, 'flush'> | null>(null);
  const latestReopen = useRef(reopen);
  useLayoutEffect(() => {
    latestReopen.current = reopen;
  });
  useEffect(() => {
    if (imageId === null) return undefined;
    let isOver = false;
    const flush = async (): Promise<void> => queue.current?.flush();
    const opening = analyses.workTab(kind, imageId, {
      flush,
      onChange: (place) => {
        if (isOver) return;
        setElsewhere(place === 'elsewhere');
        setTakingOver(false);
        if (place === 'here') latestReopen.current();
      },
    });
    opening.then(
      (opened) => {
        if (isOver) opened.close();
        else tab.current = opened;
      },
      // The screen works without: the journal refuses edits that another tab overtook.
      (error: unknown) => console.warn('Other tabs with this photograph cannot be noticed:', error),
    );
    // In the capture phase: the channel closes in the phase after it.
    const leave = (): void => tab.current?.close();
    addEventListener('pagehide', leave, { capture: true });
    return () => {
      isOver = true;
      removeEventListener('pagehide', leave, { capture: true });
      const { current: closing } = tab;
      tab.current = null;
      setElsewhere(false);
      setTakingOver(false);
      if (closing === null) return;
      flush()
        // The queue itself reports what it cannot store.
        .catch((error: unknown) => console.warn('A photograph is closed with edits that are not stored:', error))
        .finally(closing.close);
    };
  }, [analyses, kind, imageId]);
  return {
    isElsewhere,
    isTakingOver,
    takeOver: useCallback(() => {
      const { current: opened } = tab;
      if (opened === null) return;
      setTakingOver(true);
      opened.takeOver().catch((error: unknown) => {
        console.error('The work of another tab could not be taken over:', error);
        setTakingOver(false);
      });
    }, []),
    setQueue: useCallback((to) => {
      queue.current = to;
    }, []),
  };
}
