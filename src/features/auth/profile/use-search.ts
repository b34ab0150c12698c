import { useEffect, useState } from 'react';

/** Typing goes on for so long before it is searched, ms: each letter would be a call. */
const DEBOUNCE_MS = 250;

/** What a search finds for a text that rests; nothing for a text that is too short. The latest text counts, whichever answer comes last. */
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
