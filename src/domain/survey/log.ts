import type { GeoPoint } from '../position/geo-point';
import { geoPointSchema } from '../position/geo-point';
import { isObject, type Json, type JsonObject } from '../json';
import { SURVEY_LIMITS } from '../limits/survey';
import { VALIDATION_MESSAGES } from '../messages';
import { parsePosition } from '../position/parse-position';
import type { Reef } from '../reef/reef';
import { reefLabel } from '../reef/reef-label';
import { isRegionId, type RegionId } from '../region/region-id';
import type { Region } from '../region/region';
import { REGION_LIST } from '../region/regions';
import { formatDay } from './day';
import { experienceAnswers, withAnswers } from './experience';
import { enteredDateFault, timeOfDay, TIMES_OF_DAY, type TimeOfDay } from './rules';
import { SURVEY_TYPES, type ExperienceKey, type SurveyType } from './survey';

/** Site types, stored as these texts. Ours: the specification names only the field. */
export const SITE_TYPES = [
  'Front reef',
  'Back reef',
  'Reef crest',
  'Reef slope',
  'Reef flat',
  'Lagoon',
  'Channel',
  'Bommie',
  'Wall',
  'Fringing reef',
  'Not sure',
] as const;

/** Reef entry: picked from the table, or free text. */
export interface ReefEntry {
  readonly text: string;
  readonly picked: Reef | null;
}

/** Log of a survey (3§3); invalid values are treated as absent. */
export interface LogValues {
  readonly date: string;
  readonly timeIn: string | null;
  readonly timeofday: TimeOfDay | null;
  readonly regionId: RegionId | null;
  readonly reefId: string;
  readonly reef: string;
  readonly siteName: string;
  readonly siteType: string | null;
  /** Entry point of the divers. */
  readonly point: GeoPoint | null;
  /** A person confirmed the point outside the region. */
  readonly isPointConfirmed: boolean;
  readonly type: SurveyType | null;
  /** Minutes. */
  readonly duration: number | null;
  /** Metres. */
  readonly visibility: number | null;
  readonly camera: string;
  readonly answers: Readonly<Partial<Record<ExperienceKey, string>>>;
}

/** Unsaved entries by field, as entered. JSON, so that they survive a kill. */
export interface LogEdits {
  readonly date?: string;
  readonly timeIn?: string | null;
  readonly timeofday?: TimeOfDay;
  readonly regionId?: RegionId;
  readonly reef?: ReefEntry;
  readonly siteName?: string;
  readonly siteType?: string;
  /** Text as typed; empty removes the point. */
  readonly point?: string;
  readonly isPointConfirmed?: boolean;
  readonly type?: SurveyType;
  readonly duration?: number | null;
  readonly visibility?: number | null;
  readonly camera?: string;
  readonly answers?: Readonly<Partial<Record<ExperienceKey, string>>>;
}
export type LogField = keyof LogEdits;

export function logOf(doc: JsonObject): LogValues {
  const loc = isObject(doc['loc']) ? doc['loc'] : {};
  const site = isObject(doc['site']) ? doc['site'] : {};
  const name = textOrEmpty(loc['name']);
  const gid = textOrEmpty(loc['gid']);
  return {
    date: textOrEmpty(doc['date']).slice(0, 10),
    timeIn: textOrEmpty(doc['timeIn']) || null,
    timeofday: TIMES_OF_DAY.find((band) => band === doc['timeofday']) ?? null,
    regionId: isRegionId(loc['regionId']) ? loc['regionId'] : null,
    reefId: textOrEmpty(loc['id']),
    reef: gid === '' ? name : reefLabel({ id: textOrEmpty(loc['id']), gid, name, kind: '' }),
    siteName: textOrEmpty(site['name']),
    siteType: textOrEmpty(site['type']) || null,
    point: pointOf(site['geoloc']),
    isPointConfirmed: site['outsideRegion'] === 'confirmed',
    type: SURVEY_TYPES.find((type) => type === doc['type']) ?? null,
    duration: numberOrNull(doc['duration']),
    visibility: numberOrNull(doc['visibility']),
    camera: textOrEmpty(doc['camera']),
    answers: experienceAnswers(doc['experience']),
  };
}

/** Edits split into valid ones and faults with plain messages. */
export interface CheckedEdits {
  readonly valid: LogEdits;
  readonly faults: Readonly<Partial<Record<LogField, string>>>;
}

/**
 * @param today by this tablet's clock, `YYYY-MM-DD`
 * @param regions with what staff changed
 */
