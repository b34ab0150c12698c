import { ReefError } from '../domain/errors';

const SIDE_MAX = 1024;

/**
 * Converts a picture to a small, upright JPEG without metadata (place, time).
 * @throws ReefError `unsupported-media` if this browser cannot read it
 */
export async function shrinkPhoto(file: Blob): Promise<Blob> {
  let picture: ImageBitmap;
  try {
    picture = await createImageBitmap(file, { imageOrientation: 'from-image' });
  } catch (cause) {
    throw new ReefError('unsupported-media', {
      cause,
      message: 'This file cannot be read as a picture. Choose a JPEG or PNG.',
    });
  }
  try {
    const scale = Math.min(1, SIDE_MAX / Math.max(picture.width, picture.height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    const context = canvas.getContext('2d');
    // A JPEG would turn transparent pixels black.
    if (context !== null) context.fillStyle = '#ffffff';
    context?.fillRect(0, 0, canvas.width, canvas.height);
    context?.drawImage(picture, 0, 0, canvas.width, canvas.height);
    const small = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.88));
    if (context === null || small === null)
      throw new ReefError('unsupported-media', { message: 'This browser could not resize the picture.' });
    return small;
  } finally {
    picture.close();
  }
}
