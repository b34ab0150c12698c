import type { Box, LabelRaster } from './raster';
import { emptyBox } from './raster';

/** Runs that a fresh list has room for. */
const ROOM_FIRST = 256;

/**
 * What a change of a raster replaced: runs of pixels, each with where it begins and the class that was there. Taking it back costs
 * as much as it changed, however large the picture.
 *
 * A run is two words: the index of its first pixel; its length in px times 256 plus the class that was there. Longer runs than
 * 2^24 - 1 px are cut.
 */
export class Changes {
  readonly box: Box = emptyBox();
  #words = new Uint32Array(ROOM_FIRST * 2);
  #length = 0;

  /** Memory that it holds, in bytes. */
  get bytes(): number {
    return this.#words.byteLength;
  }

  get empty(): boolean {
    return this.#length === 0;
  }

  /**
   * Labels the pixels from `start` to before `end` of one row or of several whole ones, and remembers what was there.
   *
   * @param only those that have this label now; absent: all
   */
  paint({ labels, counts, width }: LabelRaster, start: number, end: number, label: number, only?: number): void {
    let at = start;
    while (at < end) {
      const old = labels[at] ?? 0;
      if (old === label || (only !== undefined && old !== only)) {
        at++;
        continue;
      }
      const begin = at;
      do at++;
      while (at < end && labels[at] === old && at - begin < 0xff_ffff);
      labels.fill(label, begin, at);
      counts[old] = (counts[old] ?? 0) - (at - begin);
      counts[label] = (counts[label] ?? 0) + (at - begin);
      this.#add(begin, at - begin, old, width);
    }
  }

  /** Puts back what was there. Changes that came later must have been taken back before. */
  takeBack({ labels, counts }: LabelRaster): void {
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
  fit(): this {
    if (this.#words.length > this.#length) this.#words = this.#words.slice(0, this.#length);
    return this;
  }

  #add(begin: number, length: number, old: number, width: number): void {
    const top = Math.floor(begin / width);
    const bottom = Math.floor((begin + length - 1) / width);
    const { box } = this;
    if (top < box.top) box.top = top;
    if (bottom >= box.bottom) box.bottom = bottom + 1;
    const left = top === bottom ? begin - top * width : 0;
    const right = top === bottom ? left + length : width;
    if (left < box.left) box.left = left;
    if (right > box.right) box.right = right;
    if (this.#length + 2 > this.#words.length) {
      const more = new Uint32Array(Math.max(ROOM_FIRST * 2, this.#words.length * 2));
      more.set(this.#words);
      this.#words = more;
    }
    this.#words[this.#length] = begin;
    this.#words[this.#length + 1] = length * 256 + old;
    this.#length += 2;
  }
}
