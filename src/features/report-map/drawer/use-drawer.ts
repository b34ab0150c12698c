import { useEffect, useState } from 'react';

/**
 * Decides when the drawer takes the place of the first list: once its code has come and it can show the same reefs, and not
 * while the list is pressed. From then on it stays. Unlike `lazy`, which would show a second copy of the list meanwhile.
 *
 * @param hasDrawer true once the drawer is to be shown
 * @param hasReefs true once the reefs were read, or cannot be
 * @param load of the drawer's code. Must not change for one drawer; a failure is shown by the page's error boundary
 */
export function useDrawer<Code extends object>(
  { hasDrawer, hasReefs }: { readonly hasDrawer: boolean; readonly hasReefs: boolean },
  load: () => Promise<Code>,
): { readonly code: Code | null; readonly onFirstListPressed: (isPressed: boolean) => void } {
  const [state, setState] = useState<
    { readonly load: typeof load; readonly code: Code } | { readonly error: unknown }
  >();
  const [isPressed, setIsPressed] = useState(false);
  const [shown, setShown] = useState<Code>();
  useEffect(() => {
    if (!hasDrawer) return undefined;
    let isOver = false;
    load().then(
      (code) => {
        if (!isOver) setState({ load, code });
      },
      (error: unknown) => {
        if (!isOver) setState({ error });
      },
    );
    return () => {
      isOver = true;
    };
  }, [hasDrawer, load]);
  if (state !== undefined && 'error' in state) throw state.error;
  const loaded = hasDrawer && state?.load === load ? state.code : null;
  const code = loaded === shown || (hasReefs && !isPressed) ? loaded : null;
  useEffect(() => {
    if (code !== null) setShown(code);
  }, [code]);
  return { code, onFirstListPressed: setIsPressed };
}
