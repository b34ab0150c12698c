import { toBase64 } from '../../base64';
import { encodeGeobuf } from '../../geobuf/encode';
import type { Json as TraceJson, TraceCollection, TraceFeature } from '../../geobuf/geojson';
import type { AnalysisId } from '../../ids';
import type { Json, JsonObject } from '../../json';
import { isObject } from '../../json';
import type { RecordAuthor, RecordPicture } from '../record-head';
import { omitMembers, recordHead, recordVersion } from '../record-head';
import { decodeTraces } from '../record-traces';
import type { LabelLogs, LabelMark, LabelSession, LabelStepId } from './label-marks';
import { LABEL_STEPS } from './label-marks';
import { BAD_IMAGE_LABEL, labelOptionOf } from './label-sets';
import type { LabelCover } from './label-stats';
import { labelStats, readSessions, statsJson } from './label-stats';
import type { LabelVersion } from './label-versions';
import { isLabelVersion, labelVersion, stepOf } from './label-versions';
import type { Labelling } from './labelling';
import { outlineLabels, savedOutlines } from './labelling';
import type { OutlineSet } from './outline';
import { outlineFeature, readOutlines } from './outline-collection';

/** Author of a labelling (2§3 "user {uid, name, domain, isExpert, loc {id, value, _geoloc}}"). */
export interface LabelAuthor extends RecordAuthor {
  /** Host or domain that the person belongs to; null if unknown. */
  readonly domain: string | null;
  readonly loc: JsonObject | null;
}

export interface NewLabelRecord extends RecordPicture {
  readonly id: AnalysisId;
  /** ISO 8601. */
  readonly savedAt: string;
  readonly author: LabelAuthor;
  /** Outlines as they were opened, for their source, model and size. */
  readonly set: OutlineSet;
  readonly state: Labelling;
  readonly logs: LabelLogs;
  readonly cover: LabelCover;
  readonly sessions: readonly LabelSession[];
  /** Handles of the route's event and of linked ones; dropped for experts (2§3). */
  readonly eventTags: readonly string[];
  /** Small WebP or JPEG. */
  readonly preview: Uint8Array | null;
  /** Replaced record: members unknown to this app are retained. */
  readonly previous: JsonObject | null;
}

/** Members of their own for the answers of some questions; the others are in `otherAnswers` (2§3). */
const ANSWER_MEMBERS: { readonly [Step in LabelStepId]?: string } = {
  dominant: 'dominateOption',
  coralLevel: 'coralCover',
  softCoral: 'softcoral',
};
const GEOBUF = 'geobuf_string';
const REPLACED = [...Object.values(ANSWER_MEMBERS), GEOBUF, 'preview', 'verified', 'isDeleted', 'deletedAt'];

/** Compact form for labellings that would be too large. Readers get the same labels. */
interface LabelEncoding {
  /** Omits the tool members that the id implies: colour, label, path. */
  readonly isLean?: boolean;
}

/** Body of a step-by-step analysis (2§3 "Analysis document, ML step-by-step"). */
export function labelRecordBody(record: NewLabelRecord, { isLean = false }: LabelEncoding = {}): JsonObject {
  const { id, savedAt, author, state, sessions, cover, preview, previous } = record;
  const own: Record<string, string> = {};
  const other: Record<string, string> = {};
  for (const [step, answer] of state.answers) {
    const member = ANSWER_MEMBERS[step];
    if (member === undefined) other[step] = answer;
    else own[member] = answer;
  }
  const labelled = savedOutlines(state).map((outline) => ({
    predicted: outline.predicted?.id ?? outline.id,
    labels: Object.fromEntries(outlineLabels(state, outline.id)),
  }));
  const head = recordHead(record, id, state.version.version, savedAt, author);
  return {
    ...omitMembers(previous ?? {}, REPLACED),
    ...head,
    user: {
      ...(head['user'] as JsonObject),
      isExpert: author.isExpert,
      ...(author.domain === null ? {} : { domain: author.domain }),
      ...(author.loc === null ? {} : { loc: author.loc }),
    },
    stats: statsJson(labelStats(state, cover, sessions)),
    otherAnswers: { ...unknownAnswers(previous), ...other, polygon_labels: labelled },
    ...own,
    eventTags: author.isExpert ? [] : [...record.eventTags],
    [GEOBUF]: toBase64(encodeGeobuf(collectionOf(record, isLean))),
    ...(preview === null ? {} : { preview: toBase64(preview) }),
  };
}

