import { z } from 'zod';
import { geoPointSchema } from '../geo';
import { regionIdSchema } from '../region/region';
import type { LogEdits } from './log';
import { TIMES_OF_DAY } from './rules';
import { EXPERIENCE_KEYS, SURVEY_TYPES } from './survey';

const reefSchema = z.object({ id: z.string(), gid: z.string(), name: z.string(), kind: z.string(), position: geoPointSchema });

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

/** Edits as they were kept as text through a reload or a kill; what is none of ours, or of another version, is left. */
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
  return read.success ? (Object.fromEntries(Object.entries(read.data).filter(([, value]) => value !== undefined)) as LogEdits) : {};
}
