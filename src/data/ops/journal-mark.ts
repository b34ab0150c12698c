import { categoryClass } from '../../domain/analysis/free-draw/categories';
import type { FreeDrawMark } from '../../domain/analysis/free-draw/marks';
import { ReefError } from '../../domain/errors';
import type { Position, TraceFeature } from '../../domain/geobuf/geojson';
import { isObject } from '../../domain/json';
import { ANALYSIS_LIMITS } from '../../domain/limits';

/** Coordinates are integers in units of the last decimal that a record stores. */
const UNIT = 10 ** ANALYSIS_LIMITS.coordinateDecimals;
const COORDINATE_MAX = 2 ** 31 / UNIT - 1;

export interface StoredMark {
  readonly kind: FreeDrawMark['kind'];
  readonly since: number;
  /** Category id; null: the eraser. */
  readonly id: string | null;
  readonly mod?: string;
  /** Lines of alternating x and y; one for a stroke, none for a zap. */
  readonly lines: readonly Int32Array[];
}

/** @throws ReefError `bad-message` for a mark with an invalid coordinate */
export function packMark(mark: FreeDrawMark): StoredMark {
  const { kind, since, paints } = mark;
  const lines = kind === 'stroke' ? [mark.points] : kind === 'polygon' ? mark.rings : [];
  if (!Number.isFinite(since))
    throw new ReefError('bad-message', { field: 'since', message: 'A stroke without a time cannot be saved.' });
  return {
    kind,
    since,
    ...(paints === 'erase'
      ? { id: null }
      : { id: paints.type.id, ...(paints.mod === undefined ? {} : { mod: paints.mod }) }),
    lines: lines.map(packLine),
  };
}

function packLine(line: readonly Position[]): Int32Array {
  const places = new Int32Array(line.length * 2);
  let at = 0;
  for (const place of line) {
    for (const value of place) {
      if (!(Math.abs(value) <= COORDINATE_MAX))
        throw new ReefError('bad-message', {
          field: 'points',
          message: 'A stroke with an invalid position cannot be saved.',
        });
      places[at++] = Math.round(value * UNIT);
    }
  }
  return places;
}

/** Mark of a journal for display; if its class no longer exists, in the form that a record stores. */
export type JournalMark =
  | { readonly kind: 'mark'; readonly mark: FreeDrawMark }
  | {
      readonly kind: 'unknown';
      readonly id: string;
      readonly feature: TraceFeature | null;
      readonly zap: { readonly since: number; readonly id: string } | null;
    };

/** Returns undefined for an invalid mark: its row is damaged. */
export function parseMark(value: unknown): JournalMark | undefined {
  if (!isObject(value)) return undefined;
  const { kind, since, id, mod, lines } = value;
  if (
    (kind !== 'stroke' && kind !== 'polygon' && kind !== 'zap') ||
    typeof since !== 'number' ||
    !Number.isFinite(since) ||
    !(typeof id === 'string' || id === null) ||
    !Array.isArray(lines)
  )
    return undefined;
  const read = (lines as unknown[]).map(unpackLine);
  if (
    !read.every((line) => line !== undefined) ||
    (kind === 'stroke' && read.length !== 1) ||
    (kind === 'zap' && id === null)
  )
    return undefined;
  const paints = id === null ? 'erase' : categoryClass(id, typeof mod === 'string' ? mod : undefined);
  if (paints === undefined) {
    const tool = { since, id: id ?? '', ...(typeof mod === 'string' ? { mod } : {}), erase: false };
    if (kind === 'zap') return { kind: 'unknown', id: tool.id, feature: null, zap: tool };
    const geometry =
      kind === 'stroke'
        ? { type: 'LineString' as const, coordinates: read[0] ?? [] }
        : { type: 'Polygon' as const, coordinates: read };
    return { kind: 'unknown', id: tool.id, feature: { type: 'Feature', geometry, properties: tool }, zap: null };
  }
  if (kind === 'zap') return paints === 'erase' ? undefined : { kind: 'mark', mark: { kind, since, paints } };
  return {
    kind: 'mark',
    mark: kind === 'stroke' ? { kind, since, paints, points: read[0] ?? [] } : { kind, since, paints, rings: read },
  };
}

function unpackLine(line: unknown): Position[] | undefined {
  // A rescue copy stores them as plain arrays.
  if (!(line instanceof Int32Array) && !Array.isArray(line)) return undefined;
  const numbers = line as ArrayLike<unknown>;
  if (numbers.length % 2 !== 0) return undefined;
  const places: Position[] = [];
  for (let at = 0; at < numbers.length; at += 2) {
    const [x, y] = [numbers[at], numbers[at + 1]];
    if (!Number.isInteger(x) || !Number.isInteger(y)) return undefined;
    places.push([(x as number) / UNIT, (y as number) / UNIT]);
  }
  return places;
}
