import { z } from 'zod';
import { geoPointSchema } from '../position/geo-point';
import { regionIdSchema } from '../region/region';
import type { LogEdits } from './log';
import { TIMES_OF_DAY } from './rules';
import { EXPERIENCE_KEYS, SURVEY_TYPES } from './survey';

const reefSchema = z.object({
  id: z.string(),
  gid: z.string(),
  name: z.string(),
  kind: z.string(),
  position: geoPointSchema,
});

const editsSchema = z.object({
  date: z.string().optional(),
  timeIn: z.string().nullable().optional(),
  timeofday: z.enum(TIMES_OF_DAY).optional(),
  regionId: regionIdSchema.optional(),
  reef: z.object({ text: z.string(), picked: reefSchema.nullable() }).optional(),
  siteName: z.string().optional(),
  siteType: z.string().optional(),
  point: z.string().optional(),
  isPointConfirmed: z.boolean().optional(),
  type: z.enum(SURVEY_TYPES).optional(),
  duration: z.number().nullable().optional(),
  visibility: z.number().nullable().optional(),
  camera: z.string().optional(),
  answers: z.partialRecord(z.enum(EXPERIENCE_KEYS), z.string()).optional(),
});

/** Parses stored edits; anything invalid or from another version is ignored. */
export function readEdits(text: string | null): LogEdits {
  if (text === null) return {};
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
  const read = editsSchema.safeParse(json);
  return read.success
    ? (Object.fromEntries(Object.entries(read.data).filter(([, value]) => value !== undefined)) as LogEdits)
    : {};
}

/**
 * Merges the edits that two tabs made to one log, field by field. This tab's changes win; a removal applies only if the
 * other tab has not changed the field.
 *
 * @param before this tab's edits at its last write
 * @param now this tab's edits
 * @param stored edits of both
 */
export function mergeEdits(before: LogEdits, now: LogEdits, stored: LogEdits): LogEdits {
  const { answers: answersBefore = {}, ...fieldsBefore } = before;
  const { answers: answersNow = {}, ...fieldsNow } = now;
  const { answers: storedAnswers = {}, ...storedFields } = stored;
  const answers = mergeFields(answersBefore, answersNow, storedAnswers);
  return {
    ...mergeFields(fieldsBefore, fieldsNow, storedFields),
    ...(Object.keys(answers).length > 0 ? { answers } : {}),
  };
}

function mergeFields<T extends Readonly<Record<string, unknown>>>(before: T, now: T, stored: T): T {
  const merged: Record<string, unknown> = { ...stored };
  for (const field of new Set([...Object.keys(before), ...Object.keys(now)])) {
    if (isSame(before[field], now[field])) continue;
    if (now[field] !== undefined) merged[field] = now[field];
    else if (isSame(stored[field], before[field])) delete merged[field];
  }
  return merged as T;
}

/** Entries are plain values with members in a fixed order. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
