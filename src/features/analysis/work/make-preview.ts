/** Longer side of a record's preview, px. */
export const PREVIEW_WIDTH = 320;

/**
 * Renders picture and marks as a small image for lists (2§3 "preview (image bytes)"); null if the browser cannot, and
 * the record goes without.
 * @param picture as displayed, PREVIEW_WIDTH wide
 * @param marks canvas of the same shape
 */
export async function makePreview(picture: ImageData | null, marks: HTMLCanvasElement): Promise<Blob | null> {
  if (picture === null) return null;
  const canvas = document.createElement('canvas');
  canvas.width = picture.width;
  canvas.height = picture.height;
  const context = canvas.getContext('2d');
  if (context === null) return null;
  context.putImageData(picture, 0, 0);
  context.drawImage(marks, 0, 0, canvas.width, canvas.height);
  return encodePreview(canvas);
}

/**
 * Encodes a canvas as WebP, or as JPEG in an engine that writes no WebP: it returns PNG instead, which is many times as
 * large and which no record takes. Null if it writes neither.
 */
export async function encodePreview(canvas: Pick<HTMLCanvasElement, 'toBlob'>): Promise<Blob | null> {
  for (const type of ['image/webp', 'image/jpeg']) {
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, 0.8));
    if (blob?.type === type) return blob;
  }
  return null;
}
