import { expose, transfer } from 'comlink';
import { ReefError } from '../../domain/errors';
import type { ColourCorrection } from '../../imaging/colour-correction';
import { correctColours, measureCast } from '../../imaging/colour-correction';
import type { Answer } from '../photograph/photograph.api';
import type { PictureTilesWorkerApi, TileArea, TileSource } from './picture-tiles.api';
import { OVERVIEW_MAX } from './picture-tiles.api';
import type { UprightPicture } from './upright-picture';
import { uprightPicture, fitWithin } from './upright-picture';

/** Idle time after which the decoded picture, the largest object in memory, is released, ms. */
const IDLE_MS = 3000;
const CAST_MAX = 320;

interface Decoded extends UprightPicture {
  readonly id: string;
  correction: ColourCorrection | undefined;
}

let decoded: Decoded | undefined;
let idleTimer: ReturnType<typeof setTimeout> | undefined;

const api: PictureTilesWorkerApi = {
  open: (of) =>
    toAnswer(async () => {
      const picture = await decode(of);
      const shown = { width: picture.bitmap.width, height: picture.bitmap.height };
      const to = fitWithin(shown, OVERVIEW_MAX);
      const overview = await cut(
        picture,
        { x: 0, y: 0, ...shown, toWidth: to.width, toHeight: to.height },
        of.isCorrected,
      );
      return [{ size: picture.size, shown, overview }, [overview]];
    }),
  cut: (of, areas) =>
    toAnswer(async () => {
      const picture = await decode(of);
      const tiles = await Promise.all(areas.map((area) => cut(picture, area, of.isCorrected)));
      return [tiles, tiles];
    }),
};

/** Transfers the bitmaps; an error is returned as data. */
async function toAnswer<Value>(work: () => Promise<[Value, ImageBitmap[]]>): Promise<Answer<Value>> {
  try {
    const [value, bitmaps] = await work();
    return transfer({ ok: true, value }, bitmaps);
  } catch (error) {
    const named =
      error instanceof ReefError
        ? error
        : new ReefError('internal', { message: `The picture could not be shown: ${String(error)}` });
    return { ok: false, error: named.toWire() };
  } finally {
    clearTimeout(idleTimer);
    idleTimer = setTimeout(releasePicture, IDLE_MS);
  }
}

function releasePicture(): void {
  decoded?.bitmap.close();
  decoded = undefined;
}

async function decode({ id, blob }: TileSource): Promise<Decoded> {
  clearTimeout(idleTimer);
  if (decoded?.id !== id) {
    releasePicture();
    decoded = { id, correction: undefined, ...(await uprightPicture(blob)) };
  }
  return decoded;
}

async function cut(
  picture: Decoded,
  { x, y, width, height, toWidth, toHeight }: TileArea,
  isCorrected: boolean,
): Promise<ImageBitmap> {
  if (!isCorrected)
    return createImageBitmap(picture.bitmap, x, y, width, height, {
      resizeWidth: toWidth,
      resizeHeight: toHeight,
      resizeQuality: 'high',
    });
  picture.correction ??= castOf(picture.bitmap);
  const { canvas, context } = drawArea(picture.bitmap, x, y, width, height, toWidth, toHeight);
  const pixels = context.getImageData(0, 0, toWidth, toHeight);
  correctColours({ data: pixels.data, channels: 4 }, picture.correction);
  context.putImageData(pixels, 0, 0);
  return canvas.transferToImageBitmap();
}

function castOf(bitmap: ImageBitmap): ColourCorrection {
  const { width, height } = fitWithin(bitmap, CAST_MAX);
  const { context } = drawArea(bitmap, 0, 0, bitmap.width, bitmap.height, width, height);
  return measureCast({ data: context.getImageData(0, 0, width, height).data, channels: 4 });
}

function drawArea(
  bitmap: ImageBitmap,
  x: number,
  y: number,
  width: number,
  height: number,
  toWidth: number,
  toHeight: number,
): { canvas: OffscreenCanvas; context: OffscreenCanvasRenderingContext2D } {
  const canvas = new OffscreenCanvas(toWidth, toHeight);
  const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
  if (context === null)
    throw new ReefError('internal', { message: 'Colours cannot be corrected: this browser has no canvas.' });
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, x, y, width, height, 0, 0, toWidth, toHeight);
  return { canvas, context };
}

expose(api);
