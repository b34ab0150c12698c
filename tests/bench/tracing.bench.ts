import { contours as d3Contours } from 'd3-contour';
import { decode, encode } from 'geobuf';
import Pbf from 'pbf';
import rivalSimplify from 'simplify-js';
import { decodeGeobuf } from '../../src/domain/geobuf/decode';
import { encodeGeobuf } from '../../src/domain/geobuf/encode';
import type { Position, TraceCollection } from '../../src/domain/geobuf/geojson';
import { contours, ringArea } from '../../src/imaging/contours';
import { RasterDelta } from '../../src/imaging/label-raster/raster-delta';
import { MarkPainter } from '../../src/imaging/label-raster/mark-painter';
import { applyMarkCommand } from '../../src/domain/analysis/mark-log';
import type { MarkLog } from '../../src/domain/analysis/mark-log';
import { applyMark } from '../../src/imaging/label-raster/raster-mark';
import type { RasterMark } from '../../src/imaging/label-raster/raster-mark';
import { blankRaster } from '../../src/imaging/label-raster/label-raster';
import type { ClassColour } from '../support/nearest-colour';
import { nearestClass } from '../support/nearest-colour';
import { simplify } from '../../src/imaging/simplify';
import { seeded } from '../support/seed';
import type { Bench, Figure } from './tools/harness';
import { median } from './tools/harness';

const WIDTH = 2000;
const HEIGHT = 1500;
const RADIUS = 12.5;
const CLASSES = 16;
const TOLERANCE = 0.0005;
const ROUNDS = 15;
/** One second of a 240 Hz pen. */
const STROKE_POINTS = 240;

/** Simulated hand: continues as before, turns slowly and stays in the picture, in steps of a 240 Hz pen. */
function stroke(random: () => number, points: number): Float64Array {
  const path = new Float64Array(points * 2);
  let [x, y, heading] = [random(), random(), random() * Math.PI * 2];
  for (let index = 0; index < points; index++) {
    heading += (random() - 0.5) * 0.3;
    x = Math.min(1, Math.max(0, x + Math.cos(heading) * 0.0012));
    y = Math.min(1, Math.max(0, y + Math.sin(heading) * 0.0016));
    if (x === 0 || x === 1 || y === 0 || y === 1) heading += 1;
    path[index * 2] = Math.round(x * 1e5) / 1e5;
    path[index * 2 + 1] = Math.round(y * 1e5) / 1e5;
  }
  return path;
}

const pairs = (path: ArrayLike<number>): Position[] =>
  Array.from({ length: path.length / 2 }, (_, at): Position => [path[at * 2]!, path[at * 2 + 1]!]);

/** Time of one call, ms: mean over calls of some 20 ms in total. */
function timed(work: () => unknown): number {
  let calls = 0;
  const began = performance.now();
  let now = began;
  do {
    work();
    calls++;
    now = performance.now();
  } while (now - began < 20);
  return (now - began) / calls;
}

/** Speed-up over the rival: median over alternating rounds without the first. */
function timesFaster(ours: () => unknown, rival: () => unknown, say: (line: string) => void, what: string): number {
  const rounds = Array.from({ length: ROUNDS + 1 }, (_, round) => {
    const first = round % 2 === 0 ? timed(ours) : timed(rival);
    const second = round % 2 === 0 ? timed(rival) : timed(ours);
    return round % 2 === 0 ? { ours: first, rival: second } : { ours: second, rival: first };
  }).slice(1);
  say(
    `${what}: ours ${median(rounds.map((each) => each.ours)).toFixed(4)} ms, rival ${median(rounds.map((each) => each.rival)).toFixed(4)} ms`,
  );
  return median(rounds.map((each) => each.rival / each.ours));
}

