import { useCallback, useEffect, useRef, useState } from 'react';
import type { AnalysisRepository, NextImage, TraceImage } from '../../../data/repositories';
import type { ImageId } from '../../../domain/ids';
import type { SavedAnalysis } from './dialogs/SavedResult';

/** Recently skipped photographs, in memory for this page only; not offered again at once. */
const skipped: ImageId[] = [];
const SKIPPED_MAX = 20;

function rememberSkipped(id: ImageId): void {
  const at = skipped.indexOf(id);
  if (at >= 0) skipped.splice(at, 1);
  skipped.push(id);
  if (skipped.length > SKIPPED_MAX) skipped.shift();
}

interface NextOverlay {
  readonly saved: boolean;
  readonly result: SavedAnalysis | null;
  readonly skipped: boolean;
  readonly next: NextImage | null;
}

interface Props {
  readonly analyses: Pick<AnalysisRepository, 'next' | 'preload'>;
  readonly image: TraceImage;
  readonly isExpert: boolean;
  /** True once the current picture is open and the next one may be fetched. */
  readonly isReady: boolean;
  readonly onGo: (image: TraceImage) => void;
}

interface NextImageFlow {
  readonly shown: NextOverlay | null;
  readonly showAfterSave: (result?: SavedAnalysis) => void;
  /** 2§4: "skip goes to a random next image". */
  readonly skip: () => void;
  readonly skipShown: (image: TraceImage) => void;
  readonly hide: () => void;
}

/** Finds and prefetches the next photograph. */
export function useNextImage({ analyses, image, isExpert, isReady, onGo }: Props): NextImageFlow {
  const [shown, setShown] = useState<NextOverlay | null>(null);
  const upcoming = useRef<Promise<NextImage> | null>(null);
  /** @param exceptId the one that was just skipped */
  const search = useCallback(
    async (exceptId: ImageId = image.id): Promise<NextImage> => {
      let found = await analyses.next({ isExpert, except: [image.id, exceptId, ...skipped] });
      if ('none' in found && skipped.some((id) => id !== image.id && id !== exceptId)) {
        // Only skipped photographs are left, and they are not done: offer them again.
        skipped.length = 0;
        found = await analyses.next({ isExpert, except: [image.id, exceptId] });
      }
      if ('image' in found) {
        analyses.preload(found.image).catch((error: unknown) => {
          // Opening it fetches it again and reports any error then.
          console.warn('The next photograph could not be fetched ahead:', error);
        });
      }
      return found;
    },
    [analyses, image.id, isExpert],
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
  const show = useCallback(
    (result: SavedAnalysis | null = null) => {
      setShown({ saved: true, result, skipped: false, next: null });
      void find().then((next) => setShown((now) => (now === null ? null : { ...now, next })));
    },
    [find],
  );
  const skip = useCallback(() => {
    rememberSkipped(image.id);
    setShown({ saved: false, result: null, skipped: true, next: null });
    void find().then((next) => {
      if ('image' in next) onGo(next.image);
      else setShown({ saved: false, result: null, skipped: true, next });
    });
  }, [find, image.id, onGo]);
  const skipShown = useCallback(
    (other: TraceImage) => {
      rememberSkipped(other.id);
      setShown((now) => (now === null ? null : { ...now, skipped: true, next: null }));
      void find(other.id).then((next) => setShown((now) => (now === null ? null : { ...now, next })));
    },
    [find],
  );
  return { shown, showAfterSave: show, skip, skipShown, hide: useCallback(() => setShown(null), []) };
}
