import { isObject } from '../json';
import { GeobufError } from './geobuf-error';
import type { Json, Position, TraceCollection, TraceFeature, TraceGeometry } from './geojson';
import { Reader } from './reader';

const PRECISION_DEFAULT = 6;
/** Largest precision that a double holds. */
const PRECISION_MAX = 15;
const LINE_STRING = 2;
const POLYGON = 4;
/** Names that would reach the prototype. */
const UNSAFE: readonly string[] = ['__proto__', 'constructor', 'prototype'];
/** Structural members that no extra member may replace. */
const RESERVED_MEMBERS = new Set([...UNSAFE, 'type', 'features', 'geometry', 'coordinates']);
const RESERVED_TOOL_MEMBERS = new Set(UNSAFE);

interface Head {
  readonly keys: string[];
  scale: number;
}

/**
 * Decodes geobuf traces, ours or the npm package's, to the same objects as the package. Reads each byte once, so it
 * ends for any input.
 *
 * @throws GeobufError if the bytes are not a feature collection of two-dimensional lines and polygons
 */
export function decodeGeobuf(bytes: Uint8Array): TraceCollection {
  const reader = new Reader(bytes);
  const head: Head = { keys: [], scale: 10 ** PRECISION_DEFAULT };
  let dimensions = 2;
  let collection: TraceCollection | undefined;
  while (reader.at < reader.length) {
    const field = reader.varint(reader.length);
    if (field === (1 << 3) + 2) head.keys.push(reader.string(reader.length));
    else if (field === 2 << 3) dimensions = reader.varint(reader.length);
    else if (field === 3 << 3) head.scale = scaleOf(reader.varint(reader.length));
    else if (field === (4 << 3) + 2 && collection === undefined && (dimensions === 2 || dimensions === 0))
      collection = readCollection(reader, head);
    else if (field === (4 << 3) + 2 && collection === undefined)
      throw new GeobufError('its positions do not have two dimensions');
    else if (field >> 3 >= 4 && field >> 3 <= 6) throw new GeobufError('it is not a feature collection');
    else reader.skip(field & 7, reader.length);
  }
  if (collection === undefined) throw new GeobufError('it is not a feature collection');
  if (dimensions === 0 && collection.features.some(({ geometry }) => geometry.coordinates.length > 0))
    throw new GeobufError('its positions do not have two dimensions');
  return collection;
}

function scaleOf(precision: number): number {
  if (precision > PRECISION_MAX) throw new GeobufError('it has too many decimals');
  return 10 ** precision;
}

type Members = Record<string, Json>;

function readCollection(reader: Reader, head: Head): TraceCollection {
  const end = reader.fieldEnd(reader.length);
  const features: TraceFeature[] = [];
  const further: Members = {};
  let values: Json[] = [];
  while (reader.at < end) {
    const field = reader.varint(end);
    if (field === (1 << 3) + 2) features.push(readFeature(reader, end, head));
    else if (field === (13 << 3) + 2) values.push(readValue(reader, end));
    else if (field === (15 << 3) + 2) values = readMembers(reader, end, head, values, further);
    else reader.skip(field & 7, end);
  }
  if (!isObject(further['properties'])) delete further['properties'];
  return { type: 'FeatureCollection', features, ...further };
}

function readFeature(reader: Reader, outer: number, head: Head): TraceFeature {
  const end = reader.fieldEnd(outer);
  let geometry: TraceGeometry | undefined;
  const properties: Members = {};
  const further: Members = {};
  let values: Json[] = [];
  while (reader.at < end) {
    const field = reader.varint(end);
    if (field === (1 << 3) + 2) geometry = readGeometry(reader, end, head);
    else if (field === (11 << 3) + 2) further['id'] = reader.string(end);
    else if (field === 12 << 3) further['id'] = reader.signed(end);
    else if (field === (13 << 3) + 2) values.push(readValue(reader, end));
    else if (field === (14 << 3) + 2)
      values = readMembers(reader, end, head, values, properties, RESERVED_TOOL_MEMBERS);
    else if (field === (15 << 3) + 2) values = readMembers(reader, end, head, values, further);
    else reader.skip(field & 7, end);
  }
  if (geometry === undefined) throw new GeobufError('a trace has no geometry');
  return { ...further, type: 'Feature', geometry, properties };
}