export const bench: Bench = {
  about: 'the kernels of tracing beside what does the same work elsewhere',
  async run(say) {
    const random = seeded(20_261_122);
    const fraction = (): number => random.fraction();
    const marks = Array.from({ length: 200 }, (_, index): RasterMark => ({
      kind: 'stroke',
      points: simplify(stroke(fraction, STROKE_POINTS), TOLERANCE),
      label: 1 + (index % CLASSES),
    }));
    const figures: Figure[] = [];

    // Cost of a stroke until its cover is known, without reading the canvas back.
    const painter = new MarkPainter(WIDTH, HEIGHT, RADIUS);
    painter.show(marks);
    const classes = Array.from({ length: CLASSES }, (_, index): ClassColour => ({
      label: index + 1,
      rgb: [(index * 67) % 256, (index * 131 + 40) % 256, (index * 29 + 90) % 256],
    }));
    const canvas = new Uint8ClampedArray(WIDTH * HEIGHT * 4);
    painter.raster.labels.forEach((label, at) => {
      if (label !== 0) canvas.set([...classes[label - 1]!.rgb, 255], at * 4);
    });
    const coverOf = (label: number): number => painter.raster.counts[label]! / (WIDTH * HEIGHT);
    const one = marks[7]!;
    const coverOfCanvas = (): number => {
      const counts = new Uint32Array(256);
      for (let at = 0; at < canvas.length; at += 4) {
        const label = nearestClass(canvas[at]!, canvas[at + 1]!, canvas[at + 2]!, canvas[at + 3]!, classes);
        counts[label] = counts[label]! + 1;
      }
      return counts[5]! / (WIDTH * HEIGHT);
    };
    if (coverOfCanvas() !== coverOf(5)) throw new Error('The two covers differ.');
    let turn = 0;
    const strokeRatio = timesFaster(
      () => {
        // Strokes of changing classes: none is a repetition that changes nothing.
        applyMark(painter.raster, { ...one, label: 1 + (turn++ % CLASSES) } as RasterMark, RADIUS, new RasterDelta());
        return coverOf(5);
      },
      coverOfCanvas,
      say,
      'cover after a stroke',
    );
    figures.push({
      figure: 'cover after a stroke',
      value: strokeRatio,
      unit: 'times',
      rule: '>=',
      goal: 1000,
      rival: 'matching colours over 2000 x 1500 pixels, 16 classes',
    });

    // Compares undo with repainting all strokes.
    const edited = new MarkPainter(WIDTH, HEIGHT, RADIUS);
    let log: MarkLog<RasterMark> = { marks, undone: [] };
    edited.show(marks);
    const edit = (kind: 'undo' | 'redo'): void => {
      log = applyMarkCommand(log, { kind });
      edited.show(log.marks);
    };
    const repaint = (): void => {
      const raster = blankRaster(WIDTH, HEIGHT);
      for (const mark of marks.slice(0, -1)) applyMark(raster, mark, RADIUS, new RasterDelta());
    };
    // Each undo here needs a redo, which counts as ours.
    const undoRatio = timesFaster(
      () => (edit('undo'), edit('redo')),
      repaint,
      say,
      'undo and redo of one of 200 strokes',
    );
    figures.push({
      figure: 'undo',
      value: undoRatio,
      unit: 'times',
      rule: '>=',
      goal: 20,
      rival: 'repainting the other 199 strokes',
    });

    const long = stroke(fraction, 2000);
    const asObjects = pairs(long).map(([x, y]) => ({ x, y }));
    if (simplify(long, TOLERANCE).length !== rivalSimplify(asObjects, TOLERANCE, true).length * 2)
      throw new Error('The simplified strokes differ.');
    figures.push({
      figure: 'simplification',
      value: timesFaster(
        () => simplify(long, TOLERANCE),
        () => rivalSimplify(asObjects, TOLERANCE, true),
        say,
        'simplifying 2,000 points',
      ),
      unit: 'times',
      rule: '>=',
      goal: 1.8,
      rival: 'simplify-js',
    });

    const { labels } = painter.raster;
    const mask = Array.from(labels, (label) => (label === 3 ? 1 : 0));
    const area = contours(labels, WIDTH, HEIGHT, 3).reduce((sum, ring) => sum + ringArea(ring), 0);
    if (area !== mask.reduce((sum: number, bit) => sum + bit, 0))
      throw new Error('The area of the contours is not that of the pixels.');
    const d3 = d3Contours().size([WIDTH, HEIGHT]).smooth(false).thresholds([0.5]);
    figures.push({
      figure: 'contours',
      value: timesFaster(
        () => contours(labels, WIDTH, HEIGHT, 3),
        () => d3(mask),
        say,
        'contours of a class',
      ),
      unit: 'times',
      rule: '>=',
      goal: 8,
      rival: 'd3-contour',
    });

    const traces: TraceCollection = {
      type: 'FeatureCollection',
      properties: { width: 4000, height: 3000, zaps: [] },
      features: marks.map((mark, index) => ({
        type: 'Feature',
        geometry: {
          type: 'LineString',
          coordinates:
            mark.kind === 'stroke'
              ? pairs(mark.points).map(([x, y]): Position => [Math.round(x * 1e5) / 1e5, Math.round(y * 1e5) / 1e5])
              : [],
        },
        properties: {
          since: 1_800_000_000_000 + index,
          colour: '#fe379b',
          id: 'reef_hardcoral_plating',
          label: 'Plating',
          erase: false,
        },
      })),
    };
    const bytes = encodeGeobuf(traces);
    const npmEncode = (): Uint8Array => encode(traces, new Pbf());
    if (Buffer.compare(bytes, npmEncode()) !== 0) throw new Error('The bytes differ.');
    figures.push({
      figure: 'geobuf encode',
      value: timesFaster(() => encodeGeobuf(traces), npmEncode, say, `geobuf of 200 strokes, ${bytes.length} bytes`),
      unit: 'times',
      rule: '>=',
      goal: 1.5,
      rival: 'the geobuf package',
    });
    figures.push({
      figure: 'geobuf decode',
      value: timesFaster(
        () => decodeGeobuf(bytes),
        () => decode(new Pbf(bytes)),
        say,
        'and back',
      ),
      unit: 'times',
      rule: '>=',
      goal: 1.5,
      rival: 'the geobuf package',
    });
    return figures;
  },
};