/** Answers of a replaced record to questions that this app does not have. */
function unknownAnswers(previous: JsonObject | null): JsonObject {
  const earlier = previous?.['otherAnswers'];
  return isObject(earlier) ? omitMembers(earlier as JsonObject, [...LABEL_STEPS, 'polygon_labels']) : {};
}

/** Time of the last mark of each outline, and of the others. */
function timesOf(logs: LabelLogs): { readonly outlines: ReadonlyMap<string, number>; readonly zap: number } {
  const outlines = new Map<string, number>();
  let zap = 0;
  for (const mark of logs.labels?.marks ?? []) {
    if (mark.kind === 'label' || mark.kind === 'draw') outlines.set(mark.outline, mark.since);
    else if (mark.kind === 'zap' || mark.kind === 'bad') zap = mark.since;
  }
  return { outlines, zap };
}

type Members = { readonly [key: string]: Json };

function toolOf({ steps: [step] }: LabelVersion, label: string, since: number, isLean: boolean): Members {
  const option = labelOptionOf(step.set, label);
  if (isLean || option === undefined) return { id: label, since };
  const { colour } = option;
  return {
    id: label,
    label: option.label,
    path: [...option.path],
    colour: typeof colour === 'string' ? colour : [...colour],
    since,
  };
}

/** Corners of the picture: the shape of a whole-image fill. */
const WHOLE_PICTURE = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
  [0, 0],
] as const;

function collectionOf({ savedAt, image, survey, set, state, logs }: NewLabelRecord, isLean: boolean): TraceCollection {
  const { version, zap } = state;
  const times = timesOf(logs);
  const features = savedOutlines(state).map((outline): TraceFeature => {
    const label = state.labels.get(outline.id);
    return outlineFeature(outline, {
      tool: label === undefined ? null : toolOf(version, label, times.outlines.get(outline.id) ?? times.zap, isLean),
      labels: Object.fromEntries(outlineLabels(state, outline.id)),
      zap: false,
    });
  });
  // A flag fills the whole image, also one without outlines.
  const zaps: TraceJson[] = state.isBad ? [toolOf(version, BAD_IMAGE_LABEL, times.zap, isLean)] : [];
  if (zap !== null) {
    const tool = toolOf(version, zap, times.zap, isLean);
    zaps.push(tool);
    features.push({
      type: 'Feature',
      geometry: { type: 'Polygon', coordinates: [WHOLE_PICTURE] },
      properties: { tool, labels: { labels: zap }, zap: true, predicted: null },
    });
  }
  const { source, model, width, height } = set;
  return {
    type: 'FeatureCollection',
    features,
    properties: {
      saved: Date.parse(savedAt),
      image: image.id,
      survey: { id: survey.id, name: survey.name, ...(survey.regionId === null ? {} : { regionId: survey.regionId }) },
      width,
      height,
      zaps,
      source,
      model,
    },
  };
}

/** Result of reading a body as a step-by-step record. */
export type ReadLabelRecord =
  | {
      readonly kind: 'labels';
      readonly version: LabelVersion;
      /** Outlines of the record: later ones never replace them. */
      readonly set: OutlineSet;
      /** Logs that give the stored labelling; each label can be undone. */
      readonly logs: LabelLogs;
      readonly sessions: readonly LabelSession[];
      /** Number of hidden labels and answers by id that this version does not have. */
      readonly unknown: ReadonlyMap<string, number>;
    }
  /** Claims to be a labelling but cannot be read. */
  | { readonly kind: 'broken'; readonly reason: string }
  | { readonly kind: 'other-version' }
  /** Another type of analysis. */
  | { readonly kind: 'other' };

