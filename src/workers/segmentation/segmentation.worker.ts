import { expose } from 'comlink';
import { ReefError } from '../../domain/errors';
import { segmentPicture } from '../../imaging/segmentation/segment-picture';
import { fitWithin, uprightPicture } from '../picture-tiles/upright-picture';
import type { SegmentationWorkerApi } from './segmentation.api';
import { SEGMENTED_MAX } from './segmentation.api';

const api: SegmentationWorkerApi = {
  segment: async (picture, sizes) => {
    try {
      const { data, width, height } = pixelsOf(
        picture instanceof Blob ? (await uprightPicture(picture)).bitmap : picture,
      );
      return { ok: true, value: segmentPicture(data, width, height, sizes) };
    } catch (error) {
      const named =
        error instanceof ReefError
          ? error
          : new ReefError('internal', { message: `No outlines were found: ${String(error)}` });
      return { ok: false, error: named.toWire() };
    }
  },
};

/** Pixels of a decoded picture, reduced if it is large; closes it. */
function pixelsOf(bitmap: ImageBitmap): ImageData {
  const { width, height } = fitWithin(bitmap, SEGMENTED_MAX);
  const context = new OffscreenCanvas(width, height).getContext('2d', { alpha: false, willReadFrequently: true });
  if (context === null)
    throw new ReefError('internal', { message: 'No outlines can be found: this browser has no canvas.' });
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  return context.getImageData(0, 0, width, height);
}

expose(api);
