import { z } from 'zod';
import type { Json, JsonObject } from '../json';
import { isObject } from '../json';
import { geoPointSchema } from '../position/geo-point';
import type { GeoPoint } from '../position/geo-point';
import type { PersonId, SurveyId } from '../ids';
import type { RecordDefinition } from '../record';
import type { RegionId } from '../region/region-id';

/** Survey methods (3§3). */
export const SURVEY_TYPES = ['scuba', 'snorkel'] as const;
export type SurveyType = (typeof SURVEY_TYPES)[number];

/** Questions of the survey experience (3§3); the first item of each list is the answer. */
export const EXPERIENCE_KEYS = [
  'overall',
  'water',
  'coral',
  'colour',
  'wildlife',
  'crownOfThorns',
  'coralBleaching',
  'coralBleachingType',
  'anythingElse',
] as const;
export type ExperienceKey = (typeof EXPERIENCE_KEYS)[number];

const organisationRefSchema = z.looseObject({ handle: z.string(), name: z.string().optional() });

/** Location of a survey: a map feature by id, or a bare position. */
const surveyLocationSchema = z.looseObject({
  id: z.string().nullish(),
  regionId: z.string().nullish(),
  gid: z.string().nullish(),
  name: z.string().nullish(),
  _geoloc: geoPointSchema.nullish(),
});

/**
 * Survey record (1§3, 3§3). Only the id is required, as a document's first write may not have arrived; the rules report
 * the rest. Unknown fields are retained.
 */
export const surveySchema = z.looseObject({
  id: z.string(),
  name: z.string().nullish(),
  /** `YYYY-MM-DD`, or ISO time. */
  date: z.string().nullish(),
  since: z.string().nullish(),
  type: z.enum(SURVEY_TYPES).nullish().catch(null),
  /** `HH:MM` local time of entering the water. */
  timeIn: z.string().nullish(),
  timeofday: z.string().nullish(),
  loc: surveyLocationSchema.nullish(),
  user: z.looseObject({ uid: z.string().nullish(), org: organisationRefSchema.nullish() }).nullish(),
  site: z.looseObject({ geoloc: geoPointSchema.nullish(), type: z.string().nullish() }).nullish(),
  /** Metres. */
  visibility: z.number().nullish().catch(null),
  /** Minutes. */
  duration: z.number().nullish().catch(null),
  camera: z.string().nullish(),
  experience: z.record(z.string(), z.array(z.unknown())).nullish().catch(null),
  isDeleted: z.boolean().default(false),
  deletedAt: z.string().nullish(),
  createdAt: z.string().optional(),
  updatedAt: z.string().optional(),
  /** Server-owned: 1 to 5 (1§9). */
  priority: z.number().nullish(),
  datasets: z.array(z.string()).nullish(),
  meta: z.looseObject({ images: z.looseObject({ total: z.number().optional() }).optional() }).nullish(),
});

export const SURVEY: RecordDefinition<typeof surveySchema> = { version: 1, migrations: [], schema: surveySchema };

export interface NewSurvey {
  readonly id: SurveyId;
  /** Linked person; may be unknown aboard. */
  readonly uid: PersonId;
  readonly org?: { readonly handle: string; readonly name?: string } | null;
  readonly name: string;
  /** `YYYY-MM-DD` local date; null if not entered validly. */
  readonly date: string | null;
  /** `HH:MM`. */
  readonly timeIn?: string;
  readonly type: SurveyType | null;
  readonly location: {
    readonly id: string;
    readonly regionId: RegionId;
    readonly name: string;
    readonly gid?: string | undefined;
    readonly position?: GeoPoint | undefined;
  };
  readonly site?: { readonly position?: GeoPoint; readonly type?: string };
  /** ISO 8601 UTC with milliseconds. */
  readonly madeAt: string;
  /** Metres. */
  readonly visibility?: number;
  /** Minutes. */
  readonly duration?: number;
  readonly timeofday?: string;
  readonly camera?: string;
  readonly experience?: Partial<Record<ExperienceKey, readonly Json[]>>;
}

/** Body of a survey's first operation, without `undefined` and without server-owned fields. */
export function newSurvey(given: NewSurvey): JsonObject & { readonly id: SurveyId } {
  const { location, site } = given;
  return {
    id: given.id,
    name: given.name,
    date: given.date,
    ...(given.timeIn === undefined ? {} : { timeIn: given.timeIn }),
    since: given.madeAt,
    type: given.type,
    loc: {
      id: location.id,
      regionId: location.regionId,
      name: location.name,
      ...(location.gid === undefined ? {} : { gid: location.gid }),
      ...(location.position === undefined ? {} : { _geoloc: pointJson(location.position) }),
    },
    user: {
      uid: given.uid,
      org: given.org
        ? { handle: given.org.handle, ...(given.org.name === undefined ? {} : { name: given.org.name }) }
        : null,
    },
    isDeleted: false,
    ...(site === undefined
      ? {}
      : {
          site: {
            ...(site.position === undefined ? {} : { geoloc: pointJson(site.position) }),
            ...(site.type === undefined ? {} : { type: site.type }),
          },
        }),
    ...(given.visibility === undefined ? {} : { visibility: given.visibility }),
    ...(given.duration === undefined ? {} : { duration: given.duration }),
    ...(given.timeofday === undefined ? {} : { timeofday: given.timeofday }),
    ...(given.camera === undefined ? {} : { camera: given.camera }),
    ...(given.experience === undefined ? {} : { experience: given.experience as JsonObject }),
  };
}

/** Entry point of the divers as a person set it; undefined if none is valid. */
export function divePosition({ site }: JsonObject): GeoPoint | undefined {
  return geoPointSchema.safeParse(isObject(site) ? site['geoloc'] : undefined).data;
}

/** Position of a survey as folded: its reef's, else its site's; undefined if neither is valid. */
export function surveyPosition(survey: JsonObject): GeoPoint | undefined {
  const { loc, site } = survey;
  const points = [isObject(loc) ? loc['_geoloc'] : undefined, isObject(site) ? site['geoloc'] : undefined];
  return points.map((point) => geoPointSchema.safeParse(point)).find(({ success }) => success)?.data;
}

function pointJson({ latitude, longitude }: GeoPoint): JsonObject {
  return { latitude, longitude };
}