/** Reads a record; never throws, whatever it holds. */
export function readLabelRecord(body: JsonObject): ReadLabelRecord {
  const text = body[GEOBUF];
  const number = recordVersion(body);
  const isOurs = isLabelVersion(number);
  if (!isOurs && text === undefined) return { kind: 'other' };
  if (!isOurs) return { kind: 'other-version' };
  if (typeof text !== 'string') return { kind: 'broken', reason: 'it has no outlines' };
  const traces = decodeTraces(text);
  if (typeof traces === 'string') return { kind: 'broken', reason: traces };
  const outlined = traces.features.filter(({ properties }) => properties['zap'] !== true);
  const read = readOutlines({ ...traces, properties: withSource(traces.properties), features: outlined });
  if (read.kind === 'broken') return read;
  const version = labelVersion(number);
  const labels = outlined.flatMap(({ properties }, index): StoredLabel[] => {
    const outline = read.ids.get(index);
    const label = labelOf(properties);
    return outline === undefined || label === null ? [] : [{ outline, label, since: sinceOf(properties['tool']) }];
  });
  return {
    kind: 'labels',
    version,
    set: read.set,
    ...logsOf(body, version, labels, zapOf(traces)),
    sessions: readSessions(body),
  };
}

interface StoredLabel {
  readonly outline: string;
  readonly label: string;
  readonly since: number;
}

/** Records of other makers have no source: their outlines are the model's. */
const withSource = (properties: TraceCollection['properties']): { readonly [key: string]: unknown } => ({
  ...properties,
  source: properties?.['source'] === 'segmentation' ? 'segmentation' : 'model',
});

function logsOf(
  body: JsonObject,
  version: LabelVersion,
  labels: readonly StoredLabel[],
  zap: Omit<StoredLabel, 'outline'> | null,
): { readonly logs: LabelLogs; readonly unknown: ReadonlyMap<string, number> } {
  const unknown = new Map<string, number>();
  const isKnown = (step: LabelStepId, label: string): boolean => {
    const found = stepOf(version, step);
    if (found !== undefined && labelOptionOf(found.set, label) !== undefined) return true;
    unknown.set(label, (unknown.get(label) ?? 0) + 1);
    return false;
  };
  const marks: LabelMark[] = labels
    .filter(({ label }) => isKnown('labels', label))
    .map((stored) => ({ kind: 'label', ...stored }));
  if (zap !== null && isKnown('labels', zap.label)) marks.push({ kind: 'zap', ...zap });
  marks.sort((a, b) => a.since - b.since);
  // Every outline of a flagged image has the label of the flag: one mark that one Undo takes back.
  const flag = marks.find((mark) => mark.kind !== 'erase' && mark.kind !== 'draw' && mark.label === BAD_IMAGE_LABEL);
  const logs: { [Step in LabelStepId]?: LabelLogs[Step] } = {
    labels: {
      marks: flag === undefined ? marks : [{ kind: 'bad', since: flag.since, label: BAD_IMAGE_LABEL }],
      undone: [],
    },
  };
  for (const { id, kind } of version.steps) {
    const answer = kind === 'question' ? answerOf(body, id) : null;
    if (answer !== null && isKnown(id, answer))
      logs[id] = { marks: [{ kind: 'answer', since: 0, label: answer }], undone: [] };
  }
  return { logs, unknown };
}

/** Label of an outline: that of the first step, or the id of its tool in records of other makers. */
function labelOf({ labels, tool }: TraceFeature['properties']): string | null {
  const label = isObject(labels) ? labels['labels'] : undefined;
  if (typeof label === 'string') return label;
  return isObject(tool) && typeof tool['id'] === 'string' ? tool['id'] : null;
}

/** Largest valid time, ms from 1970. */
const SINCE_MAX = 8.64e15;

function sinceOf(tool: unknown): number {
  const since = isObject(tool) ? tool['since'] : undefined;
  return typeof since === 'number' && Math.abs(since) <= SINCE_MAX ? since : 0;
}

/** First whole-image fill: in the list of the collection, or a feature with the flag. */
function zapOf({ properties, features }: TraceCollection): Omit<StoredLabel, 'outline'> | null {
  const zaps = properties?.['zaps'];
  const tools: readonly unknown[] = [
    ...(Array.isArray(zaps) ? (zaps as unknown[]) : []),
    ...features.filter((feature) => feature.properties['zap'] === true).map((feature) => feature.properties['tool']),
  ];
  const tool = tools.find((each) => isObject(each) && typeof each['id'] === 'string');
  return isObject(tool) && typeof tool['id'] === 'string' ? { label: tool['id'], since: sinceOf(tool) } : null;
}

function answerOf(body: JsonObject, step: LabelStepId): string | null {
  const member = ANSWER_MEMBERS[step];
  const { otherAnswers } = body;
  const answer = member === undefined ? (isObject(otherAnswers) ? otherAnswers[step] : undefined) : body[member];
  return typeof answer === 'string' ? answer : null;
}
