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
  /** @param ratio device pixels a CSS px; null is that of the screen */
  const set = (ratio: number | null): void => {
    map._overridePixelRatio = ratio;
    // Not `setPixelRatio`, which ends a drag: the library counts animations alone as moves there.
    map._resizeInternal(false);
    // The new size cleared the canvas; without a frame at once it would blink.
    map.redraw();
  };
  map.on('render', () => {
    const now = performance.now();
    slow = map.isMoving() && last !== null && now - last > SLOW_FRAME_MS ? slow + 1 : 0;
    last = map.isMoving() ? now : null;
    if (isLow || slow < SLOW_FRAMES) return;
    isLow = true;
    // After this frame.
    requestAnimationFrame(() => {
      if (isLow) set(MOVING_SHARE * devicePixelRatio);
    });
  });
  map.on('moveend', () => {
    if (!isLow) return;
    requestAnimationFrame(() => {
      // A gesture that began since then draws few pixels until its own end.
      if (!isLow || map.isMoving()) return;
      isLow = false;
      slow = 0;
      set(null);
    });
  });
}
