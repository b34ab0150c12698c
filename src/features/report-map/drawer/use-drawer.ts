import { useEffect, useState } from 'react';

/** Code that comes late and then stays. */
export interface LateCode<Code> {
  /** Null until it has come. */
  readonly code: Code | null;
  /** @throws if it cannot be fetched */
  readonly load: () => Promise<Code>;
}

export function lateCode<Code>(load: () => Promise<Code>): LateCode<Code> {
  let code: Code | null = null;
  return {
    get code() {
      return code;
    },
    load: async () => {
      const loaded = await load();
      return (code ??= loaded);
    },
  };
}

/**
 * Decides when the drawer takes the place of the first list: once its code has come and it can show the same reefs, and not
 * while the list is pressed. From then on it stays. `lazy` would show a second copy of the list while the code loads.
 *
 * @param hasDrawer true once the drawer is to be shown
 * @param hasReefs true once the reefs were read, or cannot be
 * @param drawer its code; must not change for one drawer. A failure is shown by the page's error boundary
 */
export function useDrawer<Code extends object>(
  { hasDrawer, hasReefs }: { readonly hasDrawer: boolean; readonly hasReefs: boolean },
  drawer: LateCode<Code>,
): { readonly code: Code | null; readonly onFirstListPressed: (isPressed: boolean) => void } {
  const [came, setCame] = useState<{ readonly code: Code } | { readonly error: unknown }>();
  const [isPressed, setIsPressed] = useState(false);
  const [shown, setShown] = useState<Code>();
  useEffect(() => {
    if (!hasDrawer) return undefined;
    let isOver = false;
    drawer.load().then(
      (code) => {
        if (!isOver) setCame({ code });
      },
      (error: unknown) => {
        if (!isOver) setCame({ error });
      },
    );
    return () => {
      isOver = true;
    };
  }, [hasDrawer, drawer]);
  if (came !== undefined && 'error' in came) throw came.error;
  // Not from the state: another drawer's code, which was there before, comes back in the same frame.
  const loaded = hasDrawer ? drawer.code : null;
  const isReady = loaded !== null && hasReefs;
  const code = loaded === shown || (isReady && !isPressed) ? loaded : null;
  useEffect(() => {
    if (isReady) performance.mark('drawer-ready');
  }, [isReady]);
  useEffect(() => {
    if (code !== null) setShown(code);
  }, [code]);
  return { code, onFirstListPressed: setIsPressed };
}
