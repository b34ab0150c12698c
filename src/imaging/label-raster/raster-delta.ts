import type { Box, LabelRaster } from './label-raster';
import { emptyBox } from './label-raster';

/** What the length of a run has bits for. */
const RUN_MAX = 0xff_ffff;
/** Runs that a fresh list has room for. */
const INITIAL_RUNS = 256;

/**
 * What a change of a raster replaced: runs of pixels, each with where it begins and the class that was there. Taking it back costs
 * as much as it changed, however large the picture.
 *
 * A run is two words: the index of its first pixel; its length in px times 256 plus the class that was there. Longer runs than
 * 2^24 - 1 px are cut.
 */
export class RasterDelta {
  readonly box: Box = emptyBox();
  #words = new Uint32Array(INITIAL_RUNS * 2);
  #length = 0;

  /** Memory that it holds, in bytes. */
  get bytes(): number {
    return this.#words.byteLength;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /**
   * Labels the pixels from `start` to before `end` of one row or of several whole ones, and remembers what was there.
   *
   * @param only those that have this label now; absent: all
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
      // A loop of our own: most runs are shorter than a call of `fill` takes.
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

  /** Puts back what was there. Changes that came later must have been taken back before. */
  revert({ labels, counts }: LabelRaster): void {
    const words = this.#words;
    for (let index = this.#length - 2; index >= 0; index -= 2) {
      const begin = words[index] ?? 0;
      const word = words[index + 1] ?? 0;
      const end = begin + (word >>> 8);
      const old = word & 0xff;
      // Within one run the class that is there now may be several: a stroke can pass over what it painted itself.
      for (let at = begin; at < end; at++) {
        const now = labels[at] ?? 0;
        counts[now] = (counts[now] ?? 0) - 1;
      }
      counts[old] = (counts[old] ?? 0) + (end - begin);
      labels.fill(old, begin, end);
    }
    this.#length = 0;
  }

  /** Gives back the room that was not needed: for a change that is kept. */
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

  /** Widens the box by the pixels from `first` to `last`. */
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
