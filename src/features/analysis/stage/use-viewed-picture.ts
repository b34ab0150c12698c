import { useMemo } from 'react';
import type { AnalysisRepository, TraceImage } from '../../../data/repositories';
import type { ViewedPicture } from '../../picture-viewer';

/**
 * Photograph of the census for the viewer; the same as long as the photograph is.
 * @param turn counts the attempts to show it, from 0: a further one is another picture for the viewer, and asks a
 *   server first
 */
export function useViewedPicture(analyses: Pictures, image: TraceImage, turn = 0): ViewedPicture {
  return useMemo(() => {
    const picture = viewedPicture(analyses, image);
    if (turn === 0) return picture;
    return {
      ...picture,
      key: `${picture.key} ${turn}`,
      open: (size) => analyses.picture(image, size, { isAgain: true }),
    };
  }, [analyses, image, turn]);
}

type Pictures = Pick<AnalysisRepository, 'picture' | 'corrected'>;

/** Photograph of the census for the viewer: its sizes, its corrected colours and its name. */
export const viewedPicture = (analyses: Pictures, image: TraceImage): ViewedPicture => ({
  key: image.id,
  open: (size) => analyses.picture(image, size),
  openCorrected: image.hasCorrected ? (size) => analyses.corrected(image, size) : null,
  name: image.name === '' ? 'Photograph' : `Photograph ${image.name}`,
});
