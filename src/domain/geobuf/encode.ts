import type { Position, TraceCollection, TraceFeature, TraceGeometry } from './geojson';
import { Writer } from './writer';

/** Geobuf's largest precision: six decimals. */
const SCALE_MAX = 1e6;
const PRECISION_DEFAULT = 6;
/** Largest coordinate: twice a step between two of them, in units of 1/SCALE_MAX, is still exact in a double. */
const PLACE_MAX = 2 ** 51 / SCALE_MAX;

/**
 * Encodes traces as geobuf (https://github.com/mapbox/geobuf), byte for byte like the npm package (except whole numbers
 * beyond 2^53, written as doubles, and characters from U+20000, which pbf 4.0.2 corrupts). A place takes two to four
 * bytes: only the difference from the previous one is written, in units of the finest decimal.
 *
 * @throws RangeError if a place is not two finite numbers
 */
export function encodeGeobuf(collection: TraceCollection): Uint8Array {
  const keys = new Map<string, number>();
  const scan = { places: false, scale: 1 };
  for (const feature of collection.features) scanFeature(feature, keys, scan);
  collectKeys(collection, COLLECTION_OWN, keys);

  const writer = new Writer();
  for (const key of keys.keys()) writer.stringField(1, key);
  if (!scan.places) writer.varintField(2, 0);
  const precision = Math.ceil(Math.log(scan.scale) / Math.LN10);
  if (precision !== PRECISION_DEFAULT) writer.varintField(3, precision);
  const data = writer.begin(4);
  for (const feature of collection.features) {
    const from = writer.begin(1);
    writeFeature(writer, feature, keys, scan.scale);
    writer.end(from);
  }
  writeMembers(writer, 15, collection, COLLECTION_OWN, keys);
  writer.end(data);
  return writer.finish();
}

const COLLECTION_OWN = new Set(['type', 'features']);
const FEATURE_OWN = new Set(['type', 'id', 'properties', 'geometry']);
const GEOMETRY_OWN = new Set(['type', 'coordinates']);
const NONE = new Set<string>();

/** First pass: collects keys in order of first use, and the finest decimal. */
function scanFeature(feature: TraceFeature, keys: Map<string, number>, scan: { places: boolean; scale: number }): void {
  const { geometry } = feature;
  const lines = linesOf(geometry);
  for (const line of lines) {
    for (const place of line) {
      if (place.length !== 2) throw new RangeError('A position in a trace is not two numbers.');
      scan.places = true;
      if (!Number.isFinite(place[0]) || !Number.isFinite(place[1]))
        throw new RangeError('A position in a trace is not two finite numbers.');
      // Farther away a step is no longer a whole number, and no reader could decode it.
      if (Math.abs(place[0]) > PLACE_MAX || Math.abs(place[1]) > PLACE_MAX)
        throw new RangeError('A position in a trace is too far away to be stored.');
      if (scan.scale === SCALE_MAX) continue;
      for (let axis = 0; axis < 2; axis++) {
        const value = place[axis] ?? 0;
        while (scan.scale < SCALE_MAX && Math.round(value * scan.scale) / scan.scale !== value) scan.scale *= 10;
      }
    }
  }
  collectKeys(geometry, GEOMETRY_OWN, keys);
  collectKeys(feature.properties, NONE, keys);
  collectKeys(feature, FEATURE_OWN, keys);
}

const linesOf = (geometry: TraceGeometry): readonly (readonly Position[])[] =>
  geometry.type === 'LineString' ? [geometry.coordinates] : geometry.coordinates;

function collectKeys(members: object, own: ReadonlySet<string>, keys: Map<string, number>): void {
  for (const key of Object.keys(members)) if (!own.has(key) && !keys.has(key)) keys.set(key, keys.size);
}

function writeFeature(writer: Writer, feature: TraceFeature, keys: ReadonlyMap<string, number>, scale: number): void {
  const from = writer.begin(1);
  writeGeometry(writer, feature.geometry, keys, scale);
  writer.end(from);
  const id = feature['id'];
  if (typeof id === 'number' && Number.isSafeInteger(id)) writer.signedField(12, id);
  else if (id !== undefined) writer.stringField(11, typeof id === 'object' ? JSON.stringify(id) : String(id));
  writeMembers(writer, 14, feature.properties, NONE, keys);
  writeMembers(writer, 15, feature, FEATURE_OWN, keys);
}

function isClosed(line: readonly Position[]): boolean {
  const [first, last] = [line[0], line.at(-1)];
  return line.length > 1 && first?.[0] === last?.[0] && first?.[1] === last?.[1];
}

const LINE_STRING = 2;
const POLYGON = 4;

function writeGeometry(
  writer: Writer,
  geometry: TraceGeometry,
  keys: ReadonlyMap<string, number>,
  scale: number,
): void {
  const closed = geometry.type === 'Polygon';
  const lines = linesOf(geometry);
  writer.varintField(1, closed ? POLYGON : LINE_STRING);
  // The last place of a closed ring is omitted. A ring left open is written whole; readers close it.
  const lengths = lines.map((line) => line.length - (closed && isClosed(line) ? 1 : 0));
  if (closed && lines.length !== 1) writer.packedField(2, lengths);
  if (lengths.some((length) => length > 0)) {
    const from = writer.begin(3);
    lines.forEach((line, index) => writer.deltas(line, lengths[index] ?? 0, scale));
    writer.end(from);
  }
  writeMembers(writer, 15, geometry, GEOMETRY_OWN, keys);
}

/** Writes values, then key and value index pairs. */
function writeMembers(
  writer: Writer,
  tag: number,
  members: object,
  own: ReadonlySet<string>,
  keys: ReadonlyMap<string, number>,
): void {
  const pairs: number[] = [];
  for (const key of Object.keys(members)) {
    if (own.has(key)) continue;
    const from = writer.begin(13);
    writeValue(writer, (members as Readonly<Record<string, unknown>>)[key]);
    writer.end(from);
    pairs.push(keys.get(key) ?? 0, pairs.length / 2);
  }
  writer.packedField(tag, pairs);
}

function writeValue(writer: Writer, value: unknown): void {
  if (typeof value === 'string') writer.stringField(1, value);
  else if (typeof value === 'boolean') writer.varintField(5, value ? 1 : 0);
  else if (typeof value === 'object' && value !== null) writer.stringField(6, JSON.stringify(value));
  else if (typeof value !== 'number') return;
  else if (!Number.isSafeInteger(value)) writer.doubleField(2, value);
  else if (value >= 0) writer.varintField(3, value);
  else writer.varintField(4, -value);
}