export function checkEdits(
  edits: LogEdits,
  today: string,
  regions: readonly OpenOrClosed[] = REGION_LIST,
): CheckedEdits {
  const faults = Object.fromEntries(
    Object.keys(edits).flatMap((field) => {
      const words = editFaultText(field as LogField, edits, today, regions);
      return words === undefined ? [] : [[field, words]];
    }),
  ) as CheckedEdits['faults'];
  const valid = Object.fromEntries(
    Object.entries(edits).filter(([field]) => !Object.hasOwn(faults, field)),
  ) as LogEdits;
  return { valid, faults };
}

function editFaultText(
  field: LogField,
  edits: LogEdits,
  today: string,
  regions: readonly OpenOrClosed[],
): string | undefined {
  switch (field) {
    case 'date':
      return edits.date === undefined ? undefined : dateFaultText(edits.date, today);
    case 'timeIn':
      return edits.timeIn === null || edits.timeIn === undefined || hourOf(edits.timeIn) !== undefined
        ? undefined
        : 'This is not a valid time. Enter hours and minutes, such as 09:40.';
    case 'regionId':
      return closedRegionText(regions.find(({ regionId }) => regionId === edits.regionId));
    case 'reef':
      return edits.reef?.text.trim() === '' ? 'Enter a reef, a site or a mooring.' : undefined;
    case 'point': {
      const read = parsePosition(edits.point ?? '');
      return read.ok || read.fault === 'empty' ? undefined : read.text;
    }
    case 'duration':
      return isWithin(edits.duration, 1, SURVEY_LIMITS.durationMax)
        ? undefined
        : `Enter minutes from 1 to ${SURVEY_LIMITS.durationMax.toLocaleString('en')}.`;
    case 'visibility':
      return isWithin(edits.visibility, 0, SURVEY_LIMITS.visibilityMax)
        ? undefined
        : `Enter metres from 0 to ${SURVEY_LIMITS.visibilityMax}.`;
    default:
      return undefined;
  }
}

function dateFaultText(date: string, today: string): string | undefined {
  if (date === '') return 'Enter the day of the dive.';
  switch (enteredDateFault(date, today)) {
    case 'future':
      return VALIDATION_MESSAGES.surveyDateInFuture(formatDay(today));
    case 'too-early':
      return VALIDATION_MESSAGES.surveyDateTooEarly;
    case 'invalid':
      return VALIDATION_MESSAGES.surveyDateInvalid;
    case undefined:
      return undefined;
  }
}

type OpenOrClosed = Pick<Region, 'regionId' | 'regionName' | 'isSurveyOpen'>;

/** 1§6: message if a region takes no surveys now, else undefined. */
export function closedRegionText(region: OpenOrClosed | undefined): string | undefined {
  return region?.isSurveyOpen === false ? `${region.regionName} is not open for surveys now.` : undefined;
}

/**
 * Changed fields of a document after edits, for one operation. Other fields and unknown members are retained.
 *
 * @param edits that {@link checkEdits} found valid
 */
export function changesOf(doc: JsonObject, edits: LogEdits): JsonObject {
  const now = logOf(doc);
  const changes: Record<string, Json> = {};
  if (edits.date !== undefined) changes['date'] = edits.date;
  if (edits.timeIn !== undefined) changes['timeIn'] = edits.timeIn;
  const band = bandAfter(now, edits);
  if (band !== undefined) changes['timeofday'] = band;
  if (edits.type !== undefined) changes['type'] = edits.type;
  if (edits.duration !== undefined) changes['duration'] = edits.duration;
  if (edits.visibility !== undefined) changes['visibility'] = edits.visibility;
  if (edits.camera !== undefined) changes['camera'] = singleLine(edits.camera);
  if (edits.answers !== undefined) changes['experience'] = withAnswers(doc['experience'], cleanAnswers(edits.answers));
  if (edits.reef !== undefined || edits.regionId !== undefined) Object.assign(changes, placeAfter(doc, now, edits));
  if (
    edits.siteName !== undefined ||
    edits.siteType !== undefined ||
    edits.point !== undefined ||
    edits.isPointConfirmed !== undefined
  )
    changes['site'] = siteAfter(doc['site'], edits);
  return Object.fromEntries(
    Object.entries(changes).filter(([field, value]) => !(isEmpty(value) && isEmpty(doc[field]))),
  );
}

