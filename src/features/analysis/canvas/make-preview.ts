/** px of the longer side of a record's small picture. */
export const PREVIEW_WIDTH = 320;

/**
 * The picture with its marks, small, for lists (2§3 "preview (image bytes)"). null where this browser makes none: the record does without.
 *
 * @param picture as it is shown, PREVIEW_WIDTH wide
 * @param marks the canvas of the marks, of the same shape
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
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/webp', 0.8));
}
