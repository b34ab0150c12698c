import type { OutlineSet } from '../../domain/analysis/labelling/outline';
import type { OutlineSizes } from '../../imaging/segmentation/segment-picture';
import type { Answer } from '../photograph/photograph.api';

/** Longer side to which a photograph is decoded for its outlines at most, px, as for a model. */
export const SEGMENTED_MAX = 2000;

export interface SegmentationWorkerApi {
  /** @param picture file, or a decoded picture, which is closed */
  readonly segment: (picture: Blob | ImageBitmap, sizes: OutlineSizes) => Promise<Answer<OutlineSet>>;
}

export interface PictureSegmenter {
  /**
   * Divides a photograph into outlines, one photograph at a time.
   * @param picture file, or a decoded picture, which is transferred
   * @throws ReefError `unsupported-media` or `unreadable-file` with a message for the user; the signal's reason
   */
  readonly segment: (picture: Blob | ImageBitmap, sizes: OutlineSizes, signal?: AbortSignal) => Promise<OutlineSet>;
  readonly stop: () => void;
}
