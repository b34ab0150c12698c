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
    const { href } = window.location;
    // Past the router, for which the address stays the same: it would load the page again.
    if (!isMarked()) History.prototype.pushState.call(history, { ...(history.state as object), [MARK]: true }, '');
    const back = (event: PopStateEvent): void => {
      if (isMarked() || window.location.href !== href) return;
      event.stopImmediatePropagation();
      latest.current();
    };
    window.addEventListener('popstate', back, { capture: true });
    return () => {
      window.removeEventListener('popstate', back, { capture: true });
      // Closed in another way: the entry goes too, unless a link has led away from it.
      if (!isMarked()) return;
      window.addEventListener('popstate', (event) => event.stopImmediatePropagation(), { capture: true, once: true });
      history.back();
    };
  }, [isOpen]);
}

function isMarked(): boolean {
  return (history.state as Readonly<Record<string, unknown>> | null)?.[MARK] === true;
}
