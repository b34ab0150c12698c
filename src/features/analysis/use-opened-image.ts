import { useEffect, useState } from 'react';
import type { AnalysisRepository, TraceImage } from '../../data/repositories';
import type { ImageId, SurveyId } from '../../domain/ids';

type OpenedImage<Stored> =
  | { readonly status: 'opening' }
  | { readonly status: 'ready'; readonly image: TraceImage; readonly stored: Stored }
  | { readonly status: 'failed'; readonly error: unknown };

interface Place {
  readonly surveyId: SurveyId;
  readonly imageId: ImageId;
  /** null: not signed in. */
  readonly uid: string | null;
}

/**
 * Opens a photograph with its stored work; `key` changes with place, user and retry.
 * @param read stored work; the same function on each render
 */
export function useOpenedImage<Stored>(
  analyses: AnalysisRepository,
  { surveyId, imageId, uid }: Place,
  read: (analyses: AnalysisRepository, image: TraceImage) => Promise<Stored>,
): { readonly key: string; readonly opened: OpenedImage<Stored>; readonly retry: () => void } {
  const [attempt, setAttempt] = useState(0);
  const key = `${surveyId} ${imageId} ${uid ?? ''} ${attempt}`;
  const [result, setResult] = useState<{ readonly key: string; readonly opened: OpenedImage<Stored> } | null>(null);
  useEffect(() => {
    let isOver = false;
    const show = (opened: OpenedImage<Stored>): void => {
      if (!isOver) setResult({ key, opened });
    };
    analyses
      .image(surveyId, imageId)
      .then(async (image) => show({ status: 'ready', image, stored: await read(analyses, image) }))
      .catch((error: unknown) => show({ status: 'failed', error }));
    return () => {
      isOver = true;
    };
  }, [analyses, surveyId, imageId, key, read]);
  return {
    key,
    opened: result?.key === key ? result.opened : { status: 'opening' },
    retry: () => setAttempt(attempt + 1),
  };
}
