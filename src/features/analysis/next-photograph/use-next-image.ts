import { useCallback, useEffect, useRef, useState } from 'react';
import type { AnalysisRepository, NextImage, TraceImage } from '../../../data/repositories';
import type { ImageId } from '../../../domain/ids';
import { preparePicture } from '../../picture-viewer';
import { useRegion } from '../../shell';
import { viewedPicture } from '../stage/use-viewed-picture';

/** Recently skipped photographs, in memory for this page only; not offered again at once. */
const skipped: ImageId[] = [];
const SKIPPED_MAX = 20;

function rememberSkipped(id: ImageId): void {
  const at = skipped.indexOf(id);
  if (at >= 0) skipped.splice(at, 1);
  skipped.push(id);
  if (skipped.length > SKIPPED_MAX) skipped.shift();
}

interface NextOverlay<Result> {
  readonly saved: boolean;
  /** Facts on what was saved just now; null: none. */
  readonly result: Result | null;
  readonly skipped: boolean;
  readonly next: NextImage | null;
}

interface Props {
  readonly analyses: Pick<AnalysisRepository, 'next' | 'preload' | 'picture' | 'corrected'>;
  readonly image: TraceImage;
  readonly isExpert: boolean;
  /** True for photographs whose outlines are to be labelled. */
  readonly forLabels?: boolean;
  /** True once the current picture is open and the next one may be fetched. */
  readonly isReady: boolean;
  readonly onGo: (image: TraceImage) => void;
  /** Called with each photograph that is offered; the person looks at the offer for a moment. */
  readonly onOffer?: (image: TraceImage) => void;
  /** Called at each skip, of the current photograph or of the one in the preview. */
  readonly onSkip?: () => void;
}

interface NextImageFlow<Result> {
  readonly shown: NextOverlay<Result> | null;
  readonly showAfterSave: (result?: Result) => void;
  /** 2§4: "skip goes to a random next image". */
  readonly skip: () => void;
  readonly skipShown: (image: TraceImage) => void;
  readonly hide: () => void;
}

/** Finds and prefetches the next photograph. */
export function useNextImage<Result = never>({
  analyses,
  image,
  isExpert,
  forLabels = false,
  isReady,
  onGo,
  onOffer,
  onSkip,
}: Props): NextImageFlow<Result> {
  const regionId = useRegion();
  const [shown, setShown] = useState<NextOverlay<Result> | null>(null);
  const upcoming = useRef<Promise<NextImage> | null>(null);
  /** @param exceptId the one that was just skipped */
  const search = useCallback(
    async (exceptId: ImageId = image.id): Promise<NextImage> => {
      const wanted = { isExpert, ...(forLabels ? { labels: { regionId } } : {}) };
      let found = await analyses.next({ ...wanted, except: [image.id, exceptId, ...skipped] });
      if ('none' in found && skipped.some((id) => id !== image.id && id !== exceptId)) {
        // Only skipped photographs are left, and they are not done: offer them again.
        skipped.length = 0;
        found = await analyses.next({ ...wanted, except: [image.id, exceptId] });
      }
      if ('image' in found) {
        analyses.preload(found.image, forLabels ? { isExpert } : undefined).catch((error: unknown) => {
          // Opening it fetches it again and reports any error then.
          console.warn('The next photograph could not be fetched ahead:', error);
        });
      }
      return found;
    },
    [analyses, image.id, isExpert, forLabels, regionId],
  );
  useEffect(() => {
    if (!isReady) return;
    upcoming.current ??= search();
    upcoming.current.catch(() => {
      // The search runs again on demand.
      upcoming.current = null;
    });
  }, [isReady, search]);
  const find = useCallback(
    async (exceptId?: ImageId): Promise<NextImage> => {
      const ahead = upcoming.current;
      upcoming.current = null;
      try {
        const found = ahead === null ? null : await ahead;
        // A connection may exist by now.
        if (found !== null && 'image' in found && !skipped.includes(found.image.id)) return found;
        return await search(exceptId);
      } catch (error) {
        console.warn('No next photograph could be found:', error);
        return { none: 'no-link' };
      }
    },
    [search],
  );
  const offer = useCallback(
    async (exceptId?: ImageId): Promise<void> => {
      const next = await find(exceptId);
      // It is decoded while the person looks at the offer.
      if ('image' in next) {
        preparePicture(viewedPicture(analyses, next.image));
        onOffer?.(next.image);
      }
      setShown((now) => (now === null ? null : { ...now, next }));
    },
    [analyses, find, onOffer],
  );
  const show = useCallback(
    (result: Result | null = null) => {
      setShown({ saved: true, result, skipped: false, next: null });
      void offer();
    },
    [offer],
  );
  const skip = useCallback(() => {
    onSkip?.();
    rememberSkipped(image.id);
    setShown({ saved: false, result: null, skipped: true, next: null });
    void find().then((next) => {
      if ('image' in next) onGo(next.image);
      else setShown({ saved: false, result: null, skipped: true, next });
    });
  }, [find, image.id, onGo, onSkip]);
  const skipShown = useCallback(
    (other: TraceImage) => {
      onSkip?.();
      rememberSkipped(other.id);
      setShown((now) => (now === null ? null : { ...now, skipped: true, next: null }));
      void offer(other.id);
    },
    [offer, onSkip],
  );
  return { shown, showAfterSave: show, skip, skipShown, hide: useCallback(() => setShown(null), []) };
}
