import { useCallback, useEffect, useState } from 'react';

const MESSAGE_MS = 6000;

/** Message that disappears after a time, with the functions that show and clear it. */
export function useStatusMessage(): readonly [string | null, (text: string) => void, () => void] {
  const [shown, setShown] = useState<{ readonly text: string } | null>(null);
  const showMessage = useCallback((text: string) => setShown({ text }), []);
  useEffect(() => {
    if (shown === null) return undefined;
    const timer = setTimeout(() => setShown(null), MESSAGE_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  return [shown?.text ?? null, showMessage, useCallback(() => setShown(null), [])];
}
