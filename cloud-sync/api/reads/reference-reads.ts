import { z } from 'zod';
import { LIMITS } from '../../../src/domain/limits';
import type { ReadDefinition } from './read-definition';
import { answerColumn, defineRead, nameParam } from './read-definition';

/**
 * Collections of documents without operations. Event activity has two: one row a person, one row a place. Map features have
 * tables of their own.
 */
export const REFERENCE_COLLECTIONS = [
  'regions',
  'datasets',
  'events',
  'event-users',
  'event-locations',
  'organisations',
] as const;
export type ReferenceCollection = (typeof REFERENCE_COLLECTIONS)[number];

const LIST = answerColumn(`string_agg(doc::text, ',' ORDER BY id)`);
/** Sorts after every handle with a given prefix, in code point order. */
const PREFIX_END = '\u{10ffff}';

const activity = (collection: string): string =>
  `(SELECT coalesce(jsonb_agg(a.doc ORDER BY a.id), '[]') FROM reference_documents a WHERE a.event_id = e.id AND a.collection = '${collection}')`;

/** Ranking columns: a fixed list, never external text. */
const TOP_BY = { analysis: 'analysis', minutes: 'mins' } as const;

function top(collection: string, by: keyof typeof TOP_BY): string {
  const column = TOP_BY[by];
  return `(SELECT coalesce(jsonb_agg(t.doc ORDER BY t.${column} DESC NULLS LAST, t.id), '[]') FROM (SELECT doc, ${column}, id FROM reference_documents
    WHERE event_id = $1 AND collection = '${collection}' ORDER BY ${column} DESC NULLS LAST, id LIMIT ${LIMITS.topList}) t)`;
}

const number = (path: string): string =>
  `CASE WHEN jsonb_typeof(doc #> '{${path}}') = 'number' THEN (doc #>> '{${path}}')::double precision END`;

/** Reads of public census data. */
export const referenceReads: Readonly<Record<string, ReadDefinition>> = {
  /** 1§7: "The region meta document." */
  region: defineRead('anyone', z.object({ regionId: nameParam }), ({ regionId }) => ({
    name: 'region',
    text: `SELECT ${LIST} FROM reference_documents WHERE collection = 'regions' AND id = $1 AND NOT deleted`,
    values: [regionId],
  })),

  /** 1§7: "Events together with their event activity"; 1§5: "version 2 events in the region that start on or after 1 February 2025". */
  events: defineRead(
    'anyone',
    z.object({ regionId: nameParam, handle: nameParam.optional() }),
    ({ regionId, handle }) => ({
      name: handle === undefined ? 'events' : 'event-of-handle',
      text: `SELECT ${answerColumn(`string_agg((e.doc || jsonb_build_object('activity', jsonb_build_object('users', ${activity('event-users')}, 'locations', ${activity('event-locations')})))::text, ',' ORDER BY e.starts_at DESC, e.id)`)}
      FROM reference_documents e WHERE e.collection = 'events' AND NOT e.deleted AND e.region_id = $1 AND e.version = '${LIMITS.eventVersion}' AND e.starts_at >= '${LIMITS.eventStartEarliest}' ${handle === undefined ? '' : 'AND e.handle = $2'}`,
      values: handle === undefined ? [regionId] : [regionId, handle.toLowerCase()],
    }),
  ),

  /** 1§7: "Organisations by handle prefix (up to 5)." */
  organisations: defineRead('anyone', z.object({ prefix: nameParam }), ({ prefix }) => ({
    name: 'organisations',
    text: `SELECT ${answerColumn(`string_agg(doc::text, ',' ORDER BY handle, id)`)}
      FROM (SELECT doc, handle, id FROM reference_documents WHERE collection = 'organisations' AND NOT deleted AND handle >= $1 AND handle < $2 ORDER BY handle, id LIMIT ${LIMITS.organisationSearch}) page`,
    values: [prefix.toLowerCase(), `${prefix.toLowerCase()}${PREFIX_END}`],
  })),

  /**
   * 1§7: "average matchPercent and timeTaken, sum of mins and analysis, user count and location count, top 50 users and top 50
   * locations by analysis or by minutes".
   */
  'event-statistics': defineRead(
    'anyone',
    z.object({ eventId: nameParam, by: z.enum(['analysis', 'minutes']).default('analysis') }),
    ({ eventId, by }) => ({
      name: `event-statistics-${by}`,
      text: `SELECT ${answerColumn(`jsonb_build_object(
        'eventId', $1::text,
        'averageMatchPercent', avg(${number('validations,matchPercent')}) FILTER (WHERE collection = 'event-users'),
        'averageTimeTaken', avg(${number('validations,timeTaken')}) FILTER (WHERE collection = 'event-users'),
        'mins', coalesce(sum(mins) FILTER (WHERE collection = 'event-users'), 0),
        'analysis', coalesce(sum(analysis) FILTER (WHERE collection = 'event-users'), 0),
        'users', count(*) FILTER (WHERE collection = 'event-users'),
        'locations', count(*) FILTER (WHERE collection = 'event-locations'),
        'topUsers', ${top('event-users', by)},
        'topLocations', ${top('event-locations', by)})::text`)}
      FROM reference_documents WHERE event_id = $1`,
      values: [eventId],
    }),
  ),
};
