import { RasterDelta } from './raster-delta';
import type { RasterMark } from './raster-mark';
import { applyMark } from './raster-mark';
import type { Box, LabelRaster } from './label-raster';
import { UNLABELLED, blankRaster, emptyBox, extendBox } from './label-raster';
import type { PackedRaster } from './packed-raster';
import { packRaster, unpackRaster } from './packed-raster';
import { paintStroke, strokeBox } from './stroke';

/** Marks between two checkpoints (packed copies of the raster), to remove marks beyond the retained deltas. */
const CHECKPOINT_EVERY = 64;
/** Memory limit of deltas and checkpoints together, in bytes. */
const MEMORY_MAX = 48 * 1024 * 1024;

/**
 * Raster of a list of marks: it always equals the marks applied in order to a blank one.
 * Following the list costs what changed in it: each recent mark has a {@link RasterDelta}. When memory runs short the
 * oldest deltas are freed; removing a mark without one reapplies the marks since the nearest checkpoint.
 */
export class MarkPainter {
  readonly raster: LabelRaster;
  readonly #radius: number;
  readonly #memoryMax: number;
  #painted: readonly RasterMark[] = [];
  /** Delta of each painted mark; undefined where memory ran short. */
  readonly #deltas: (RasterDelta | undefined)[] = [];
  /** Packed raster after so many marks. */
  readonly #checkpoints = new Map<number, PackedRaster>();
  #bytes = 0;
  #liveStroke:
    { readonly label: number; readonly changes: RasterDelta; last: readonly [number, number] | undefined } | undefined;

  /**
   * @param width px of the raster
   * @param height px of the raster
   * @param radius of the pen, px of the raster
   * @param memoryMax for deltas and checkpoints, in bytes
   * @throws RangeError if a raster cannot be that large
   */
  constructor(width: number, height: number, radius: number, memoryMax = MEMORY_MAX) {
    this.raster = blankRaster(width, height);
    this.#radius = radius;
    this.#memoryMax = memoryMax;
  }

  /**
   * Paints these marks instead of the current ones and discards the live stroke. Marks at the start that are the same
   * objects stay as they are.
   * @returns the changed box
   */
  show(marks: readonly RasterMark[]): Box {
    const box = this.discardLiveStroke();
    const shared = Math.min(marks.length, this.#painted.length);
    let same = 0;
    while (same < shared && marks[same] === this.#painted[same]) same++;
    this.#removeFrom(same, box);
    for (const mark of marks.slice(same)) extendBox(box, this.#paint(mark));
    this.#painted = marks;
    return box;
  }

  /**
   * Paints a live stroke, which any other method removes, since the mark has simplified points.
   * @param points x and y alternating, normalised; those since the last call
   * @returns the box changed by this call
   */
  drawLiveStroke(points: ArrayLike<number>, label: number): Box {
    const box = this.#liveStroke?.label === label ? emptyBox() : this.discardLiveStroke();
    const live = (this.#liveStroke ??= { label, changes: new RasterDelta(), last: undefined });
    const count = points.length >> 1;
    if (count === 0) return box;
    const step = live.last === undefined ? points : [...live.last, ...Array.from(points)];
    live.last = [points[count * 2 - 2] ?? 0, points[count * 2 - 1] ?? 0];
    paintStroke(this.raster, step, this.#radius, label, live.changes);
    extendBox(box, strokeBox(this.raster, step, this.#radius));
    return box;
  }

  /** Removes the paint of {@link drawLiveStroke}. @returns the changed box */
  discardLiveStroke(): Box {
    const live = this.#liveStroke;
    if (live === undefined) return emptyBox();
    this.#liveStroke = undefined;
    live.changes.revert(this.raster);
    return live.changes.box;
  }

  /** Removes the marks from an index on. @param box extended by what changed */
  #removeFrom(index: number, box: Box): void {
    const removed = this.#deltas.splice(index).reverse();
    if (removed.length === 0) return;
    for (const after of [...this.#checkpoints.keys()]) if (after > index) this.#dropCheckpoint(after);
    for (const delta of removed) this.#bytes -= delta?.bytes ?? 0;
    // Clearing a raster is cheaper than reverting all of its marks.
    if (removed.includes(undefined) || (index === 0 && removed.length > 1)) {
      this.#rebuild(index);
      const { width, height } = this.raster;
      extendBox(box, { left: 0, top: 0, right: width, bottom: height });
      return;
    }
    for (const delta of removed) {
      if (delta === undefined) continue;
      delta.revert(this.raster);
      extendBox(box, delta.box);
    }
  }

  #paint(mark: RasterMark): Box {
    const delta = this.#applyMark(mark, this.#deltas.length);
    if (this.#deltas.length % CHECKPOINT_EVERY === 0) {
      const packed = packRaster(this.raster);
      this.#checkpoints.set(this.#deltas.length, packed);
      this.#bytes += packed.byteLength;
    }
    this.#freeMemory();
    return delta.box;
  }

  /** Applies a mark and stores its delta at an index. */
  #applyMark(mark: RasterMark, index: number): RasterDelta {
    const delta = new RasterDelta();
    applyMark(this.raster, mark, this.#radius, delta);
    this.#bytes += delta.trim().bytes - (this.#deltas[index]?.bytes ?? 0);
    this.#deltas[index] = delta;
    return delta;
  }

  /** Frees the oldest deltas first, then the oldest checkpoints. */
  #freeMemory(): void {
    for (let index = 0; this.#bytes > this.#memoryMax && index < this.#deltas.length - 1; index++) {
      const delta = this.#deltas[index];
      if (delta === undefined) continue;
      this.#bytes -= delta.bytes;
      this.#deltas[index] = undefined;
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

  /** Restores the raster of the first painted marks. */
  #rebuild(count: number): void {
    const from = Math.max(0, ...this.#checkpoints.keys());
    const packed = this.#checkpoints.get(from);
    if (packed === undefined) clearRaster(this.raster);
    else unpackRaster(this.raster, packed);
    for (let index = from; index < count; index++) {
      const mark = this.#painted[index];
      if (mark !== undefined) this.#applyMark(mark, index);
    }
    this.#freeMemory();
  }
}

function clearRaster({ labels, counts }: LabelRaster): void {
  labels.fill(UNLABELLED);
  counts.fill(0);
  counts[UNLABELLED] = labels.length;
}
