import type { Map as MapLibre } from 'maplibre-gl';

/**
 * Settles once the map has drawn everything in view and the graphics process has computed the frame. The library's `idle`
 * comes before: without a graphics card, commands wait there for a second and more.
 *
 * @param isComplete further condition, asked at each frame
 */
export async function untilDrawn(map: MapLibre, isComplete: () => boolean): Promise<void> {
  while (!isComplete() || !map.loaded()) await new Promise((resolve) => map.once('render', resolve));
  const gl = contextOf(map);
  const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  gl.flush();
  if (fence === null) return;
  // Without blocking the page, whose tasks are measured.
  while (gl.clientWaitSync(fence, 0, 0) === gl.TIMEOUT_EXPIRED) await new Promise((resolve) => setTimeout(resolve));
}

/** Numbers of pixels of each colour (CSS, opaque) in the next frame that is drawn with everything in view. */
export async function countPixels(map: MapLibre, colours: readonly string[]): Promise<readonly number[]> {
  do await new Promise((resolve) => map.once('render', resolve));
  while (!map.loaded());
  // In the task of the frame: its pixels are gone after it.
  const gl = contextOf(map);
  const { drawingBufferWidth: width, drawingBufferHeight: height } = gl;
  const pixels = new Uint32Array(width * height);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(pixels.buffer));
  const counts = new Map(colours.map((colour) => [pixelOf(colour), 0]));
  for (const pixel of pixels) {
    const count = counts.get(pixel);
    if (count !== undefined) counts.set(pixel, count + 1);
  }
  return [...counts.values()];
}

function contextOf(map: MapLibre): WebGL2RenderingContext {
  const context = map.getCanvas().getContext('webgl2');
  if (context === null) throw new Error('The map has no WebGL 2.');
  return context;
}

/** Pixel as four bytes. */
function pixelOf(colour: string): number {
  const paint = new OffscreenCanvas(1, 1).getContext('2d');
  if (paint === null) throw new Error('The page has no canvas.');
  paint.fillStyle = colour;
  paint.fillRect(0, 0, 1, 1);
  return new Uint32Array(paint.getImageData(0, 0, 1, 1).data.buffer)[0] ?? 0;
}
