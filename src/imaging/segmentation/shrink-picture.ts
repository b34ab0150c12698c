import type { Pixels } from '../quality/luma';

/**
 * Scales a picture down so that its longer side has at most `longest` px, each pixel the mean of the area it covers;
 * smaller ones are returned as they are.
 */
export function shrinkPicture(pixels: Pixels, longest: number): Pixels {
  const { width, height, data } = pixels;
  const ratio = longest / Math.max(width, height);
  if (ratio >= 1) return pixels;
  const w = Math.max(1, Math.round(width * ratio));
  const h = Math.max(1, Math.round(height * ratio));
  const small = new Uint8ClampedArray(w * h * 4);
  const lefts = Int32Array.from({ length: w + 1 }, (_, x) => Math.floor((x * width) / w));
  for (let y = 0, to = 0; y < h; y++) {
    const top = Math.floor((y * height) / h);
    const bottom = Math.max(top + 1, Math.floor(((y + 1) * height) / h));
    for (let x = 0; x < w; x++, to += 4) {
      const left = lefts[x] ?? 0;
      const right = Math.max(left + 1, lefts[x + 1] ?? 0);
      let [red, green, blue] = [0, 0, 0];
      for (let row = top; row < bottom; row++)
        for (let at = (row * width + left) * 4, end = (row * width + right) * 4; at < end; at += 4) {
          red += data[at] ?? 0;
          green += data[at + 1] ?? 0;
          blue += data[at + 2] ?? 0;
        }
      const share = 1 / ((bottom - top) * (right - left));
      small[to] = red * share;
      small[to + 1] = green * share;
      small[to + 2] = blue * share;
      small[to + 3] = 255;
    }
  }
  return { width: w, height: h, data: small };
}
