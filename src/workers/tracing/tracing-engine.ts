import { applyMarkCommand, EMPTY_LOG } from '../../domain/analysis/mark-log';
import type { MarkLog } from '../../domain/analysis/mark-log';
import { MarkPainter } from '../../imaging/label-raster/mark-painter';
import type { RasterMark } from '../../imaging/label-raster/raster-mark';
import type { LabelTiles } from '../../imaging/label-raster/label-tiles';
import { labelTiles, paintLabels } from '../../imaging/label-raster/label-tiles';
import type { Box } from '../../imaging/label-raster/label-raster';
import type { TracingSnapshot, TracingEngine } from './tracing.api';

export interface Surface {
  /** Clears the surface and sets its size, px. */
  resize(width: number, height: number): void;
  /** Replaces the pixels within the box. @param words of ImageData, of the box's size */
  put(box: Box, words: Uint32Array): void;
}

/** Creates an engine that paints on a surface; its work is done when a call returns. */
export function createTracingEngine(surface: Surface): TracingEngine {
  let log: MarkLog<RasterMark> = EMPTY_LOG;
  let painter = new MarkPainter(1, 1, 1);
  let tiles: LabelTiles = new Uint32Array(0);
  let words = new Uint32Array(0);
  let revision = 0;

  const show = (box: Box): void => {
    if (box.left >= box.right || box.top >= box.bottom) return;
    const size = (box.right - box.left) * (box.bottom - box.top);
    if (words.length < size) words = new Uint32Array(size);
    const part = words.subarray(0, size);
    paintLabels(painter.raster, box, tiles, part);
    surface.put(box, part);
  };
  const snapshotAfter = (box: Box): TracingSnapshot => {
    show(box);
    return {
      revision: ++revision,
      counts: painter.raster.counts.slice(),
      marks: log.marks.length,
      canUndo: log.marks.length > 0,
      canRedo: log.undone.length > 0,
    };
  };

  return {
    begin({ width, height, penWidth, styles, opacity }, marks, undone = []) {
      painter = new MarkPainter(width, height, penWidth / 2);
      tiles = labelTiles(styles, opacity);
      surface.resize(width, height);
      log = { marks, undone };
      painter.show(marks);
      return snapshotAfter({ left: 0, top: 0, right: width, bottom: height });
    },
    draw: (points, label) => snapshotAfter(painter.drawLiveStroke(points, label)),
    discardStroke: () => snapshotAfter(painter.discardLiveStroke()),
    apply(edit) {
      log = applyMarkCommand(log, edit);
      return snapshotAfter(painter.show(log.marks));
    },
    labels: () => painter.raster.labels.slice(),
  };
}

/** Wraps a canvas as a surface; throws if the canvas was lost. @throws Error if it has no two-dimensional context */
export function canvasSurface(canvas: OffscreenCanvas | HTMLCanvasElement): Surface {
  const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D | null;
  if (context === null) throw new Error('The picture cannot be painted: this browser has no canvas.');
  return {
    resize(width, height) {
      canvas.width = width;
      canvas.height = height;
    },
    put({ left, top, right, bottom }, words) {
      // A lost canvas ignores drawing without an error. Older browsers cannot report the loss.
      if ((context as Partial<typeof context>).isContextLost?.() === true) throw new Error('The canvas was lost.');
      const bytes = new Uint8ClampedArray(words.buffer as ArrayBuffer, words.byteOffset, words.byteLength);
      context.putImageData(new ImageData(bytes, right - left, bottom - top), left, top);
    },
  };
}
