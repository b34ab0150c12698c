import type { Box, LabelRaster } from './label-raster';
import { emptyBox } from './label-raster';

/** Longest run that its bit field can hold. */
const RUN_MAX = 0xff_ffff;
/** Initial capacity, in runs. */
const INITIAL_RUNS = 256;

/**
 * Reversible change of a raster, as runs of replaced pixels. Reverting costs as much as the change, however large the
 * picture.
 * A run is two words: the index of its first pixel; its length in px times 256 plus the previous class. Runs longer
 * than 2^24 - 1 px are split.
 */
export class RasterDelta {
  readonly box: Box = emptyBox();
  #words = new Uint32Array(INITIAL_RUNS * 2);
  #length = 0;

  /** Memory used, in bytes. */
  get bytes(): number {
    return this.#words.byteLength;
  }

  /**
   * Labels the pixels from `start` to before `end`, within one row or over whole rows, and records the previous
   * classes.
   * @param only limits it to pixels of this label; absent: all
   */
  paint(raster: LabelRaster, start: number, end: number, label: number, only?: number): void {
    const { labels, counts } = raster;
    const before = this.#length;
    let words = this.#words;
    let length = before;
    let painted = 0;
    for (let at = start; at < end;) {
      const old = labels[at] ?? 0;
      if (old === label || (only !== undefined && old !== only)) {
        at++;
        continue;
      }
      const begin = at;
      const stop = Math.min(end, begin + RUN_MAX);
      // Loop, since most runs are shorter than a call of `fill` takes.
      do labels[at++] = label;
      while (at < stop && labels[at] === old);
      const run = at - begin;
      counts[old] = (counts[old] ?? 0) - run;
      painted += run;
      if (length + 2 > words.length) words = this.#growBuffer(length);
      words[length] = begin;
      words[length + 1] = run * 256 + old;
      length += 2;
    }
    if (length === before) return;
    counts[label] = (counts[label] ?? 0) + painted;
    this.#length = length;
    const first = words[before] ?? 0;
    this.#extendBox(first, (words[length - 2] ?? 0) + ((words[length - 1] ?? 0) >>> 8) - 1, raster.width);
  }

  /** Restores the previous classes. Later changes must have been reverted first. */
  revert({ labels, counts }: LabelRaster): void {
    const words = this.#words;
    for (let index = this.#length - 2; index >= 0; index -= 2) {
      const begin = words[index] ?? 0;
      const word = words[index + 1] ?? 0;
      const end = begin + (word >>> 8);
      const old = word & 0xff;
      // Several classes may be here by now: a stroke can pass over its own paint.
      for (let at = begin; at < end; at++) {
        const now = labels[at] ?? 0;
        counts[now] = (counts[now] ?? 0) - 1;
      }
      counts[old] = (counts[old] ?? 0) + (end - begin);
      labels.fill(old, begin, end);
    }
    this.#length = 0;
  }

  /** Frees unused capacity, for a change that is retained. */
  trim(): this {
    if (this.#words.length > this.#length) this.#words = this.#words.slice(0, this.#length);
    return this;
  }

  #growBuffer(length: number): Uint32Array<ArrayBuffer> {
    const more = new Uint32Array(Math.max(INITIAL_RUNS * 2, length * 2));
    more.set(this.#words);
    this.#words = more;
    return more;
  }

  #extendBox(first: number, last: number, width: number): void {
    const { box } = this;
    const top = Math.floor(first / width);
    const bottom = Math.floor(last / width);
    box.top = Math.min(box.top, top);
    box.bottom = Math.max(box.bottom, bottom + 1);
    box.left = Math.min(box.left, top === bottom ? first - top * width : 0);
    box.right = Math.max(box.right, top === bottom ? last - top * width + 1 : width);
  }
}
