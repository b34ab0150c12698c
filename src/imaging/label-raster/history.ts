import { Changes } from './changes';
import type { Mark } from './marks';
import { applyMark } from './marks';
import type { Box, LabelRaster } from './raster';
import { UNLABELLED, blankRaster, emptyBox } from './raster';
import type { PackedRaster } from './runs';
import { pack, unpack } from './runs';
import { paintStroke, strokeBox } from './stroke';

/** Every so many marks the whole raster is packed and kept, for what lies further back than the remembered changes. */
const CHECKPOINT_EVERY = 64;
/** Memory for remembered changes and checkpoints together, in bytes. */
const MEMORY_MAX = 48 * 1024 * 1024;

/**
 * A picture's marks and what they come to: the raster is at any time exactly what the marks, done in order on a blank one, give.
 *
 * To undo costs what the mark changed, not what all others painted: each recent mark has its {@link Changes}. Older ones give
 * theirs up when memory runs short; then the nearest checkpoint before is unpacked and the marks since are done again.
 */
export class MarkHistory {
  readonly raster: LabelRaster;
  readonly #radius: number;
  readonly #memoryMax: number;
  readonly #marks: Mark[] = [];
  readonly #undone: Mark[] = [];
  /** What each mark changed; absent where memory ran short. */
  readonly #changes: (Changes | undefined)[] = [];
  /** The raster after so many marks. */
  readonly #checkpoints = new Map<number, PackedRaster>();
  #bytes = 0;
  #live: { readonly label: number; readonly changes: Changes; last: readonly [number, number] | undefined } | undefined;

  /**
   * @param width px of the raster
   * @param height px of the raster
   * @param radius of the pen, px of the raster
   * @param memoryMax for what undo needs, in bytes
   * @throws RangeError where a raster cannot be so large
   */
  constructor(width: number, height: number, radius: number, memoryMax = MEMORY_MAX) {
    this.raster = blankRaster(width, height);
    this.#radius = radius;
    this.#memoryMax = memoryMax;
  }

  /** Those that stand, in order. */
  get marks(): readonly Mark[] {
    return this.#marks;
  }

  get canUndo(): boolean {
    return this.#marks.length > 0;
  }

  get canRedo(): boolean {
    return this.#undone.length > 0;
  }

  /** Does a mark. What was undone before can no longer be done again. @returns where the picture changed */
  add(mark: Mark): Box {
    this.dropLive();
    this.#undone.length = 0;
    return this.#do(mark);
  }

  /** Takes over marks that were undone before this history began: redo does them, the last one first. */
  holdUndone(marks: readonly Mark[]): void {
    this.#undone.push(...marks);
  }

  /** Takes the latest mark back. @returns where the picture changed; empty where there is none */
  undo(): Box {
    this.dropLive();
    const mark = this.#marks.pop();
    if (mark === undefined) return emptyBox();
    this.#undone.push(mark);
    this.#dropCheckpoint(this.#marks.length + 1);
    const changes = this.#changes.pop();
    if (changes === undefined) {
      this.#rebuild();
      return whole(this.raster);
    }
    this.#bytes -= changes.bytes;
    changes.takeBack(this.raster);
    return changes.box;
  }

  /** Does again what was undone last. @returns where the picture changed; empty where there is none */
  redo(): Box {
    this.dropLive();
    const mark = this.#undone.pop();
    return mark === undefined ? emptyBox() : this.#do(mark);
  }

  /** Takes all marks away, for good. */
  clear(): Box {
    this.dropLive();
    this.#marks.length = this.#undone.length = this.#changes.length = this.#bytes = 0;
    this.#checkpoints.clear();
    wipe(this.raster);
    return whole(this.raster);
  }

  /**
   * Paints on as the pen moves, before the stroke is a mark: the next call that is not this one takes it away again, since the mark
   * has the simplified points.
   *
   * @param points x and y by turns, normalised; those since the last call
   * @returns where the picture changed by this call
   */
  drawLive(points: ArrayLike<number>, label: number): Box {
    if (this.#live !== undefined && this.#live.label !== label) this.dropLive();
    const live = (this.#live ??= { label, changes: new Changes(), last: undefined });
    const count = points.length >> 1;
    if (count === 0) return emptyBox();
    const step = live.last === undefined ? points : [...live.last, ...Array.from(points)];
    live.last = [points[count * 2 - 2] ?? 0, points[count * 2 - 1] ?? 0];
    paintStroke(this.raster, step, this.#radius, label, live.changes);
    return strokeBox(this.raster, step, this.#radius);
  }

  /** Takes away what {@link drawLive} painted. @returns where the picture changed */
  dropLive(): Box {
    const live = this.#live;
    if (live === undefined) return emptyBox();
    this.#live = undefined;
    live.changes.takeBack(this.raster);
    return live.changes.box;
  }

  #do(mark: Mark): Box {
    const changes = new Changes();
    applyMark(this.raster, mark, this.#radius, changes);
    this.#marks.push(mark);
    this.#changes.push(changes.fit());
    this.#bytes += changes.bytes;
    if (this.#marks.length % CHECKPOINT_EVERY === 0) {
      const packed = pack(this.raster);
      this.#checkpoints.set(this.#marks.length, packed);
      this.#bytes += packed.byteLength;
    }
    this.#shrink();
    return changes.box;
  }

  /** Gives up the oldest changes first, then the oldest checkpoints. */
  #shrink(): void {
    for (let index = 0; this.#bytes > this.#memoryMax && index < this.#changes.length - 1; index++) {
      const changes = this.#changes[index];
      if (changes === undefined) continue;
      this.#bytes -= changes.bytes;
      this.#changes[index] = undefined;
    }
    for (const after of [...this.#checkpoints.keys()]) {
      if (this.#bytes <= this.#memoryMax) return;
      this.#dropCheckpoint(after);
    }
  }

  #dropCheckpoint(after: number): void {
    this.#bytes -= this.#checkpoints.get(after)?.byteLength ?? 0;
    this.#checkpoints.delete(after);
  }

  /** Makes the raster anew from the nearest checkpoint before. */
  #rebuild(): void {
    let from = 0;
    for (const after of this.#checkpoints.keys()) from = Math.max(from, after);
    const packed = this.#checkpoints.get(from);
    if (packed === undefined) wipe(this.raster);
    else unpack(this.raster, packed);
    for (let index = from; index < this.#marks.length; index++) {
      const mark = this.#marks[index];
      if (mark === undefined) continue;
      this.#bytes -= this.#changes[index]?.bytes ?? 0;
      const changes = new Changes();
      applyMark(this.raster, mark, this.#radius, changes);
      this.#changes[index] = changes.fit();
      this.#bytes += changes.bytes;
    }
    this.#shrink();
  }
}

const whole = ({ width, height }: LabelRaster): Box => ({ left: 0, top: 0, right: width, bottom: height });

function wipe({ labels, counts }: LabelRaster): void {
  labels.fill(UNLABELLED);
  counts.fill(0);
  counts[UNLABELLED] = labels.length;
}
