import { useCallback, useRef } from 'react';
import type { AnalysisRepository, LabellingWork, TraceImage } from '../../data/repositories';
import type { ImageId } from '../../domain/ids';

/** Mark in the browser's timeline: the offered photograph (its id is the detail) will open at once. */
const READ_AHEAD_MARK = 'next-photograph-read';

type ReadWork = (analyses: AnalysisRepository, image: TraceImage) => Promise<LabellingWork>;

interface WorkAhead {
  readonly image: TraceImage;
  readonly stored: LabellingWork;
  readonly read: ReadWork;
}

/**
 * Reads the work on the photograph that is offered next, while the person looks at the offer.
 * @param read as for an address that names no version; the same function on each render
 */
export function useWorkAhead(
  analyses: AnalysisRepository,
  read: ReadWork,
): {
  readonly readAhead: (image: TraceImage) => void;
  /** Work read ahead, once; null if it is not there, or not new: a stored one is opened by its own way. */
  readonly take: (image: TraceImage) => WorkAhead | null;
} {
  const ahead = useRef<WorkAhead>(null);
  const offered = useRef<ImageId>(null);
  return {
    readAhead: useCallback(
      (image) => {
        ahead.current = null;
        offered.current = image.id;
        read(analyses, image).then(
          (stored) => {
            if (offered.current !== image.id) return;
            if (stored.from === 'nothing') ahead.current = { image, stored, read };
            performance.mark(READ_AHEAD_MARK, { detail: image.id });
          },
          // Opening it reports the reason.
          (error: unknown) => console.warn('The work on the next photograph could not be read ahead:', error),
        );
      },
      [analyses, read],
    ),
    take: useCallback(
      (image) => {
        const { current: found } = ahead;
        ahead.current = null;
        return found?.image.id === image.id && found.read === read ? found : null;
      },
      [read],
    ),
  };
}
