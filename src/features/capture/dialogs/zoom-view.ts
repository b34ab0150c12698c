/** Part of a picture that is shown: magnification, and offset of its top left corner in px of the stage. */
export interface ZoomView {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export const WHOLE: ZoomView = { scale: 1, x: 0, y: 0 };
export const SCALE_MAX = 8;

/** Zooms by a factor, with the point under the fingers in place; the picture always covers its stage. */
export function zoomAt(view: ZoomView, stage: Size, at: Point, factor: number): ZoomView {
  const scale = Math.min(SCALE_MAX, Math.max(1, view.scale * factor));
  const by = scale / view.scale;
  return clamped({ scale, x: at.x - (at.x - view.x) * by, y: at.y - (at.y - view.y) * by }, stage);
}

export function moveBy({ scale, x, y }: ZoomView, stage: Size, by: Point): ZoomView {
  return clamped({ scale, x: x + by.x, y: y + by.y }, stage);
}

function clamped({ scale, x, y }: ZoomView, { width, height }: Size): ZoomView {
  const within = (value: number, side: number): number => Math.min(0, Math.max(side * (1 - scale), value));
  return { scale, x: within(x, width), y: within(y, height) };
}
