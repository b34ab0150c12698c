import type pg from 'pg';
import type { JsonObject } from '../../../../src/domain/json';
import type { PhotographRequest } from '../thread/consensus-work';

/** Inputs of the consensus of a photograph. */
export interface PhotographInputs {
  readonly surveyId: string;
  /** True if the photograph may be offered: its survey is open, and it is not a demo outside demo mode. */
  readonly isOpen: boolean;
  readonly request: PhotographRequest;
}

interface Row {
  readonly survey_id: string;
  readonly image: string;
  readonly survey: string;
  readonly private: boolean;
  readonly analyses: string[];
  readonly model: string | null;
}

/**
 * Reads a photograph with the latest analysis of each person by `updated`, of equal ones that with the greater id;
 * undefined if it or its survey does not exist or was deleted.
 *
 * @param isDemoMode false: demo analyses do not count, and demo surveys are not open
 */
export async function readPhotographInputs(
  pool: pg.Pool,
  imageId: string,
  isDemoMode: boolean,
): Promise<PhotographInputs | undefined> {
  const { rows } = await pool.query<Row>({
    name: 'figures-photograph-inputs',
    text: `SELECT d.survey_id, d.shown AS image, s.shown AS survey, s.private,
             ARRAY(SELECT a.shown FROM (
               SELECT DISTINCT ON (owner) owner, shown FROM docs
               WHERE kind = 'analysis' AND NOT deleted AND image_id = $1 AND owner IS NOT NULL
               ORDER BY owner, updated_at DESC, doc_id DESC) a ORDER BY a.owner) AS analyses,
             (SELECT o.collection FROM outlines o WHERE o.image_id = $1 AND o.dir <> '' ORDER BY o.dir, o.min_size, o.max_size LIMIT 1) AS model
           FROM docs d JOIN docs s ON s.kind = 'survey' AND s.doc_id = d.survey_id AND NOT s.deleted
           WHERE d.kind = 'image' AND d.doc_id = $1 AND NOT d.deleted`,
    values: [imageId],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { width, height } = JSON.parse(row.image) as JsonObject;
  const counts = (text: string): boolean => isDemoMode || !isDemo(text);
  return {
    surveyId: row.survey_id,
    isOpen: !row.private && counts(row.survey),
    request: {
      kind: 'photograph',
      picture: isSide(width) && isSide(height) ? { width, height } : null,
      analyses: row.analyses.filter(counts),
      model: row.model,
    },
  };
}

/** True for a record of the demo. @param text the record, JSON */
export function isDemo(text: string): boolean {
  return text.includes('"demo"') && (JSON.parse(text) as JsonObject)['demo'] === true;
}

const isSide = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0;
