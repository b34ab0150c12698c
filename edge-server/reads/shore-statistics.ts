import type { Database } from 'better-sqlite3';
import type { Folded } from '../../src/domain/fold/fold';
import { BYTES_BY_IMAGE, surveyName } from './store-statistics';

/** State of a survey ashore. A photograph counts once, whatever its edits. */
interface SurveyAshore {
  readonly id: string;
  readonly name: string;
  readonly date: string;
  readonly photographs: number;
  /** Photographs that the cloud has answered for, with a receipt or a hold. */
  readonly sent: number;
  readonly ashore: number;
  /** Photographs ashore whose bytes were freed here. */
  readonly freed: number;
  /** Operations of the survey, its photographs and analyses without an accepting receipt of the cloud. */
  readonly owed: number;
  /** Owed operations quarantined in the cloud for staff. */
  readonly refused: number;
}

export interface ShoreState {
  readonly surveys: readonly SurveyAshore[];
  /** Owed operations outside surveys: profiles. */
  readonly others: number;
  readonly owed: number;
  readonly refused: number;
  readonly owedBytes: number;
  /** Totals of freed files, each counted once. */
  readonly freed: { readonly photographs: number; readonly bytes: number };
  /** Photographs freed in an earlier cloud epoch, without a receipt of the current one. */
  readonly freedInVain: number;
  /** Bytes of photographs here with the cloud's receipt: the most that can be freed. */
  readonly ashoreBytes: number;
  /** Storage time of the oldest operation not ashore, by the box's clock; null if none. */
  readonly oldestOwedAt: string | null;
}

interface Row {
  readonly survey: string | null;
  readonly owed: number;
  readonly refused: number;
}

const OWED_BY_SURVEY = `
  SELECT CASE ops.kind WHEN 'survey' THEN ops.doc_id ELSE coalesce(docs.survey_id, json_extract(ops.op, '$.body.survey.id')) END AS survey, count(*) AS owed,
    sum(EXISTS (SELECT 1 FROM feed WHERE feed.op_id = ops.op_id AND feed.stage = 'cloud' AND feed.accepted = 0 AND feed.store_epoch = (SELECT value FROM meta WHERE key = 'cloudEpoch'))) AS refused
  FROM ops LEFT JOIN docs ON docs.kind = ops.kind AND docs.doc_id = ops.doc_id WHERE ops.ashore = 0 GROUP BY survey`;

const SURVEYS = `
  SELECT doc_id AS id, folded,
    (SELECT count(*) FROM docs AS image WHERE image.survey_id = survey.doc_id AND image.kind = 'image' AND image.deleted = 0) AS photographs,
    (SELECT count(*) FROM docs AS image WHERE image.survey_id = survey.doc_id AND image.kind = 'image' AND image.deleted = 0
      AND EXISTS (SELECT 1 FROM ops JOIN feed ON feed.op_id = ops.op_id WHERE ops.kind = 'image' AND ops.doc_id = image.doc_id AND feed.stage = 'cloud'
        AND feed.store_epoch = (SELECT value FROM meta WHERE key = 'cloudEpoch'))) AS sent,
    (SELECT count(*) FROM docs AS image WHERE image.survey_id = survey.doc_id AND image.kind = 'image' AND image.deleted = 0
      AND EXISTS (SELECT 1 FROM image_blobs WHERE image_id = image.doc_id AND ashore = 1)) AS ashore
  FROM docs AS survey WHERE kind = 'survey' AND deleted = 0`;

const OLDEST = `SELECT json_extract(feed.receipt, '$.storedAt') AS at FROM ops JOIN feed ON feed.seq = ops.seq WHERE ops.ashore = 0 ORDER BY ops.seq LIMIT 1`;

const FREED_BY_SURVEY = `WITH ${BYTES_BY_IMAGE} SELECT survey_id AS survey, count(*) AS freed FROM docs JOIN held ON image_id = doc_id WHERE kind = 'image' AND deleted = 0 AND held.freed = 1 GROUP BY survey_id`;
const FREED_IN_VAIN =
  'SELECT count(*) AS n FROM freed WHERE NOT EXISTS (SELECT 1 FROM image_blobs WHERE image_blobs.sha256 = freed.sha256 AND ashore = 1)';
const FREED_BYTES = 'SELECT count(*) AS photographs, coalesce(sum(bytes), 0) AS bytes FROM freed';
const ASHORE_BYTES =
  'SELECT coalesce(sum(bytes), 0) AS bytes FROM (SELECT sha256, max(bytes) AS bytes FROM image_blobs WHERE here = 1 GROUP BY sha256 HAVING min(ashore) = 1)';

/** Computes what the box owes to the shore, survey by survey, largest debt first. */
export function shoreState(database: Database, owedBytes: number): ShoreState {
  const owed = new Map<string | null, Row>();
  for (const row of database.prepare<[], Row>(OWED_BY_SURVEY).all()) owed.set(row.survey, row);
  const freed = new Map(
    database
      .prepare<[], { survey: string; freed: number }>(FREED_BY_SURVEY)
      .all()
      .map((row) => [row.survey, row.freed]),
  );
  // One by one: all records at once need not fit in memory.
  const rows = database
    .prepare<[], { id: string; folded: string; photographs: number; sent: number; ashore: number }>(SURVEYS)
    .iterate();
  const surveys = Array.from(rows, ({ id, folded, photographs, sent, ashore }): SurveyAshore => {
    const { doc } = JSON.parse(folded) as Folded;
    const row = owed.get(id);
    owed.delete(id);
    return {
      id,
      name: surveyName(doc) || 'Without a name',
      date: typeof doc['date'] === 'string' ? doc['date'] : '',
      photographs,
      sent: Math.max(sent, ashore),
      ashore,
      freed: freed.get(id) ?? 0,
      owed: row?.owed ?? 0,
      refused: row?.refused ?? 0,
    };
  }).sort((a, b) => b.owed - a.owed || (a.date < b.date ? 1 : -1));
  const rest = [...owed.values()];
  const sum = (rows: readonly { owed: number; refused: number }[], of: 'owed' | 'refused'): number =>
    rows.reduce((total, row) => total + row[of], 0);
  return {
    surveys,
    others: sum(rest, 'owed'),
    owed: sum(surveys, 'owed') + sum(rest, 'owed'),
    refused: sum(surveys, 'refused') + sum(rest, 'refused'),
    owedBytes,
    freed: database.prepare<[], ShoreState['freed']>(FREED_BYTES).get() ?? { photographs: 0, bytes: 0 },
    freedInVain: database.prepare<[], { n: number }>(FREED_IN_VAIN).get()?.n ?? 0,
    ashoreBytes: database.prepare<[], { bytes: number }>(ASHORE_BYTES).get()?.bytes ?? 0,
    oldestOwedAt: database.prepare<[], { at: string }>(OLDEST).get()?.at ?? null,
  };
}
