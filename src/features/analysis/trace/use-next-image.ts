import { useCallback, useEffect, useRef, useState } from 'react';
import type { AnalysisRepository, NextImage, TraceImage } from '../../../data/repositories';
import type { ImageId } from '../../../domain/ids';

/** What was skipped of late is not offered again at once; of this page alone. */
const skipped: ImageId[] = [];
const SKIPPED_MAX = 20;

function rememberSkipped(id: ImageId): void {
  const at = skipped.indexOf(id);
  if (at >= 0) skipped.splice(at, 1);
  skipped.push(id);
  if (skipped.length > SKIPPED_MAX) skipped.shift();
}

/** What the overlay of the next photograph shows. */
export interface NextOverlay {
  /** It comes after a save. */
  readonly saved: boolean;
  /** It comes in the place of one that was skipped, which is not done. */
  readonly skipped: boolean;
  /** null: it is being looked for. */
  readonly next: NextImage | null;
}

interface Props {
  readonly analyses: Pick<AnalysisRepository, 'next' | 'preload'>;
  readonly image: TraceImage;
  readonly isExpert: boolean;
  /** The picture at hand is open: now the next one may be fetched. */
  readonly isReady: boolean;
  readonly onGo: (image: TraceImage) => void;
}

export interface NextImageFlow {
  readonly shown: NextOverlay | null;
  /** After a save: shows the next one. */
  readonly showAfterSave: () => void;
  /** 2§4: "skip goes to a random next image". */
  readonly skip: () => void;
  /** Another one than that which is shown. */
  readonly skipShown: (image: TraceImage) => void;
  readonly hide: () => void;
}

/** The photograph after this one: looked for and fetched while this one is worked on. */
export function useNextImage({ analyses, image, isExpert, isReady, onGo }: Props): NextImageFlow {
  const [shown, setShown] = useState<NextOverlay | null>(null);
  const upcoming = useRef<Promise<NextImage> | null>(null);
  /** @param not the one that was just skipped */
  const search = useCallback(
    async (exceptId: ImageId = image.id): Promise<NextImage> => {
      let found = await analyses.next({ isExpert, except: [image.id, exceptId, ...skipped] });
      if ('none' in found && skipped.some((id) => id !== image.id && id !== exceptId)) {
        // What is left was skipped and is not done: it comes round again.
        skipped.length = 0;
        found = await analyses.next({ isExpert, except: [image.id, exceptId] });
      }
      if ('image' in found) {
        analyses.preload(found.image).catch((error: unknown) => {
          // It is asked for again when it is begun, and says then what there is to say.
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
      // Looked for again when it is wanted.
      upcoming.current = null;
    });
  }, [isReady, search]);
  const find = useCallback(
    async (exceptId?: ImageId): Promise<NextImage> => {
      const ahead = upcoming.current;
      upcoming.current = null;
      try {
        const found = ahead === null ? null : await ahead;
        // A link may have come since.
        if (found !== null && 'image' in found && !skipped.includes(found.image.id)) return found;
        return await search(exceptId);
      } catch (error) {
        console.warn('No next photograph could be found:', error);
        return { none: 'no-link' };
      }
    },
    [search],
  );
  const show = useCallback(() => {
    setShown({ saved: true, skipped: false, next: null });
    void find().then((next) => setShown((now) => (now === null ? null : { ...now, next })));
  }, [find]);
  const skip = useCallback(() => {
    rememberSkipped(image.id);
    setShown({ saved: false, skipped: true, next: null });
    void find().then((next) => {
      if ('image' in next) onGo(next.image);
      else setShown({ saved: false, skipped: true, next });
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
