import { toBase64 } from '../../base64';
import { encodeGeobuf } from '../../geobuf/encode';
import type { Json as TraceJson, TraceCollection, TraceFeature } from '../../geobuf/geojson';
import type { AnalysisId } from '../../ids';
import type { JsonObject } from '../../json';
import { isObject, MAX_JSON_DEPTH } from '../../json';
import type { RecordAuthor, RecordPicture } from '../record-head';
import { omitMembers, recordHead, recordVersion } from '../record-head';
import { decodeTraces, hasPlausiblePlaces, isDeep } from '../record-traces';
import { categoryClass } from './categories';
import { colourOf } from './colours';
import type { FreeDrawMark } from './marks';
import { marksOf, tracesOf } from './marks';
import type { FreeDrawStats } from './stats';
import { parseTraces } from './parse-traces';

/** Free-draw record versions that this app reads and writes (2§3). */
type FreeDrawVersion = 1 | 3;

/** Traces and zaps of classes that no longer exist, exactly as stored. */
export interface PreservedTraces {
  readonly features: readonly TraceFeature[];
  readonly zaps: readonly TraceJson[];
}

export interface NewFreeDraw extends RecordPicture {
  readonly id: AnalysisId;
  readonly version: FreeDrawVersion;
  /** ISO 8601. */
  readonly savedAt: string;
  readonly author: RecordAuthor;
  readonly marks: readonly FreeDrawMark[];
  /** Size of the traced picture, px. */
  readonly width: number;
  readonly height: number;
  readonly stats: FreeDrawStats;
  /** Small WebP or JPEG. */
  readonly preview: Uint8Array | null;
  /** Replaced record: everything but its traces is retained. */
  readonly previous: JsonObject | null;
  /** Hidden marks, written back unchanged. */
  readonly preserved: PreservedTraces;
}

/** Members that can hold the traces; a record has one of them. */
const TRACE_MEMBERS = ['geobuf', 'geojson'] as const;

/** Compact encodings for traces that would be too large. Readers get the same marks. */
interface TraceEncoding {
  /** Geobuf in version 1 too: a fifth of GeoJSON. */
  readonly isPacked?: boolean;
  /** Omits the tool members that the id implies: colour, label, path. */
  readonly isLean?: boolean;
}

/** Body of a free-draw analysis (2§3 "Analysis record, free-draw"): version 3 with geobuf, version 1 with GeoJSON. */
export function freeDrawBody(
  record: NewFreeDraw,
  { isPacked = false, isLean = false }: TraceEncoding = {},
): JsonObject {
  const { id, version, savedAt, author, image, survey, width, height, stats, preview, previous, preserved } = record;
  const facts = {
    savedAt: Date.parse(savedAt),
    imageId: image.id,
    survey: { id: survey.id, name: survey.name, ...(survey.regionId === null ? {} : { regionId: survey.regionId }) },
    width,
    height,
  };
  const traces = tracesOf(inTimeOrder(record.marks), facts, colourOf);
  const whole = withPreserved(isLean ? withoutImpliedMembers(traces) : traces, preserved);
  const traceMember =
    version === 3 || isPacked ? { geobuf: toBase64(encodeGeobuf(whole)) } : { geojson: JSON.stringify(whole) };
  return {
    ...omitMembers(previous ?? {}, [...TRACE_MEMBERS, 'preview', 'verified', 'isDeleted', 'deletedAt']),
    ...recordHead(record, id, version, savedAt, author),
    ...traceMember,
    stats: statsJson(stats),
    ...(preview === null ? {} : { preview: toBase64(preview) }),
  };
}

/** Result of reading a body as a free-draw record. */
export type ReadFreeDraw =
  | {
      readonly kind: 'free-draw';
      readonly version: FreeDrawVersion;
      readonly marks: readonly FreeDrawMark[];
      /** Size of the traced picture, px; null if not stored. */
      readonly size: { readonly width: number; readonly height: number } | null;
      /** Number of marks by id of a class that no longer exists. */
      readonly unknown: ReadonlyMap<string, number>;
      readonly preserved: PreservedTraces;
      /** Holds percentages and no traces. */
      readonly isForm: boolean;
    }
  /** Claims to be free-draw but cannot be read. */
  | { readonly kind: 'broken'; readonly reason: string }
  | { readonly kind: 'other-version' }
  /** Another type of analysis: step by step. */
  | { readonly kind: 'other' };

