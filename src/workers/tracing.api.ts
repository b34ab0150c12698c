import type { LabelLook } from '../imaging/label-raster/picture';
import type { Mark } from '../imaging/label-raster/marks';

/** What a picture is traced on. */
export interface TracingSetting {
  /** px of the raster. */
  readonly width: number;
  readonly height: number;
  /** px of the raster. */
  readonly penWidth: number;
  readonly looks: readonly LabelLook[];
  /** Of the colours over the photograph, 0 to 1. */
  readonly opacity: number;
}

/** How a picture stands after something was done to it. */
export interface Standing {
  /** Counts up with each thing done: of two answers the one with more is the later. */
  readonly turn: number;
  /** Pixels of each label, 256 of them, that of nothing first. */
  readonly counts: Uint32Array;
  /** Marks that stand. */
  readonly marks: number;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
}

/**
 * Paints what a person traces and counts what it covers, one picture at a time. The same on the screen's thread and in a
 * worker; there it paints on the canvas that was handed over.
 */
export interface TracingEngine {
  /**
   * Begins a picture with marks that were made before.
   *
   * @throws RangeError for a size that no raster can have
   */
  readonly begin: (setting: TracingSetting, marks: readonly Mark[]) => Standing;
  /** The pen is down and moves; what it paints goes when the stroke is added, or given up. @param points x and y by turns, normalised; those since the last call */
  readonly draw: (points: Float64Array, label: number) => Standing;
  /** The pen was lifted for nothing: too short, or taken back. */
  readonly giveUp: () => Standing;
  readonly add: (mark: Mark) => Standing;
  readonly undo: () => Standing;
  readonly redo: () => Standing;
  readonly clear: () => Standing;
  /** The labels themselves, a copy: for a preview or a file. */
  readonly labels: () => Uint8Array;
}
