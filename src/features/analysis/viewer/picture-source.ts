import type { ViewedPicture } from './viewer.types';

/** px of the upright picture. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A decoded picture as a stage draws it. */
export interface PictureSource {
  /** At full size. */
  readonly size: Size;
  /** What of that could be decoded; null: all. */
  readonly shownAt: Size | null;
  /**
   * Draws into the unit square (x and y 0 to 1) under the context's transform.
   *
   * @param pixels device px to which the whole width comes
   */
  readonly draw: (context: CanvasRenderingContext2D, pixels: number) => void;
  readonly close: () => void;
}

/** Opens a picture as one bitmap. @throws Error in words for a person where it cannot be decoded; what `open` throws */
export async function openPicture(picture: ViewedPicture): Promise<PictureSource> {
  const { blob } = await picture.open(2000);
  const bitmap = await createImageBitmap(blob, { imageOrientation: 'from-image' }).catch((error: unknown) => {
    throw new Error('This picture cannot be shown: this browser cannot decode it.', { cause: error });
  });
  return {
    size: { width: bitmap.width, height: bitmap.height },
    shownAt: null,
    draw: (context) => context.drawImage(bitmap, 0, 0, 1, 1),
    close: () => bitmap.close(),
  };
}
