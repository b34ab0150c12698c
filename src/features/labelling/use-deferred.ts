import { useEffect, useState } from 'react';

interface Deferred {
  /** Runs after the next frame is painted; a pending one runs first, at once. */
  readonly run: (job: () => void) => void;
  /** Runs a pending one now. */
  readonly flush: () => void;
}

/** Longest wait, ms: a hidden page has no frames. */
const WAIT_MAX_MS = 100;

/** Defers what the person does not look at until the frame is painted; nothing is lost if the page goes. */
export function useDeferred(): Deferred {
  const [deferred] = useState(makeDeferred);
  useEffect(() => {
    // A hidden page has no frames, and its timers are late.
    const flushIfHidden = (): void => {
      if (document.hidden) deferred.flush();
    };
    document.addEventListener('visibilitychange', flushIfHidden);
    window.addEventListener('pagehide', deferred.flush);
    return () => {
      document.removeEventListener('visibilitychange', flushIfHidden);
      window.removeEventListener('pagehide', deferred.flush);
      deferred.flush();
    };
  }, [deferred]);
  return deferred;
}

function makeDeferred(): Deferred {
  let pending: (() => void) | null = null;
  let cancel = (): void => undefined;
  const flush = (): void => {
    const job = pending;
    pending = null;
    cancel();
    job?.();
  };
  return {
    flush,
    run: (job) => {
      flush();
      pending = job;
      const frame = requestAnimationFrame(() => {
        const soon = setTimeout(flush);
        cancel = () => (clearTimeout(soon), clearTimeout(late));
      });
      const late = setTimeout(flush, WAIT_MAX_MS);
      cancel = () => (cancelAnimationFrame(frame), clearTimeout(late));
    },
  };
}
