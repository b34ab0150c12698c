import { useEffect, useState } from 'react';
import { letterPlaces, type LetterPlace } from '../stage/letter-places';
import type { OpenTraceEditor } from './use-trace-editor';

/** Delay after the last mark, ms: letters would flicker during painting. */
const REST_MS = 400;
const NONE: readonly LetterPlace[] = [];

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
          // Letters are an addition: colours and hatches remain without them.
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
