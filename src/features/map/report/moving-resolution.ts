import type { Map as MapLibre } from 'maplibre-gl';

/** Frames further apart than this look like a slide show, ms. */
const SLOW_FRAME_MS = 50;
/** Slow frames in a row after which the resolution falls: one alone may be a tile that arrived. */
const SLOW_FRAMES = 2;
/** Share of the screen's pixels a side that are drawn while the map moves. */
const MOVING_SHARE = 0.5;

/**
 * Draws fewer pixels while the map moves and frames come slowly, as without a graphics card, and all of them once it
 * rests. A fast device draws all pixels at all times.
 */
export function lowerResolutionWhileMoving(map: MapLibre): void {
  let last: number | null = null;
  let slow = 0;
  let isLow = false;
  /** @param ratio device pixels a CSS px; null is that of the screen, which the library's types leave out */
  const set = (ratio: number | null): void => {
    // `resize` clears the canvas; without a frame at once it would blink.
    map.setPixelRatio(ratio as number);
    map.redraw();
  };
  map.on('render', () => {
    const now = performance.now();
    if (!map.isMoving() || isLow) {
      last = null;
      return;
    }
    slow = last !== null && now - last > SLOW_FRAME_MS ? slow + 1 : 0;
    last = now;
    if (slow < SLOW_FRAMES) return;
    isLow = true;
    last = null;
    slow = 0;
    requestAnimationFrame(() => {
      if (isLow) set(MOVING_SHARE * devicePixelRatio);
    });
  });
  map.on('moveend', () => {
    if (!isLow) return;
    isLow = false;
    // After the handlers of this event: a resize is a move of its own.
    requestAnimationFrame(() => {
      if (!isLow) set(null);
    });
  });
}
