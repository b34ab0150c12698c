import type { CategoryClass } from '../../src/domain/analysis/free-draw/categories';
import { CATEGORY_CLASSES, categoryClass } from '../../src/domain/analysis/free-draw/categories';
import { roundCoordinate, type FreeDrawMark } from '../../src/domain/analysis/free-draw/marks';
import { freeDrawBody, NO_PRESERVED_TRACES } from '../../src/domain/analysis/free-draw/record';
import { statsOf, type FreeDrawStats } from '../../src/domain/analysis/free-draw/stats';
import type { RecordAuthor, RecordPicture } from '../../src/domain/analysis/record-head';
import type { Position } from '../../src/domain/geobuf/geojson';
import type { AnalysisId } from '../../src/domain/ids';
import type { JsonObject } from '../../src/domain/json';
import { contours, ringArea } from '../../src/imaging/contours';
import { blankRaster } from '../../src/imaging/label-raster/label-raster';
import { RasterDelta } from '../../src/imaging/label-raster/raster-delta';
import { applyMark, type RasterMark } from '../../src/imaging/label-raster/raster-mark';
import { Random } from '../../src/imaging/reef-renderer/random';
import { REEF_CLASSES, type ReefClass } from '../../src/imaging/reef-renderer/reef-classes';
import { CATEGORY_OF } from '../../src/imaging/reef-renderer/render-demo';
import { simplify } from '../../src/imaging/simplify';

/** Width on which a demo analyst paints, px: about as fine as a finger. */
const PAINTED_WIDTH = 96;
/** Smallest area that is painted, as a share of the picture. */
const SPECK = 0.0015;
/** Distance tolerance of an outline, normalised. */
const NEAR = 0.004;
/** Share of areas that an analyst takes for another class. */
const ERRORS = 0.1;
/** Largest area that is mistaken, as a share of the picture: what fills the picture is plain to all. */
const MISTAKEN_MAX = 0.1;
/** Class that each one is taken for. */
const LOOKS_LIKE: Readonly<Record<ReefClass, ReefClass>> = {
  W: 'T',
  N: 'R',
  R: 'T',
  T: 'A',
  A: 'T',
  B: 'H',
  P: 'B',
  M: 'H',
  H: 'B',
  S: 'H',
  E: 'T',
  D: 'R',
  G: 'T',
};

/** Rendered picture with its true class of each pixel. */
export interface LabelledPicture {
  /** Index in `REEF_CLASSES`, row by row. */
  readonly label: Uint8Array;
  readonly width: number;
  readonly height: number;
}

interface PaintedArea {
  readonly letter: ReefClass;
  readonly ring: readonly Position[];
  /** Share of the picture, holes filled. */
  readonly area: number;
}

interface NewAnalysis extends RecordPicture {
  readonly id: AnalysisId;
  /** ISO 8601 UTC. */
  readonly savedAt: string;
  readonly author: RecordAuthor;
  /** The same seed paints the same. */
  readonly seed: number;
}

/** Analysis of a rendered photograph as the app saves one that a person painted. */
export function analysisOf(picture: LabelledPicture, { seed, ...facts }: NewAnalysis): JsonObject {
  const marks = paintPhotograph(picture, new Random(seed), Date.parse(facts.savedAt));
  return freeDrawBody({
    ...facts,
    version: 3,
    marks,
    width: picture.width,
    height: picture.height,
    stats: paintedStats(marks, picture),
    preview: null,
    previous: null,
    preserved: NO_PRESERVED_TRACES,
  });
}

/**
 * Areas of a rendered photograph as a person paints them: coarse, and some of them wrong. Larger ones come first, so that
 * areas inside them are painted on top.
 *
 * @param since time of the first mark, ms since 1970
 */
function paintPhotograph(picture: LabelledPicture, random: Random, since: number): readonly FreeDrawMark[] {
  const areas = areasOf(shrink(picture)).toSorted((a, b) => b.area - a.area);
  const marks = areas.map(({ letter, ring, area }, n): FreeDrawMark => {
    const seen = area < MISTAKEN_MAX && random.chance(ERRORS) ? LOOKS_LIKE[letter] : letter;
    return { kind: 'polygon', since: since + n * 1000, paints: classOf(seen), rings: [ring] };
  });
  // Gaps between areas that were too small to paint.
  return [...marks, { kind: 'zap', since: since + marks.length * 1000, paints: classOf('T') }];
}

/** Cover of what was painted, as the record shows it. */
function paintedStats(marks: readonly FreeDrawMark[], { width, height }: LabelledPicture): FreeDrawStats {
  const raster = blankRaster(PAINTED_WIDTH, Math.round((PAINTED_WIDTH * height) / width));
  for (const mark of marks) {
    if (mark.kind === 'stroke' || mark.paints === 'erase') continue;
    const { label } = mark.paints;
    const painted: RasterMark =
      mark.kind === 'zap'
        ? { kind: 'zap', label }
        : { kind: 'polygon', label, rings: mark.rings.map((ring) => Float64Array.from(ring.flat())) };
    applyMark(raster, painted, 1, new RasterDelta());
  }
  return statsOf(raster.counts, CATEGORY_CLASSES);
}

function classOf(letter: ReefClass): CategoryClass {
  const state = letter === 'E' ? 'bleached' : letter === 'D' ? 'dead' : undefined;
  const found = categoryClass(CATEGORY_OF[letter], state);
  if (found === undefined) throw new Error(`no class paints ${letter}`);
  return found;
}

/** Nearest pixels on the width of the painting. */
function shrink({ label, width, height }: LabelledPicture): LabelledPicture {
  const [across, down] = [PAINTED_WIDTH, Math.round((PAINTED_WIDTH * height) / width)];
  const small = new Uint8Array(across * down);
  for (let y = 0; y < down; y++)
    for (let x = 0; x < across; x++)
      small[y * across + x] =
        label[Math.floor(((y + 0.5) * height) / down) * width + Math.floor(((x + 0.5) * width) / across)] ?? 0;
  return { label: small, width: across, height: down };
}

function areasOf({ label, width, height }: LabelledPicture): readonly PaintedArea[] {
  return REEF_CLASSES.flatMap(({ letter }, value) =>
    contours(label, width, height, value).flatMap((corners): PaintedArea[] => {
      const area = ringArea(corners) / (width * height);
      // A negative area is a hole.
      if (area < SPECK) return [];
      const places = Float64Array.from(corners, (at, n) => at / (n % 2 === 0 ? width : height));
      const near = simplify(places, NEAR);
      const ring = Array.from({ length: near.length / 2 }, (_, n): Position => [
        roundCoordinate(near[2 * n] ?? 0),
        roundCoordinate(near[2 * n + 1] ?? 0),
      ]);
      return ring.length < 3 ? [] : [{ letter, ring: closed(ring), area }];
    }),
  );
}

function closed(ring: readonly Position[]): readonly Position[] {
  const [first] = ring;
  const last = ring.at(-1);
  return first === undefined || (first[0] === last?.[0] && first[1] === last[1]) ? ring : [...ring, first];
}
