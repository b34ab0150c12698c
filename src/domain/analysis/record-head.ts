import type { AnalysisId, ImageId, PersonId, SurveyId } from '../ids';
import type { Json, JsonObject } from '../json';

/** Author of a record; what is not known is left out. */
export interface RecordAuthor {
  readonly uid: PersonId;
  readonly name: { readonly first: string; readonly last: string };
  readonly isExpert: boolean;
  readonly isVerified: boolean;
}

/** Image and survey of a record. */
export interface RecordPicture {
  readonly image: {
    readonly id: ImageId;
    /** `token/url` of the image cache. */ readonly path: string | null;
    /** Photographer. */ readonly user: JsonObject | null;
  };
  readonly survey: { readonly id: SurveyId; readonly name: string; readonly regionId: string | null };
}

/** Common first members of every record. */
export function recordHead(
  { image, survey }: RecordPicture,
  id: AnalysisId,
  version: number,
  updated: string,
  { uid, name, isExpert, isVerified }: RecordAuthor,
): JsonObject {
  return {
    id,
    version,
    updated,
    image: {
      id: image.id,
      ...(image.path === null ? {} : { path: image.path }),
      ...(image.user === null ? {} : { user: image.user }),
    },
    survey: { id: survey.id, name: survey.name, ...(survey.regionId === null ? {} : { regionId: survey.regionId }) },
    sync: 0,
    user: { uid, name: { first: name.first, last: name.last }, ...(isExpert ? { isExpert: true } : {}) },
    ...(isVerified ? { verified: true } : {}),
  };
}

/** Version of a record of any type; NaN if absent. */
export function recordVersion({ version }: JsonObject): number {
  return typeof version === 'number' || typeof version === 'string' ? Number(version) : NaN;
}

/** Copy without the named members. */
export function omitMembers(body: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name))) as {
    readonly [key: string]: Json;
  };
}
