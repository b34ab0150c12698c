import { useEffect, useState } from 'react';

/** Debounce before a search, ms. */
const DEBOUNCE_MS = 250;

/** Debounced search; empty for short texts. The latest text wins, whatever the order of answers. */
export function useSearch<Item>(
  text: string,
  minLength: number,
  find: (text: string) => Promise<readonly Item[]>,
): readonly Item[] {
  const [found, setFound] = useState<{ readonly for: string; readonly items: readonly Item[] }>({ for: '', items: [] });
  const wanted = text.trim();
  useEffect(() => {
    if (wanted.length < minLength) return undefined;
    let isWanted = true;
    const timer = setTimeout(() => {
      find(wanted).then(
        (items) => isWanted && setFound({ for: wanted, items }),
        () => undefined,
      );
    }, DEBOUNCE_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [wanted, minLength, find]);
  return wanted.length >= minLength && found.for !== '' && wanted.startsWith(found.for.slice(0, minLength))
    ? found.items
    : [];
}
