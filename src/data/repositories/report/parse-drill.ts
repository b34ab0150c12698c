import { readExpertForm, readStats } from '../../../domain/analysis/free-draw/expert-form';
import { recordVersion } from '../../../domain/analysis/record-head';
import type { Json, JsonObject } from '../../../domain/json';
import { isObject } from '../../../domain/json';
import type { CoverClass, CoverShares } from '../../../domain/results/cover';
import { COVER_CLASSES } from '../../../domain/results/cover';
import { textOr } from '../repository-context';
import { contentOf } from '../analysis/viewed-analysis';
import type {
  AnalystOfPhotograph,
  AnswerOfPhotograph,
  ConsensusOfPhotograph,
  DoubtfulPlace,
  SharePhotograph,
} from './drill-types';
import { parseReportImage } from './report-surveys';

/** Photograph of a share; null for an item that is not one. */
export function parseSharePhotograph(value: unknown): SharePhotograph | null {
  if (!isObject(value)) return null;
  const item = value as JsonObject;
  const image = parseReportImage(item);
  const share = fractionOf(item['share']);
  if (image === null || share === null) return null;
  const survey = isObject(item['survey']) ? (item['survey'] as JsonObject) : {};
  return { image, surveyName: textOr(survey['name'], ''), share };
}

/** Consensus of a photograph; null for an item that is not one. Places and analysts that are not valid are left out. */
export function parseConsensus(value: unknown): ConsensusOfPhotograph | null {
  if (!isObject(value)) return null;
  const item = value as JsonObject;
  const imageId = textOr(item['imageId'], '');
  const shares = sharesOf(item['shares']);
  const agreement = fractionOf(item['agreement']);
  const { skill } = item;
  if (imageId === '' || shares === null || agreement === null || typeof skill !== 'number') return null;
  return {
    imageId,
    skill,
    shares,
    agreement,
    isBad: item['isBad'] === true,
    places: listOf(item['places']).flatMap((place) => parsePlace(place) ?? []),
    analysts: listOf(item['analysts']).flatMap((analyst) => parseAnalyst(analyst) ?? []),
  };
}

/** Answer of an analyst; null for an item that is not one. A record that cannot be read is an answer that says so. */
export function parseAnswer(value: unknown): AnswerOfPhotograph | null {
  if (!isObject(value)) return null;
  const item = value as JsonObject;
  const [imageId, answerId] = [textOr(item['imageId'], ''), textOr(item['answerId'], '')];
  const analyst = parseAnalyst(item);
  const { record, hidden } = item;
  if (imageId === '' || answerId === '' || analyst === null || !isObject(record)) return null;
  const body = record as JsonObject;
  const version = recordVersion(body);
  const content = contentOf(body);
  const stats = isObject(body['stats']) ? body['stats'] : {};
  return {
    ...analyst,
    imageId,
    answerId,
    version: Number.isFinite(version) ? version : null,
    coverage: fractionOf(stats['coverage']),
    content: 'unknown' in content && typeof hidden === 'number' ? { ...content, unknown: hidden } : content,
    form: readExpertForm(body),
    storedShares: content.kind === 'broken' ? (readStats(body)?.categories ?? null) : null,
  };
}

function parsePlace(place: JsonObject): DoubtfulPlace | null {
  const posterior = sharesOf(place['posterior']);
  const box = Array.isArray(place['box']) ? place['box'].map((side) => fractionOf(side) ?? NaN) : [];
  const [left = NaN, top = NaN, right = NaN, bottom = NaN] = box;
  if (posterior === null || !(right > left && bottom > top)) return null;
  return {
    id: textOr(place['id'], ''),
    box: [left, top, right, bottom],
    posterior,
    answers: listOf(place['answers']).flatMap((answer) => {
      const analyst = textOr(answer['analyst'], '');
      return analyst === '' ? [] : [{ analyst, cover: classOf(answer['cover']) }];
    }),
  };
}

function parseAnalyst(item: JsonObject): AnalystOfPhotograph | null {
  const analyst = textOr(item['analyst'], '');
  if (analyst === '') return null;
  const name = isObject(item['name']) ? (item['name'] as JsonObject) : {};
  const full = [name['first'], name['last']].filter((part) => typeof part === 'string' && part !== '').join(' ');
  return {
    analyst,
    name: full === '' ? null : full,
    unread: textOr(item['unread'], null),
    answerId: textOr(item['answerId'], null),
  };
}

function sharesOf(value: Json | undefined): CoverShares | null {
  if (!isObject(value)) return null;
  const shares: [CoverClass, number][] = [];
  for (const name of COVER_CLASSES) {
    const share = fractionOf(value[name]);
    if (share === null) return null;
    shares.push([name, share]);
  }
  return Object.fromEntries(shares) as Record<CoverClass, number>;
}

const listOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter((each): each is JsonObject => isObject(each)) : [];

const classOf = (value: unknown): CoverClass | null => COVER_CLASSES.find((name) => name === value) ?? null;

/** Tolerance of sums that were added up in floating point. */
const ROUNDING = 1e-6;

function fractionOf(value: unknown): number | null {
  if (typeof value !== 'number' || !(value >= -ROUNDING && value <= 1 + ROUNDING)) return null;
  return Math.min(1, Math.max(0, value));
}