/** Reads a record; never throws, whatever it holds. */
export function readFreeDraw(body: JsonObject): ReadFreeDraw {
  const traceMembers = TRACE_MEMBERS.filter((name) => body[name] !== undefined && body[name] !== null);
  const hasForm = isObject(body['analysis']);
  const version = recordVersion(body);
  const isOurs = version === 1 || version === 3;
  if (traceMembers.length === 0 && !hasForm && !isOurs) return { kind: 'other' };
  if (!isOurs) return { kind: 'other-version' };
  if (traceMembers.length === 0 && hasForm)
    return {
      kind: 'free-draw',
      version,
      marks: [],
      size: null,
      unknown: new Map(),
      preserved: NO_PRESERVED_TRACES,
      isForm: true,
    };
  const traces = readTraces(body);
  if (typeof traces === 'string') return { kind: 'broken', reason: traces };
  const preserved = preservedTraces(traces);
  // A deeper record could be shown but not written again.
  if (isDeep(preserved.features, MAX_JSON_DEPTH) || isDeep(preserved.zaps, MAX_JSON_DEPTH))
    return { kind: 'broken', reason: 'one of its traces is nested too deeply' };
  return { kind: 'free-draw', version, ...marksOf(traces), preserved, isForm: false };
}

export const NO_PRESERVED_TRACES: PreservedTraces = { features: [], zaps: [] };

/** Reads the traces of a record, or returns the reason why not. */
function readTraces(body: JsonObject): TraceCollection | string {
  const traces = unpackTraces(body);
  return typeof traces === 'string' || hasPlausiblePlaces(traces)
    ? traces
    : 'one of its traces has an invalid position';
}

function unpackTraces({ geobuf, geojson }: JsonObject): TraceCollection | string {
  if (typeof geobuf === 'string') return decodeTraces(geobuf);
  if (typeof geojson === 'string') return parseTraces(geojson);
  return 'it has no traces';
}

type Tool = Readonly<Record<string, TraceJson | undefined>>;

const isKnownClass = (tool: Tool): boolean =>
  tool['erase'] === true || (typeof tool['id'] === 'string' && categoryClass(tool['id']) !== undefined);

function zapsOf(traces: TraceCollection): readonly TraceJson[] {
  const zaps = traces.properties?.['zaps'];
  return Array.isArray(zaps) ? (zaps as readonly TraceJson[]) : [];
}

function preservedTraces(traces: TraceCollection): PreservedTraces {
  return {
    features: traces.features.filter(({ properties }) => !isKnownClass(properties)),
    zaps: zapsOf(traces).filter((zap) => !(isObject(zap) && isKnownClass(zap as Tool))),
  };
}

function withPreserved(traces: TraceCollection, { features, zaps }: PreservedTraces): TraceCollection {
  if (features.length === 0 && zaps.length === 0) return traces;
  return {
    ...traces,
    features: [...traces.features, ...features],
    properties: { ...traces.properties, zaps: [...zapsOf(traces), ...zaps] },
  };
}

/** Makes times strictly increasing, as records order marks by time and the clock may have changed while drawing. */
function inTimeOrder(marks: readonly FreeDrawMark[]): readonly FreeDrawMark[] {
  let last = -Infinity;
  return marks.map((mark) => {
    const since = Math.max(mark.since, last + 1);
    last = since;
    return since === mark.since ? mark : { ...mark, since };
  });
}

const IMPLIED_BY_ID = ['colour', 'label', 'path'];

function withoutImpliedMembers(traces: TraceCollection): TraceCollection {
  const bare = <Members extends object>(tool: Members): Tool =>
    Object.fromEntries(Object.entries(tool).filter(([name]) => !IMPLIED_BY_ID.includes(name))) as Tool;
  return {
    ...traces,
    features: traces.features.map((feature) => ({ ...feature, properties: bare(feature.properties) })),
    properties: {
      ...traces.properties,
      zaps: zapsOf(traces).map((zap) => (isObject(zap) ? (bare(zap) as TraceJson) : zap)),
    },
  };
}

export function statsJson({ coverage, categories }: FreeDrawStats): JsonObject {
  return {
    coverage,
    categories: categories.map(({ id, label, path, mod, coverage: share }) => ({
      id,
      label,
      path: [...path],
      ...(mod === undefined ? {} : { mod }),
      coverage: share,
    })),
  };
}
