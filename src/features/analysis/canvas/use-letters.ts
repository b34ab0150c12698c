import { useEffect, useState } from 'react';
import { letterPlaces, type LetterPlace } from './letter-places';
import type { OpenTraceEditor } from './use-trace-editor';

/** After the last mark, ms: while somebody paints, letters would only flicker. */
const REST_MS = 400;
const NONE: readonly LetterPlace[] = [];

/** The letters of the areas that are painted, found again some time after each change. */
export function useLetters(parts: OpenTraceEditor | null): readonly LetterPlace[] {
  const [found, setFound] = useState<{ readonly of: OpenTraceEditor; readonly places: readonly LetterPlace[] } | null>(
    null,
  );
  useEffect(() => {
    if (parts === null) return undefined;
    const { editor, session } = parts;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    let marks = -1;
    const refresh = async (): Promise<void> => {
      const labels = await session.labels();
      const { rule } = editor;
      if (!isOver && rule !== null) setFound({ of: parts, places: letterPlaces(labels, rule.width, rule.height) });
    };
    const scheduleRefresh = (): void => {
      const { isReady, marks: now } = editor.state;
      if (!isReady || now === marks) return;
      marks = now;
      clearTimeout(timer);
      timer = setTimeout(() => {
        refresh().catch((error: unknown) => {
          // Letters are an addition: colours and hatches are there without them.
          if (!isOver) console.warn('The letters of the areas could not be placed:', error);
        });
      }, REST_MS);
    };
    const stop = editor.subscribe(scheduleRefresh);
    scheduleRefresh();
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
    };
  }, [parts]);
  return found !== null && found.of === parts ? found.places : NONE;
}
