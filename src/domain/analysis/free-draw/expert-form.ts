import { ANALYSIS_LIMITS } from '../../limits';
import type { AnalysisId } from '../../ids';
import type { JsonObject } from '../../json';
import { isObject } from '../../json';
import type { FreeDrawStats } from './stats';
import type { RecordAuthor, RecordPicture } from '../record-head';
import { recordHead, omitMembers } from '../record-head';

/** Expert entries (2§3): percentages 0 to 100 by `<category id>-live` and `<category id>-dead`. */
export interface FormFields {
  readonly percent: Readonly<Record<string, number>>;
  readonly dominantCoral: string;
  readonly isBadImage: boolean;
}

const DOMINANT_KEY = 'dominant-coral';
const BAD_IMAGE_KEY = 'bad-image';
const PERCENT_NAME = /^.{1,100}-(live|dead)$/;
/** Longest dominant coral, UTF-16 code units. */
const DOMINANT_MAX = 2000;

interface NewExpertForm extends RecordPicture {
  readonly id: AnalysisId;
  /** ISO 8601. */
  readonly savedAt: string;
  readonly author: RecordAuthor;
  readonly form: FormFields;
  /** Replaced record: its traces and unknown map members are retained. */
  readonly previous: JsonObject | null;
}

/**
 * Builds the body of an expert's percentages: a version-3 record with its analysis map.
 *
 * @throws RangeError for an invalid percentage or category name
 */
export function expertFormBody(record: NewExpertForm): JsonObject {
  const { id, savedAt, author, form, previous } = record;
  const map: Record<string, number | string | boolean> = {};
  for (const [name, value] of Object.entries(form.percent)) {
    if (!PERCENT_NAME.test(name) || !(value >= 0 && value <= 100))
      throw new RangeError(`${name}: ${value} is not a valid percentage of a category.`);
    map[name] = value;
  }
  const earlier = isObject(previous?.['analysis']) ? (previous['analysis'] as JsonObject) : {};
  const unknownMembers = omitMembers(
    earlier,
    Object.keys(earlier).filter((name) => PERCENT_NAME.test(name)),
  );
  return {
    ...omitMembers(previous ?? {}, ['verified', 'isDeleted', 'deletedAt']),
    ...recordHead(record, id, ANALYSIS_LIMITS.freeDrawVersion, savedAt, author),
    analysis: {
      ...unknownMembers,
      ...map,
      [DOMINANT_KEY]: form.dominantCoral.slice(0, DOMINANT_MAX).toWellFormed(),
      [BAD_IMAGE_KEY]: form.isBadImage,
    },
  };
}

/** Reads the form of a record; null if absent. Invalid percentages are skipped. */
export function readExpertForm(body: JsonObject): FormFields | null {
  const map = body['analysis'];
  if (!isObject(map)) return null;
  const percent = Object.fromEntries(
    Object.entries(map).filter(
      (entry): entry is [string, number] =>
        PERCENT_NAME.test(entry[0]) && typeof entry[1] === 'number' && entry[1] >= 0 && entry[1] <= 100,
    ),
  );
  const dominant = map[DOMINANT_KEY];
  return {
    percent,
    dominantCoral: typeof dominant === 'string' ? dominant : '',
    isBadImage: map[BAD_IMAGE_KEY] === true,
  };
}

/** Reads the stats stored in a record; null if absent or unreadable. */
export function readStats(body: JsonObject): FreeDrawStats | null {
  const { stats } = body;
  if (!isObject(stats) || typeof stats['coverage'] !== 'number' || !Array.isArray(stats['categories'])) return null;
  const categories = (stats['categories'] as unknown[]).flatMap((each): FreeDrawStats['categories'] => {
    if (!isObject(each) || typeof each['id'] !== 'string' || typeof each['coverage'] !== 'number') return [];
    const { id, label, path, mod, coverage } = each;
    return [
      {
        id,
        label: typeof label === 'string' ? label : id,
        path: Array.isArray(path) ? (path as unknown[]).filter((part) => typeof part === 'string') : [],
        ...(typeof mod === 'string' ? { mod } : {}),
        coverage,
      },
    ];
  });
  return { coverage: stats['coverage'], categories };
}
