import { useEffect, useRef } from 'react';

/** Mark of the history entry of an open viewer. */
const MARK = 'viewer';

/** The Back button of browser or tablet closes a viewer instead of leaving its page. */
export function useBackCloses(isOpen: boolean, onClose: () => void): void {
  const latest = useRef(onClose);
  useEffect(() => {
    latest.current = onClose;
  });
  useEffect(() => {
    if (!isOpen) return undefined;
    // The router listens to its own `pushState`: this entry has the same address and is none of its business.
    if (!isMarked()) History.prototype.pushState.call(history, { ...(history.state as object), [MARK]: true }, '');
    const back = (): void => {
      if (!isMarked()) latest.current();
    };
    window.addEventListener('popstate', back);
    return () => {
      window.removeEventListener('popstate', back);
      // Closed in another way: the entry goes too, unless a link has led away from it.
      if (isMarked()) history.back();
    };
  }, [isOpen]);
}

function isMarked(): boolean {
  return (history.state as Readonly<Record<string, unknown>> | null)?.[MARK] === true;
}
