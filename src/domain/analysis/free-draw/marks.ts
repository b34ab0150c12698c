import { ANALYSIS_LIMITS } from '../../limits';
import type { Json, Position, TraceCollection, TraceFeature } from '../../geobuf/geojson';
import type { CategoryClass } from './categories';
import { categoryClass } from './categories';

/**
 * Mark as records store it. Coordinates are normalised, 0 to 1 by width and height, to 5 decimals; `since` is ms since
 * 1970.
 */
export type FreeDrawMark =
  | {
      readonly kind: 'stroke';
      readonly since: number;
      readonly paints: CategoryClass | 'erase';
      readonly points: readonly Position[];
    }
  /** Area, by tapping, by its corners or along an edge; an extension of version 3. Rings are closed. */
  | {
      readonly kind: 'polygon';
      readonly since: number;
      readonly paints: CategoryClass | 'erase';
      readonly rings: readonly (readonly Position[])[];
    }
  /** Fills all unpainted pixels, or the whole picture if its type is a flag. */
  | { readonly kind: 'zap'; readonly since: number; readonly paints: CategoryClass };

/** Facts about the picture that a record stores with the marks. */
export interface PictureFacts {
  /** ms since 1970. */
  readonly savedAt: number;
  readonly imageId: string;
  readonly survey: { readonly id: string; readonly name?: string; readonly regionId?: string };
  /** px */
  readonly width: number;
  readonly height: number;
}

const UNIT = 10 ** ANALYSIS_LIMITS.coordinateDecimals;
/** 2§9: "coordinates rounded to 5 decimals". */
export const roundCoordinate = (value: number): number => Math.round(value * UNIT) / UNIT;

/** Largest valid time, ms from 1970. Beyond it neighbouring numbers are equal and the order of marks would be lost. */
const SINCE_MAX = 8.64e15;

/** Rounds the coordinates of another maker's record, so that what is drawn and counted is what a save writes. */
function roundLine(line: readonly Position[]): readonly Position[] {
  const isRounded = (value: number): boolean => roundCoordinate(value) === value;
  return line.every(([x, y]) => isRounded(x) && isRounded(y))
    ? line
    : line.map(([x, y]): Position => [roundCoordinate(x) + 0, roundCoordinate(y) + 0]);
}

type Properties = Record<string, Json | undefined>;

/** Tool properties of a trace or zap (2§3): since, colour, id, label, path, mod, erase. */
function toolOf(
  paints: CategoryClass | 'erase',
  since: number,
  colourOf: (paints: CategoryClass) => string,
): Properties {
  if (paints === 'erase') return { since, erase: true };
  const { type, mod } = paints;
  return {
    since,
    colour: colourOf(paints),
    id: type.id,
    label: type.label,
    path: [...type.path],
    ...(mod === undefined ? {} : { mod }),
    erase: false,
  };
}

/**
 * Builds the GeoJSON of a record (2§3): one feature per stroke or area; zaps are properties of the collection.
 *
 * @param colourOf colour of a class, for other software that draws the file
 */
export function tracesOf(
  marks: readonly FreeDrawMark[],
  facts: PictureFacts,
  colourOf: (paints: CategoryClass) => string,
): TraceCollection {
  const features: TraceFeature[] = [];
  const zaps: Properties[] = [];
  for (const mark of marks) {
    const tool = toolOf(mark.paints, mark.since, colourOf);
    if (mark.kind === 'zap') zaps.push(tool);
    else if (mark.kind === 'stroke')
      features.push({ type: 'Feature', geometry: { type: 'LineString', coordinates: mark.points }, properties: tool });
    else features.push({ type: 'Feature', geometry: { type: 'Polygon', coordinates: mark.rings }, properties: tool });
  }
  const { savedAt, imageId, survey, width, height } = facts;
  return {
    type: 'FeatureCollection',
    properties: { saved: savedAt, image: imageId, survey: { ...survey }, width, height, zaps },
    features,
  };
}

interface ParsedTraces {
  /** In order of creation. */
  readonly marks: readonly FreeDrawMark[];
  /** px; null if the record does not contain it. */
  readonly size: { readonly width: number; readonly height: number } | null;
  /** Number of hidden marks by id of a class that no longer exists. */
  readonly unknown: ReadonlyMap<string, number>;
}

/**
 * Reads the marks of a record in time order; ties keep the stored order, zaps after traces. Marks of unknown classes
 * are counted, never guessed.
 */
export function marksOf(traces: TraceCollection): ParsedTraces {
  const unknown = new Map<string, number>();
  const paintsOf = (tool: Properties): CategoryClass | 'erase' | undefined => {
    if (tool['erase'] === true) return 'erase';
    const id = typeof tool['id'] === 'string' ? tool['id'] : '';
    const found = categoryClass(id, typeof tool['mod'] === 'string' ? tool['mod'] : undefined);
    if (found === undefined) unknown.set(id, (unknown.get(id) ?? 0) + 1);
    return found;
  };
  const sinceOf = (tool: Properties): number =>
    typeof tool['since'] === 'number' && Math.abs(tool['since']) <= SINCE_MAX ? tool['since'] : 0;
  const marks: FreeDrawMark[] = [];
  for (const { geometry, properties } of traces.features) {
    const paints = paintsOf(properties);
    if (paints === undefined) continue;
    const since = sinceOf(properties);
    marks.push(
      geometry.type === 'LineString'
        ? { kind: 'stroke', since, paints, points: roundLine(geometry.coordinates) }
        : { kind: 'polygon', since, paints, rings: geometry.coordinates.map(roundLine) },
    );
  }
  const { properties = {} } = traces;
  for (const zap of Array.isArray(properties['zaps']) ? (properties['zaps'] as readonly Json[]) : []) {
    if (typeof zap !== 'object' || zap === null || Array.isArray(zap)) continue;
    const paints = paintsOf(zap as Properties);
    if (paints !== undefined && paints !== 'erase')
      marks.push({ kind: 'zap', since: sinceOf(zap as Properties), paints });
  }
  const { width, height } = properties;
  // Array sort is stable.
  return {
    marks: marks.sort((a, b) => a.since - b.since),
    size: typeof width === 'number' && typeof height === 'number' && width > 0 && height > 0 ? { width, height } : null,
    unknown,
  };
}
