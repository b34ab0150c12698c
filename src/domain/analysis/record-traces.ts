import { fromBase64 } from '../base64';
import { decodeGeobuf } from '../geobuf/decode';
import { GeobufError } from '../geobuf/geobuf-error';
import type { TraceCollection } from '../geobuf/geojson';

/** Farthest valid coordinate, in multiples of the picture's width or height. */
const PLACE_MAX = 10_000;

/** Decodes the traces of a record from base64 geobuf, or returns the reason why not. */
export function decodeTraces(text: string): TraceCollection | string {
  const bytes = fromBase64(text);
  if (bytes === null) return 'its traces are not base64';
  try {
    return decodeGeobuf(bytes);
  } catch (error) {
    if (error instanceof GeobufError) return error.message;
    throw error;
  }
}

/** True if every coordinate is near enough to the picture to be counted and written again. */
export const hasPlausiblePlaces = ({ features }: TraceCollection): boolean =>
  features.every(({ geometry }) =>
    (geometry.type === 'LineString' ? [geometry.coordinates] : geometry.coordinates).every((line) =>
      line.every(([x, y]) => Math.abs(x) <= PLACE_MAX && Math.abs(y) <= PLACE_MAX),
    ),
  );

/** True if the value has more than this number of levels. */
export function isDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeep(member, levels - 1));
}
