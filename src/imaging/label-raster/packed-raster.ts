import type { LabelRaster } from './label-raster';

/** Packed raster: runs of one class, each its length in px times 256 plus the class. */
export type PackedRaster = Uint32Array;

export function packRaster({ labels }: LabelRaster): PackedRaster {
  let words = new Uint32Array(1024);
  let count = 0;
  for (let at = 0; at < labels.length;) {
    const label = labels[at] ?? 0;
    const begin = at;
    do at++;
    while (at < labels.length && labels[at] === label && at - begin < 0xff_ffff);
    if (count === words.length) {
      const more = new Uint32Array(words.length * 2);
      more.set(words);
      words = more;
    }
    words[count++] = (at - begin) * 256 + label;
  }
  return words.slice(0, count);
}

export function unpackRaster({ labels, counts }: LabelRaster, packed: PackedRaster): void {
  counts.fill(0);
  let at = 0;
  for (const word of packed) {
    const length = word >>> 8;
    const label = word & 0xff;
    labels.fill(label, at, at + length);
    counts[label] = (counts[label] ?? 0) + length;
    at += length;
  }
}
