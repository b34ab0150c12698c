import { useCallback, useLayoutEffect, useRef } from 'react';

/** Function that stays the same between renders and does what the latest one does: memoised parts need not render. */
export function useStableCallback<Args extends readonly unknown[]>(
  run: (...args: Args) => void,
): (...args: Args) => void {
  const latest = useRef(run);
  useLayoutEffect(() => {
    latest.current = run;
  });
  return useCallback((...args: Args) => latest.current(...args), []);
}
