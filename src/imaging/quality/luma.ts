/** Plane with one value a pixel, row by row. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  /** Luma 0..255. */
  readonly data: Float32Array;
}

/** Pixels of a canvas: red, green, blue, alpha, 0..255 each, row by row. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray | Uint8Array;
}

/** Computes the luma of ITU-R BT.601, the first channel of a JPEG. */
export function lumaOf({ width, height, data }: Pixels): Plane {
  const luma = new Float32Array(width * height);
  for (let i = 0, at = 0; i < luma.length; i++, at += 4)
    luma[i] = 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0);
  return { width, height, data: luma };
}

/** Halves a plane, each pixel the mean of four; a last odd row or column is dropped. Never below one pixel. */
export function halved({ width, height, data }: Plane): Plane {
  const w = Math.max(1, width >> 1);
  const h = Math.max(1, height >> 1);
  const right = width > 1 ? 1 : 0;
  const below = height > 1 ? width : 0;
  const half = new Float32Array(w * h);
  for (let y = 0; y < h; y++) {
    for (let x = 0, at = 2 * y * width; x < w; x++, at += 2) {
      half[y * w + x] =
        ((data[at] ?? 0) + (data[at + right] ?? 0) + (data[at + below] ?? 0) + (data[at + below + right] ?? 0)) / 4;
    }
  }
  return { width: w, height: h, data: half };
}

/** Scales a plane down to any size, each pixel the mean of the area it covers. */
export function shrunk({ width, height, data }: Plane, w: number, h: number): Plane {
  const small = new Float32Array(w * h);
  for (let y = 0; y < h; y++) {
    const top = Math.floor((y * height) / h);
    const bottom = Math.max(top + 1, Math.floor(((y + 1) * height) / h));
    for (let x = 0; x < w; x++) {
      const left = Math.floor((x * width) / w);
      const right = Math.max(left + 1, Math.floor(((x + 1) * width) / w));
      let sum = 0;
      for (let row = top; row < bottom; row++)
        for (let at = row * width + left; at < row * width + right; at++) sum += data[at] ?? 0;
      small[y * w + x] = sum / ((bottom - top) * (right - left));
    }
  }
  return { width: w, height: h, data: small };
}
