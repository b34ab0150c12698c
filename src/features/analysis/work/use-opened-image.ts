import { useEffect, useRef, useState } from 'react';
import type { AnalysisRepository, TraceImage } from '../../../data/repositories';
import type { ImageId, SurveyId } from '../../../domain/ids';

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

/** Photograph that is shown before the address names it. */
interface EarlyImage {
  readonly imageId: ImageId;
  /** Key of the address before it. */
  readonly from: string;
  /** Key of its own address. */
  readonly to: string;
  readonly confirm: () => Promise<boolean>;
}

interface OpenedPhotograph<Stored> {
  readonly key: string;
  readonly opened: OpenedImage<Stored>;
  /** Photograph that is shown or opened: that of the address, or the one that its next address will name. */
  readonly imageId: ImageId;
  /** True until the address names the photograph that is shown. */
  readonly isEarly: boolean;
  readonly retry: () => void;
  /**
   * Shows a photograph with work that was read ahead, at once: its address must follow.
   * @param confirm asked once it has: false if the work must be read again
   */
  readonly show: (image: TraceImage, stored: Stored, confirm: () => Promise<boolean>) => void;
}

/**
 * Opens a photograph with its stored work; `key` changes with place, user and retry.
 * @param read stored work; the same function on each render
 */
export function useOpenedImage<Stored>(
  analyses: AnalysisRepository,
  { surveyId, imageId, uid }: Place,
  read: (analyses: AnalysisRepository, image: TraceImage) => Promise<Stored>,
): OpenedPhotograph<Stored> {
  const [attempt, setAttempt] = useState(0);
  const keyAt = (survey: SurveyId, image: ImageId): string => `${survey} ${image} ${uid ?? ''} ${attempt}`;
  const key = keyAt(surveyId, imageId);
  const [result, setResult] = useState<{ readonly key: string; readonly opened: OpenedImage<Stored> } | null>(null);
  const [early, setEarly] = useState<EarlyImage | null>(null);
  const latestEarly = useRef<EarlyImage>(null);
  useEffect(() => {
    const { current: shown } = latestEarly;
    if (shown?.from === key) return undefined;
    latestEarly.current = null;
    setEarly(null);
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    if (shown?.to === key) {
      const again = (): void => {
        if (!isOver) setAttempt((before) => before + 1);
      };
      // A photograph that is gone says so when it is opened again.
      Promise.all([analyses.image(surveyId, imageId), shown.confirm()]).then(([, isSame]) => isSame || again(), again);
      return over;
    }
    const show = (opened: OpenedImage<Stored>): void => {
      if (!isOver) setResult({ key, opened });
    };
    analyses
      .image(surveyId, imageId)
      .then(async (image) => show({ status: 'ready', image, stored: await read(analyses, image) }))
      .catch((error: unknown) => show({ status: 'failed', error }));
    return over;
  }, [analyses, surveyId, imageId, key, read]);
  const isEarly = early?.from === key;
  const shownKey = isEarly ? early.to : key;
  return {
    key: shownKey,
    opened: result?.key === shownKey ? result.opened : { status: 'opening' },
    imageId: isEarly ? early.imageId : imageId,
    isEarly,
    retry: () => setAttempt(attempt + 1),
    show: (image, stored, confirm) => {
      const to = keyAt(image.survey.id, image.id);
      if (to === key) return;
      const made = { imageId: image.id, from: key, to, confirm };
      latestEarly.current = made;
      setEarly(made);
      setResult({ key: to, opened: { status: 'ready', image, stored } });
    },
  };
}
