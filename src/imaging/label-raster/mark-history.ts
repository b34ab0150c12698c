import { RasterDelta } from './raster-delta';
import type { RasterMark } from './raster-mark';
import { applyMark } from './raster-mark';
import type { Box, LabelRaster } from './label-raster';
import { UNLABELLED, blankRaster, emptyBox } from './label-raster';
import type { PackedRaster } from './packed-raster';
import { packRaster, unpackRaster } from './packed-raster';
import { paintStroke, strokeBox } from './stroke';

/** Marks between two checkpoints (packed copies of the raster), for undo beyond the retained deltas. */
const CHECKPOINT_EVERY = 64;
/** Memory limit of deltas and checkpoints together, in bytes. */
const MEMORY_MAX = 48 * 1024 * 1024;

/**
 * Marks of a picture with their raster, which always equals the marks applied in order to a blank one.
 * Undo costs what the mark changed: each recent mark has a {@link RasterDelta}. When memory runs short the oldest
 * deltas are freed; undo then reapplies the marks since the nearest checkpoint.
 */
export class MarkHistory {
  readonly raster: LabelRaster;
  readonly #radius: number;
  readonly #memoryMax: number;
  readonly #marks: RasterMark[] = [];
  readonly #undone: RasterMark[] = [];
  /** Delta of each mark; undefined where memory ran short. */
  readonly #changes: (RasterDelta | undefined)[] = [];
  /** Packed raster after so many marks. */
  readonly #checkpoints = new Map<number, PackedRaster>();
  #bytes = 0;
  #liveStroke:
    { readonly label: number; readonly changes: RasterDelta; last: readonly [number, number] | undefined } | undefined;

  /**
   * @param width px of the raster
   * @param height px of the raster
   * @param radius of the pen, px of the raster
   * @param memoryMax for undo, in bytes
   * @throws RangeError if a raster cannot be that large
   */
  constructor(width: number, height: number, radius: number, memoryMax = MEMORY_MAX) {
    this.raster = blankRaster(width, height);
    this.#radius = radius;
    this.#memoryMax = memoryMax;
  }

  get marks(): readonly RasterMark[] {
    return this.#marks;
  }

  get canUndo(): boolean {
    return this.#marks.length > 0;
  }

  get canRedo(): boolean {
    return this.#undone.length > 0;
  }

  /** Clears the redo list. @returns the changed box */
  add(mark: RasterMark): Box {
    this.discardLiveStroke();
    this.#undone.length = 0;
    return this.#applyNew(mark);
  }

  /** Restores marks undone before this history began; redo applies the last one first. */
  restoreUndone(marks: readonly RasterMark[]): void {
    this.#undone.push(...marks);
  }

  /** Undoes the latest mark. @returns the changed box; empty if there is none */
  undo(): Box {
    this.discardLiveStroke();
    const mark = this.#marks.pop();
    if (mark === undefined) return emptyBox();
    this.#undone.push(mark);
    this.#dropCheckpoint(this.#marks.length + 1);
    const changes = this.#changes.pop();
    if (changes === undefined) {
      this.#rebuild();
      return fullBox(this.raster);
    }
    this.#bytes -= changes.bytes;
    changes.revert(this.raster);
    return changes.box;
  }

  /** Redoes the mark that was undone last. @returns the changed box; empty if there is none */
  redo(): Box {
    this.discardLiveStroke();
    const mark = this.#undone.pop();
    return mark === undefined ? emptyBox() : this.#applyNew(mark);
  }

  /** Removes all marks, without undo. */
  clear(): Box {
    this.discardLiveStroke();
    this.#marks.length = this.#undone.length = this.#changes.length = this.#bytes = 0;
    this.#checkpoints.clear();
    clearRaster(this.raster);
    return fullBox(this.raster);
  }

  /**
   * Paints a live stroke, which any other method removes, since the mark has simplified points.
   * @param points x and y alternating, normalised; those since the last call
   * @returns the box changed by this call
   */
  drawLiveStroke(points: ArrayLike<number>, label: number): Box {
    if (this.#liveStroke !== undefined && this.#liveStroke.label !== label) this.discardLiveStroke();
    const live = (this.#liveStroke ??= { label, changes: new RasterDelta(), last: undefined });
    const count = points.length >> 1;
    if (count === 0) return emptyBox();
    const step = live.last === undefined ? points : [...live.last, ...Array.from(points)];
    live.last = [points[count * 2 - 2] ?? 0, points[count * 2 - 1] ?? 0];
    paintStroke(this.raster, step, this.#radius, label, live.changes);
    return strokeBox(this.raster, step, this.#radius);
  }

  /** Removes the paint of {@link drawLiveStroke}. @returns the changed box */
  discardLiveStroke(): Box {
    const live = this.#liveStroke;
    if (live === undefined) return emptyBox();
    this.#liveStroke = undefined;
    live.changes.revert(this.raster);
    return live.changes.box;
  }

  #applyNew(mark: RasterMark): Box {
    const changes = new RasterDelta();
    applyMark(this.raster, mark, this.#radius, changes);
    this.#marks.push(mark);
    this.#changes.push(changes.trim());
    this.#bytes += changes.bytes;
    if (this.#marks.length % CHECKPOINT_EVERY === 0) {
      const packed = packRaster(this.raster);
      this.#checkpoints.set(this.#marks.length, packed);
      this.#bytes += packed.byteLength;
    }
    this.#freeMemory();
    return changes.box;
  }

  /** Frees the oldest deltas first, then the oldest checkpoints. */
  #freeMemory(): void {
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

  #rebuild(): void {
    let from = 0;
    for (const after of this.#checkpoints.keys()) from = Math.max(from, after);
    const packed = this.#checkpoints.get(from);
    if (packed === undefined) clearRaster(this.raster);
    else unpackRaster(this.raster, packed);
    for (let index = from; index < this.#marks.length; index++) {
      const mark = this.#marks[index];
      if (mark === undefined) continue;
      this.#bytes -= this.#changes[index]?.bytes ?? 0;
      const changes = new RasterDelta();
      applyMark(this.raster, mark, this.#radius, changes);
      this.#changes[index] = changes.trim();
      this.#bytes += changes.bytes;
    }
    this.#freeMemory();
  }
}

const fullBox = ({ width, height }: LabelRaster): Box => ({ left: 0, top: 0, right: width, bottom: height });

function clearRaster({ labels, counts }: LabelRaster): void {
  labels.fill(UNLABELLED);
  counts.fill(0);
  counts[UNLABELLED] = labels.length;
}
