import { useEffect } from 'react';

/** Asks before the page is left while edits are not stored. */
export function useLeaveWarning(hasUnstored: boolean): void {
  useEffect(() => {
    if (!hasUnstored) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [hasUnstored]);
}