function readGeometry(reader: Reader, outer: number, head: Head): TraceGeometry {
  const end = reader.fieldEnd(outer);
  let type: number | undefined;
  let lengths: number[] | undefined;
  let from: { at: number; end: number } | undefined;
  const further: Members = {};
  let values: Json[] = [];
  while (reader.at < end) {
    const field = reader.varint(end);
    if (field === 1 << 3) type = reader.varint(end);
    else if (field === (2 << 3) + 2) lengths = readLengths(reader, end);
    else if (field === (3 << 3) + 2) {
      const until = reader.fieldEnd(end);
      from = { at: reader.at, end: until };
      reader.at = until;
    } else if (field === (13 << 3) + 2) values.push(readValue(reader, end));
    else if (field === (15 << 3) + 2) values = readMembers(reader, end, head, values, further);
    else reader.skip(field & 7, end);
  }
  if (type !== LINE_STRING && type !== POLYGON) throw new GeobufError('a trace is neither a line nor a polygon');
  const coordinates =
    from === undefined
      ? []
      : readLines(reader, from, type === POLYGON ? (lengths ?? [undefined]) : [undefined], head.scale);
  reader.at = end;
  if (type === LINE_STRING) return { type: 'LineString', coordinates: coordinates[0] ?? [], ...further };
  for (const ring of coordinates) if (ring[0] !== undefined) ring.push(ring[0]);
  return { type: 'Polygon', coordinates, ...further };
}

function readLengths(reader: Reader, outer: number): number[] {
  const end = reader.fieldEnd(outer);
  const lengths: number[] = [];
  while (reader.at < end) lengths.push(reader.varint(end));
  return lengths;
}

/** @param lengths places in each line; undefined: all of them */
function readLines(
  reader: Reader,
  { at, end }: { readonly at: number; readonly end: number },
  lengths: readonly (number | undefined)[],
  scale: number,
): Position[][] {
  reader.at = at;
  const lines = lengths.map((length) => reader.places(end, length, scale));
  if (reader.at !== end) throw new GeobufError('its lines are shorter than declared');
  return lines;
}

/** Reads key and value pairs; returns the remaining values: none. */
function readMembers(
  reader: Reader,
  outer: number,
  { keys }: Head,
  values: readonly Json[],
  into: Members,
  own: ReadonlySet<string> = RESERVED_MEMBERS,
): Json[] {
  const end = reader.fieldEnd(outer);
  while (reader.at < end) {
    const key = keys[reader.varint(end)];
    const value = values[reader.varint(end)];
    if (key === undefined || value === undefined) throw new GeobufError('it refers to a value that it does not have');
    if (!own.has(key)) into[key] = value;
  }
  return [];
}

function readValue(reader: Reader, outer: number): Json {
  const end = reader.fieldEnd(outer);
  let value: Json = null;
  while (reader.at < end) {
    const field = reader.varint(end);
    if (field === (1 << 3) + 2) value = reader.string(end);
    else if (field === (2 << 3) + 1) value = reader.double(end);
    else if (field === 3 << 3) value = reader.varint(end);
    else if (field === 4 << 3) value = -reader.varint(end);
    else if (field === 5 << 3) value = reader.varint(end) !== 0;
    else if (field === (6 << 3) + 2) value = parseJsonValue(reader.string(end));
    else reader.skip(field & 7, end);
  }
  return value;
}

function parseJsonValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new GeobufError('a value is not JSON', { cause });
  }
}
