import type { LabelStyle } from '../../imaging/label-raster/label-tiles';
import type { RasterMark } from '../../imaging/label-raster/raster-mark';

export { HATCH_SIDE } from '../../imaging/label-raster/label-tiles';

/** What a picture is traced on. */
export interface TracingSetup {
  /** px of the raster. */
  readonly width: number;
  readonly height: number;
  /** px of the raster. */
  readonly penWidth: number;
  readonly styles: readonly LabelStyle[];
  /** Of the colours over the photograph, 0 to 1. */
  readonly opacity: number;
}

/** How a picture stands after something was done to it. */
export interface TracingSnapshot {
  /** Counts up with each thing done: of two answers the one with more is the later. */
  readonly revision: number;
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
   * @param undone can be done again, the next one last
   *
   * @throws RangeError for a size that no raster can have
   */
  readonly begin: (
    setting: TracingSetup,
    marks: readonly RasterMark[],
    undone?: readonly RasterMark[],
  ) => TracingSnapshot;
  /** The pen is down and moves; what it paints goes when the stroke is added, or given up. @param points x and y by turns, normalised; those since the last call */
  readonly draw: (points: Float64Array, label: number) => TracingSnapshot;
  /** The pen was lifted for nothing: too short, or taken back. */
  readonly discardStroke: () => TracingSnapshot;
  readonly add: (mark: RasterMark) => TracingSnapshot;
  readonly undo: () => TracingSnapshot;
  readonly redo: () => TracingSnapshot;
  readonly clear: () => TracingSnapshot;
  /** The labels themselves, a copy: for a preview or a file. */
  readonly labels: () => Uint8Array;
}

/**
 * A {@link TracingEngine} for a screen, wherever it runs. It keeps the marks beside the engine: when the worker dies or the canvas is
 * lost, a new one is begun with them and shows the same. Calls take effect in their order.
 */
export interface TracingSession {
  /** Where it paints: an element that a screen puts over the picture, the raster's size, scaled by CSS. Another one after a loss. */
  readonly canvas: HTMLCanvasElement;
  /** Where the engine runs. */
  readonly runsIn: 'worker' | 'page';
  /** The latest; null before the first `begin`. */
  readonly snapshot: TracingSnapshot | null;
  /** What a person should know of how it runs, in words; null while all is well. */
  readonly warning: string | null;
  /** Calls back when `canvas`, `standing` or `troubles` changed; gives the way to stop. */
  readonly subscribe: (onChange: () => void) => () => void;
  /** @throws RangeError for a size that no raster can have */
  readonly begin: (
    setting: TracingSetup,
    marks: readonly RasterMark[],
    undone?: readonly RasterMark[],
  ) => Promise<TracingSnapshot>;
  /** Nobody waits for this: samples are put together and painted when the engine has its turn, none is lost. */
  readonly draw: (points: Float64Array, label: number) => void;
  readonly discardStroke: () => Promise<TracingSnapshot>;
  readonly add: (mark: RasterMark) => Promise<TracingSnapshot>;
  readonly undo: () => Promise<TracingSnapshot>;
  readonly redo: () => Promise<TracingSnapshot>;
  readonly clear: () => Promise<TracingSnapshot>;
  readonly labels: () => Promise<Uint8Array>;
  /** Ends the worker; what was not done yet is refused with an AbortError. */
  readonly close: () => void;
}

/** What the worker offers to the page. */
export interface TracingWorkerApi extends TracingEngine {
  /**
   * Takes the canvas over; comes first. While the worker lives it holds a lock of this name, where the browser has locks.
   *
   * @throws Error where the canvas gives no context
   */
  readonly attach: (canvas: OffscreenCanvas, lock: string) => Promise<void>;
}

/** The worker's message to the page, beside its answers, when the canvas is no more. */
export const CANVAS_LOST = 'canvas-lost';
