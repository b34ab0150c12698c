import type pg from 'pg';
import type { AnswerSheet } from '../../../../src/domain/consensus/answer-sheet';
import { answerShares } from '../../../../src/domain/consensus/answer-shares';
import type { AnswerRow } from '../../../../src/domain/results/csv/answers-csv';
import type { SurveyEstimate } from '../../../../src/domain/results/estimates/survey-estimate';
import type { PhotographRow } from '../../../../src/domain/results/csv/photographs-csv';
import type { PhotographFigure } from '../../../../src/domain/results/photograph-figure';
import type { ReefResult } from '../../../../src/domain/results/reef-result';

/** Part of a region's results. */
interface ExportedPart {
  readonly regionId: string;
  readonly datasetId?: string | undefined;
  readonly featureId?: string | undefined;
  /** True for reefs of a release alone. */
  readonly isReleased?: boolean;
}

interface Row {
  readonly result: string;
  readonly survey: string;
  readonly figure: string;
}

/** Photographs of an export, with the numbers that replace their ids. */
interface ExportedPhotographs {
  readonly rows: readonly PhotographRow[];
  /** Number of each photograph, such as `P0000001`, by its id. */
  readonly numbers: ReadonlyMap<string, string>;
}

/**
 * Photographs behind published results. Surveys and photographs have numbers of this export, in the order of their ids:
 * no reader can find a record by them, and every sum is computed in the same order.
 */
export async function exportedRows(
  client: pg.Pool | pg.ClientBase,
  { regionId, datasetId, featureId, isReleased = false }: ExportedPart,
): Promise<ExportedPhotographs> {
  const { rows } = await client.query<Row>({
    name: 'figures-export',
    text: `SELECT r.result, s.figure AS survey, p.figure FROM reef_results r
           JOIN survey_figures s ON s.region_id = r.region_id AND s.feature_id = r.feature_id AND r.dataset_id = ANY(s.dataset_ids)
           JOIN photograph_figures p ON p.survey_id = s.survey_id
           WHERE r.region_id = $1 AND ($2::text IS NULL OR r.dataset_id = $2) AND ($3::text IS NULL OR r.feature_id = $3) AND (NOT $4::boolean OR r.release IS NOT NULL)`,
    values: [regionId, datasetId ?? null, featureId ?? null, isReleased],
  });
  const found = rows.map(({ result, survey, figure }) => ({
    reef: JSON.parse(result) as ReefResult,
    day: (JSON.parse(survey) as SurveyEstimate).day,
    figure: JSON.parse(figure) as PhotographFigure,
  }));
  const surveys = numbered(
    found.map(({ figure }) => figure.surveyId),
    'S',
  );
  const photographs = numbered(
    found.map(({ figure }) => figure.imageId),
    'P',
  );
  const exported = found.map(({ reef, day, figure }) => ({
    ...figure,
    surveyId: surveys.get(figure.surveyId) ?? '',
    imageId: photographs.get(figure.imageId) ?? '',
    featureId: reef.featureId,
    datasetId: reef.datasetId,
    year: reef.year,
    day,
  }));
  return { rows: exported, numbers: photographs };
}

/** Photographs whose answers are read at once: their sheets have each place of each answer. */
const SHEETS_AT_ONCE = 500;

/** Answers behind exported photographs, a row an analysis. @param photographs their numbers by id ({@link exportedRows}) */
export async function exportedAnswers(
  client: pg.Pool | pg.ClientBase,
  photographs: ReadonlyMap<string, string>,
): Promise<readonly AnswerRow[]> {
  const ids = [...photographs.keys()];
  const answers: AnswerRow[] = [];
  for (let from = 0; from < ids.length; from += SHEETS_AT_ONCE) {
    const { rows } = await client.query<{ image_id: string; sheet: string }>({
      name: 'figures-export-answers',
      text: 'SELECT image_id, sheet FROM photograph_figures WHERE image_id = ANY($1::text[])',
      values: [ids.slice(from, from + SHEETS_AT_ONCE)],
    });
    for (const { image_id: id, sheet } of rows)
      for (const answer of answerShares(JSON.parse(sheet) as AnswerSheet))
        answers.push({ ...answer, imageId: photographs.get(id) ?? '' });
  }
  return answers;
}

/** Numbers of equal length in the order of ids, so that they sort alike. */
function numbered(ids: readonly string[], letter: string): ReadonlyMap<string, string> {
  const sorted = [...new Set(ids)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return new Map(sorted.map((id, index) => [id, `${letter}${String(index + 1).padStart(7, '0')}`]));
}
