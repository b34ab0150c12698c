import type { MarkEdit } from '../../domain/analysis/mark-log';
import type { LabelStyle } from '../../imaging/label-raster/label-tiles';
import type { RasterMark } from '../../imaging/label-raster/raster-mark';

export { HATCH_SIDE } from '../../imaging/label-raster/label-tiles';

export interface TracingSetup {
  /** px of the raster. */
  readonly width: number;
  readonly height: number;
  /** px of the raster. */
  readonly penWidth: number;
  readonly styles: readonly LabelStyle[];
  /** Opacity of the colours over the photograph, 0 to 1. */
  readonly opacity: number;
}

export interface TracingSnapshot {
  /** Higher is later. */
  readonly revision: number;
  /** Pixels of each label, 256 entries, unlabelled first. */
  readonly counts: Uint32Array;
  readonly marks: number;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
}

/**
 * Paints marks and counts their cover, one picture at a time, on either thread; in a worker on the transferred canvas.
 */
export interface TracingEngine {
  /**
   * @param undone can be redone, the next one last
   * @throws RangeError for a size that no raster can have
   */
  readonly begin: (
    setting: TracingSetup,
    marks: readonly RasterMark[],
    undone?: readonly RasterMark[],
  ) => TracingSnapshot;
  /**
   * Paints a live stroke until it is added or discarded. @param points x and y alternating, normalised; those since the
   * last call
   */
  readonly draw: (points: Float64Array, label: number) => TracingSnapshot;
  /** Discards the live stroke: too short, or cancelled. */
  readonly discardStroke: () => TracingSnapshot;
  readonly apply: (edit: MarkEdit<RasterMark>) => TracingSnapshot;
  /** Copy of the labels, for a preview or a file. */
  readonly labels: () => Uint8Array;
}

/**
 * {@link TracingEngine} for a screen, on either thread. Stores the marks itself: after a crash or a lost canvas a new
 * engine shows the same. Calls take effect in order.
 */
export interface TracingSession {
  /** Overlay for the picture, of the raster's size, scaled by CSS. Replaced after a loss. */
  readonly canvas: HTMLCanvasElement;
  readonly runsIn: 'worker' | 'page';
  readonly snapshot: TracingSnapshot | null;
  /** null while all is well. */
  readonly warning: string | null;
  /** Calls back on changes of `canvas`, `snapshot` or `warning`. */
  readonly subscribe: (onChange: () => void) => () => void;
  /** @throws RangeError for a size that no raster can have */
  readonly begin: (
    setting: TracingSetup,
    marks: readonly RasterMark[],
    undone?: readonly RasterMark[],
  ) => Promise<TracingSnapshot>;
  /** Samples are merged and painted when the engine is free; none is lost. */
  readonly draw: (points: Float64Array, label: number) => void;
  readonly discardStroke: () => Promise<TracingSnapshot>;
  readonly apply: (edit: MarkEdit<RasterMark>) => Promise<TracingSnapshot>;
  readonly labels: () => Promise<Uint8Array>;
  /** Stops the worker; pending commands are rejected with an AbortError. */
  readonly close: () => void;
}

export interface TracingWorkerApi extends TracingEngine {
  /**
   * Transfers the canvas; must come first. The worker holds a lock of this name for its lifetime, if the browser has
   * locks.
   * @throws Error if the canvas has no context
   */
  readonly attach: (canvas: OffscreenCanvas, lock: string) => Promise<void>;
}

/** Message from the worker when its canvas is lost. */
export const CANVAS_LOST = 'canvas-lost';