/** 3§9: the band follows the time until a person chooses another. */
function bandAfter(now: LogValues, edits: LogEdits): TimeOfDay | null | undefined {
  if (edits.timeofday !== undefined) return edits.timeofday;
  if (edits.timeIn === undefined) return undefined;
  const isOwnChoice = now.timeofday !== null && now.timeofday !== bandOf(now.timeIn);
  return isOwnChoice ? undefined : (bandOf(edits.timeIn) ?? null);
}

export function bandOf(time: string | null): TimeOfDay | undefined {
  const hour = time === null ? undefined : hourOf(time);
  return hour === undefined ? undefined : timeOfDay(hour);
}

/** Location for `loc`. A reef is identified by its feature id, free text by the text. */
export function locationOf(
  { text: words, picked }: ReefEntry,
  regionId: RegionId,
): {
  readonly id: string;
  readonly regionId: RegionId;
  readonly name: string;
  readonly gid?: string;
  readonly position?: GeoPoint;
} {
  if (picked === null) return { id: namedPlaceId(words), regionId, name: singleLine(words) };
  const name = picked.name === '' ? reefLabel(picked) : picked.name;
  return {
    id: picked.id,
    regionId,
    name,
    ...(picked.gid === '' || picked.name === '' ? {} : { gid: picked.gid }),
    position: picked.position,
  };
}

/** Id of a named place: equal texts share one id, distinct from all map features. */
export function namedPlaceId(words: string): string {
  return `named:${singleLine(words).toLocaleLowerCase('en').normalize('NFC')}`;
}

function placeAfter(doc: JsonObject, now: LogValues, edits: LogEdits): JsonObject {
  const before = isObject(doc['loc']) ? doc['loc'] : {};
  const regionId = edits.regionId ?? now.regionId;
  const { id: _id, gid: _gid, name: _name, _geoloc, regionId: _region, ...others } = before;
  // A reef of another region is not in this table; its name remains as text.
  const entry = edits.reef ?? { text: now.reef, picked: null };
  if (edits.reef === undefined && regionId === now.regionId) return {};
  const { position, ...place } = locationOf(entry, regionId ?? 'gbr');
  const label = entry.picked === null ? singleLine(entry.text) : reefLabel(entry.picked);
  const loc: JsonObject = {
    ...others,
    ...place,
    regionId,
    ...(position === undefined ? {} : { _geoloc: { latitude: position.latitude, longitude: position.longitude } }),
  };
  const name = textOrEmpty(doc['name']);
  return { loc, ...(name === '' || name === now.reef || name === textOrEmpty(before['name']) ? { name: label } : {}) };
}

function siteAfter(site: Json | undefined, edits: LogEdits): JsonObject {
  const next: Record<string, Json> = isObject(site) ? { ...site } : {};
  if (edits.siteName !== undefined) next['name'] = singleLine(edits.siteName);
  if (edits.siteType !== undefined) next['type'] = edits.siteType;
  if (edits.point !== undefined) {
    const read = parsePosition(edits.point);
    next['geoloc'] = read.ok ? { latitude: read.point.latitude, longitude: read.point.longitude } : null;
    delete next['outsideRegion'];
  }
  if (edits.isPointConfirmed === true) next['outsideRegion'] = 'confirmed';
  return Object.fromEntries(Object.entries(next).filter(([, value]) => !isEmpty(value)));
}

function cleanAnswers(answers: NonNullable<LogEdits['answers']>): NonNullable<LogEdits['answers']> {
  return Object.fromEntries(
    Object.entries(answers).map(([key, answer]) => [
      key,
      answer.toWellFormed().trim().slice(0, SURVEY_LIMITS.notesMax),
    ]),
  );
}

/** Hours since midnight of `HH:MM`. */
function hourOf(time: string): number | undefined {
  const found = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time);
  return found === null ? undefined : Number(found[1]) + Number(found[2]) / 60;
}

function pointOf(value: Json | undefined): GeoPoint | null {
  const read = geoPointSchema.safeParse(value);
  return read.success ? read.data : null;
}

function isWithin(value: number | null | undefined, least: number, most: number): boolean {
  return value === null || value === undefined || (value >= least && value <= most);
}

function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '' || (isObject(value) && Object.keys(value).length === 0);
}

/** Normalises to one stored line: single spaces, well-formed, limited length. */
function singleLine(words: string): string {
  return words.toWellFormed().replace(/\s+/g, ' ').trim().slice(0, SURVEY_LIMITS.nameMax).trimEnd();
}

function textOrEmpty(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function numberOrNull(value: Json | undefined): number | null {
  return typeof value === 'number' ? value : null;
}
