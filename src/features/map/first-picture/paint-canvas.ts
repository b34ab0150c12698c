import { reportColours } from '../report/report-colours';
import type { MapInsets, MapView } from '../report/report-map-props';
import type { MapBounds } from '../report/fit-view';
import { paintFirstPicture, type PictureOfReefs } from './paint-first-picture';

interface PictureView {
  /** Bounds of the region. */
  readonly bounds: MapBounds;
  readonly insets: MapInsets;
  /** View of the address, if it has one. */
  readonly startView: MapView | null;
}

/** Text that is the same for two paintings of one picture only if they are the same. */
export function paintingKey(canvas: HTMLCanvasElement, view: PictureView): string {
  return JSON.stringify([canvas.clientWidth, canvas.clientHeight, devicePixelRatio, view, reportColours()]);
}

/**
 * Shows a stored painting in a canvas of the same key.
 * @returns false if the browser gives no way to draw
 */
export function showPainting(canvas: HTMLCanvasElement, image: ImageBitmap): boolean {
  const draw = contextOf(canvas);
  [canvas.width, canvas.height] = [image.width, image.height];
  draw?.drawImage(image, 0, 0);
  return draw !== null;
}

/**
 * Paints a first picture as large as the canvas is shown, in the colours of the theme.
 * @returns false if the browser gives no way to draw
 */
export function paintCanvas(canvas: HTMLCanvasElement, picture: PictureOfReefs, view: PictureView): boolean {
  const draw = contextOf(canvas);
  if (draw === null) return false;
  const size = { width: canvas.clientWidth, height: canvas.clientHeight };
  const ratio = devicePixelRatio;
  [canvas.width, canvas.height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
  draw.scale(ratio, ratio);
  paintFirstPicture(draw, picture, { ...view, size, colours: reportColours() });
  return true;
}

// Painted by the processor: for thousands of small shapes, the graphics process took 25 times as long (SwiftShader).
const contextOf = (canvas: HTMLCanvasElement): CanvasRenderingContext2D | null =>
  canvas.getContext('2d', { willReadFrequently: true });
