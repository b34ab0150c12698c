import { z } from 'zod';
import { LIMITS } from '../../../src/domain/limits';
import type { ReadDefinition, ReadStatement, Reader } from './read-definition';
import {
  Conditions,
  cursorParam,
  answerColumn,
  dayParam,
  idParam,
  limitParam,
  listParam,
  parseCursor,
  prepare,
  defineRead,
  timeParam,
  accessCondition,
  hasMore,
  nameParam,
  sized,
} from './read-definition';

/** Public profile with the photo, which the server owns. */
const CARD = `CASE WHEN o.owned::jsonb ? 'photoURL' THEN (p.card::jsonb || jsonb_build_object('photoURL', o.owned::jsonb -> 'photoURL'))::text ELSE p.card END`;

/** Page of documents, newest first by `by`, then by id. */
function newestFirst(
  name: string,
  conditions: Conditions,
  by: 'date' | 'updated_at',
  limit: number,
  after: string | undefined,
): ReadStatement {
  const place = parseCursor(after);
  const going =
    place === undefined
      ? ''
      : ` AND (d.${by}, d.doc_id) < (${conditions.value(place[0])}, ${conditions.value(place[1])})`;
  const most = conditions.value(limit);
  const order = `${by} DESC, doc_id DESC`;
  const text = `SELECT ${answerColumn(`string_agg(shown, ',' ORDER BY ${order})`, `CASE WHEN ${hasMore(most)} THEN (array_agg(${by} || '~' || doc_id ORDER BY ${by}, doc_id))[1] END`)}
    FROM ${sized(`SELECT d.shown, d.${by}, d.doc_id FROM docs d WHERE ${conditions.text}${going} ORDER BY d.${by} DESC, d.doc_id DESC LIMIT ${most}`, order)}`;
  return prepare(name, text, conditions.values);
}

const surveyRange = {
  from: dayParam.optional(),
  to: dayParam.optional(),
  regionId: nameParam.optional(),
  locId: nameParam.optional(),
  limit: limitParam(LIMITS.queryLimit),
  after: cursorParam,
};

export const documentReads: Readonly<Record<string, ReadDefinition>> = {
  /** 1§7: "Images by survey id." Ordered by id, without deleted ones. */
  'images-by-survey': defineRead(
    'signed',
    z.object({ surveyId: idParam, limit: limitParam(LIMITS.changesMax), after: cursorParam }),
    ({ surveyId, limit, after }, reader) => {
      const conditions = new Conditions();
      const survey = conditions.value(surveyId);
      const seen = reader.isStaff
        ? ''
        : ` AND NOT EXISTS (SELECT 1 FROM docs s WHERE s.kind = 'survey' AND s.doc_id = ${survey} AND NOT ${accessCondition(conditions, reader, 's')})`;
      const place = parseCursor(after);
      const going = place === undefined ? '' : ` AND d.doc_id > ${conditions.value(place[1])}`;
      const most = conditions.value(limit);
      return prepare(
        'images-by-survey',
        `SELECT ${answerColumn(`string_agg(shown, ',' ORDER BY doc_id)`, `CASE WHEN ${hasMore(most)} THEN '~' || max(doc_id) END`)}
       FROM ${sized(`SELECT d.shown, d.doc_id FROM docs d WHERE d.kind = 'image' AND NOT d.deleted AND d.survey_id = ${survey}${seen}${going} ORDER BY d.doc_id LIMIT ${most}`, 'doc_id')}`,
        conditions.values,
      );
    },
  ),

  /** 1§7: "Surveys by date range, region, loc id and not deleted." Both days included. */
  surveys: defineRead('signed', z.object(surveyRange), ({ from, to, regionId, locId, limit, after }, reader) => {
    const conditions = new Conditions(`d.kind = 'survey'`, 'NOT d.deleted');
    conditions
      .add('d.date >= ?', from)
      .add('d.date <= ?', to)
      .add('d.region_id = ?', regionId)
      .add('d.loc_id = ?', locId);
    return newestFirst('surveys', withAccess(conditions, reader), 'date', limit, after);
  }),

  /** 1§7: surveys of a person; 3§7: "user surveys filtered by date range". */
  'user-surveys': defineRead(
    'signed',
    z.object({ uid: idParam, ...surveyRange }),
    ({ uid, from, to, regionId, locId, limit, after }, reader) => {
      const conditions = new Conditions(`d.kind = 'survey'`, 'NOT d.deleted');
      conditions
        .add('d.owner = ?', uid)
        .add('d.date >= ?', from)
        .add('d.date <= ?', to)
        .add('d.region_id = ?', regionId)
        .add('d.loc_id = ?', locId);
      return newestFirst('user-surveys', withAccess(conditions, reader), 'date', limit, after);
    },
  ),

  /**
   * 3§7: "the user's analysis collection filtered by updated range, survey.regionId, isDeleted false, ordered by
   * updated descending". People read their own, staff anyone's.
   */
  'user-analyses': defineRead(
    'signed',
    z.object({
      uid: idParam,
      from: timeParam.optional(),
      to: timeParam.optional(),
      regionId: nameParam.optional(),
      limit: limitParam(LIMITS.queryLimit),
      after: cursorParam,
    }),
    ({ uid, from, to, regionId, limit, after }, reader) => {
      const conditions = new Conditions(`d.kind = 'analysis'`, 'NOT d.deleted');
      conditions
        .add('d.owner = ?', uid)
        .add('d.updated_at >= ?', from)
        .add('d.updated_at <= ?', to === undefined || to.includes('T') ? to : `${to}T99`)
        .add('d.region_id = ?', regionId);
      if (!reader.isStaff && reader.person !== uid) conditions.add('?::boolean', false);
      return newestFirst('user-analyses', conditions, 'updated_at', limit, after);
    },
  ),

  /** 1§7: "users by uid in groups of 30." Staff get the whole profile, others its public part. */
  users: defineRead('signed', z.object({ uids: listParam(idParam, LIMITS.batchIn) }), ({ uids }, reader) => {
    const conditions = new Conditions();
    const wanted = conditions.value(uids);
    return prepare(
      'users',
      `SELECT ${answerColumn(`string_agg(${reader.isStaff ? 'p.shown' : CARD}, ',' ORDER BY p.doc_id)`)}
       FROM docs p LEFT JOIN owned_fields o ON o.kind = 'profile' AND o.doc_id = p.doc_id WHERE p.kind = 'profile' AND NOT p.deleted AND p.doc_id = ANY(${wanted}::text[])`,
      conditions.values,
    );
  }),

  /** 1§7: "A user by email": staff only, since an address is private. */
  'user-by-email': defineRead(
    'staff',
    z.object({
      email: z
        .string()
        .min(3)
        .max(200)
        .regex(/^[^\u0000]*$/),
    }),
    ({ email }) => {
      const conditions = new Conditions();
      const wanted = conditions.value(email.toLowerCase());
      return prepare(
        'user-by-email',
        `SELECT ${answerColumn(`string_agg(shown, ',' ORDER BY doc_id)`)} FROM docs WHERE kind = 'profile' AND NOT deleted AND email = ${wanted}`,
        conditions.values,
      );
    },
  ),
};

function withAccess(conditions: Conditions, reader: Reader): Conditions {
  const seen = accessCondition(conditions, reader, 'd');
  const all = new Conditions(conditions.text, seen);
  all.values.push(...conditions.values);
  return all;
}
