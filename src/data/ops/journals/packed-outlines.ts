import type { Outline, OutlineSet, Predicted } from '../../../domain/analysis/labelling/outline';
import { ReefError } from '../../../domain/errors';
import type { Position } from '../../../domain/geobuf/geojson';
import { isObject } from '../../../domain/json';
import { ANALYSIS_LIMITS } from '../../../domain/limits';

/** Coordinates are integers in units of the last decimal that a record stores. */
const UNIT = 10 ** ANALYSIS_LIMITS.coordinateDecimals;
const COORDINATE_MAX = 2 ** 31 / UNIT - 1;

/** Alternating x and y. @throws ReefError `bad-message` for a coordinate that no record can hold */
export function packLine(line: readonly Position[]): Int32Array {
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

/** Returns undefined for an invalid line. */
export function unpackLine(line: unknown): Position[] | undefined {
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

/** Compact form: a tenth of nested arrays. */
export const packOutlines = ({ outlines, ...set }: OutlineSet): object => ({
  ...set,
  outlines: outlines.map(({ rings, ...outline }) => ({ ...outline, rings: rings.map(packLine) })),
});

/** Returns undefined for what is not a set of outlines. */
export function unpackOutlines(value: unknown): OutlineSet | undefined {
  if (!isObject(value) || !Array.isArray(value['outlines'])) return undefined;
  const { source, model, width, height } = value;
  const outlines = value['outlines'].map(unpackOutline);
  if (
    (source !== 'model' && source !== 'segmentation') ||
    typeof model !== 'string' ||
    typeof width !== 'number' ||
    typeof height !== 'number' ||
    !outlines.every((outline) => outline !== undefined)
  )
    return undefined;
  return { source, model, width, height, outlines };
}

function unpackOutline(value: unknown): Outline | undefined {
  if (!isObject(value) || !Array.isArray(value['rings'])) return undefined;
  const { id, area } = value;
  const rings = value['rings'].map(unpackLine);
  const predicted = value['predicted'] === null ? null : parsePredicted(value['predicted']);
  return typeof id === 'string' &&
    typeof area === 'number' &&
    predicted !== undefined &&
    rings.every((ring) => ring !== undefined)
    ? { id, area, predicted, rings }
    : undefined;
}

function parsePredicted(value: unknown): Predicted | undefined {
  if (!isObject(value)) return undefined;
  const { id, pixels, icon, label } = value;
  return typeof id === 'string' && typeof pixels === 'number' && typeof icon === 'string' && typeof label === 'string'
    ? { id, pixels, icon, label }
    : undefined;
}
