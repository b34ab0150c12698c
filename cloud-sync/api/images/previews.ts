import type pg from 'pg';
import { ReefError } from '../../../src/domain/errors';
import { isObject } from '../../../src/domain/json';
import type { Preview } from '../../../src/protocol/cloud-http';

/** Previews stored per box; the oldest are removed. Each is about 10 kB. */
const PREVIEWS_PER_BOX_MAX = 20_000;

/** Checked because a crash may separate storing the bytes from removing the preview. */
const STILL_ABOARD = 'NOT EXISTS (SELECT 1 FROM image_blobs b WHERE b.sha256 = p.sha256 AND b.here)';

export interface AboardPhotograph {
  readonly sha256: string;
  readonly surveyId: string | null;
  /** Reef of its survey; null if unknown ashore. */
  readonly reef: string | null;
  /** Day of its survey, `YYYY-MM-DD`; null if unknown. */
  readonly date: string | null;
  readonly madeAt: Date;
}

/**
 * Previews that boxes send ahead, to show staff what a slow link still carries. Expendable, no part of custody, removed
 * when the photograph's bytes arrive.
 */
export class Previews {
  readonly #pool: pg.Pool;
  readonly #clock: () => number;

  constructor(pool: pg.Pool, clock: () => number) {
    this.#pool = pool;
    this.#clock = clock;
  }

  /**
   * Stores previews; existing ones stay.
   *
   * @throws ReefError `unsupported-media` if one is not a WebP; then none is stored
   */
  async store(node: string, previews: readonly Preview[]): Promise<void> {
    const rows = previews.map(({ picture, ...rest }) => ({ ...rest, picture: decodeWebp(picture) }));
    const cameAt = new Date(this.#clock());
    for (const { sha256, surveyId, madeAt, picture } of rows) {
      await this.#pool.query(
        'INSERT INTO previews (sha256, node, survey_id, made_at, came_at, picture) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (sha256) DO NOTHING',
        [sha256, node, surveyId, new Date(madeAt), cameAt, picture],
      );
    }
    await this.#pool.query(`DELETE FROM previews p WHERE p.node = $1 AND NOT (${STILL_ABOARD})`, [node]);
    await this.#pool.query(
      'DELETE FROM previews WHERE node = $1 AND sha256 IN (SELECT sha256 FROM previews WHERE node = $1 ORDER BY made_at DESC, sha256 OFFSET $2)',
      [node, PREVIEWS_PER_BOX_MAX],
    );
  }

  async missing(sha256: readonly string[]): Promise<string[]> {
    const { rows } = await this.#pool.query<{ sha256: string }>('SELECT sha256 FROM previews WHERE sha256 = ANY($1)', [
      sha256,
    ]);
    const here = new Set(rows.map((row) => row.sha256));
    return sha256.filter((one) => !here.has(one));
  }

  async remove(sha256: string): Promise<void> {
    await this.#pool.query('DELETE FROM previews WHERE sha256 = $1', [sha256]);
  }

  async listAboard(
    node: string,
    limit: number,
  ): Promise<{ readonly photographs: readonly AboardPhotograph[]; readonly total: number }> {
    const { rows } = await this.#pool.query<
      Pick<AboardPhotograph, 'sha256' | 'surveyId' | 'madeAt'> & { total: string }
    >(
      `SELECT p.sha256, p.survey_id AS "surveyId", p.made_at AS "madeAt", count(*) OVER () AS total
       FROM previews p WHERE p.node = $1 AND ${STILL_ABOARD} ORDER BY p.made_at DESC, p.sha256 LIMIT $2`,
      [node, limit],
    );
    const surveys = await this.#loadSurveys(new Set(rows.flatMap(({ surveyId }) => surveyId ?? [])));
    const shown = rows.map(({ sha256, surveyId, madeAt }) => ({
      sha256,
      surveyId,
      madeAt,
      ...(surveys.get(surveyId ?? '') ?? { reef: null, date: null }),
    }));
    return { photographs: shown, total: Number(rows[0]?.total ?? 0) };
  }

  /**
   * Loads reef and date of surveys. The JSON is parsed here: it may hold U+0000, which PostgreSQL's JSON functions
   * refuse.
   */
  async #loadSurveys(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, Pick<AboardPhotograph, 'reef' | 'date'>>> {
    if (ids.size === 0) return new Map();
    const { rows } = await this.#pool.query<{ id: string; shown: string; date: string | null }>(
      `SELECT doc_id AS id, shown, nullif(date, '') AS date FROM docs WHERE kind = 'survey' AND NOT deleted AND doc_id = ANY($1)`,
      [[...ids]],
    );
    return new Map(rows.map(({ id, shown, date }) => [id, { reef: reefOf(JSON.parse(shown)), date }]));
  }

  async countByBox(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.#pool.query<{ node: string; count: string }>(
      `SELECT p.node, count(*) AS count FROM previews p WHERE ${STILL_ABOARD} GROUP BY p.node`,
    );
    return new Map(rows.map(({ node, count }) => [node, Number(count)]));
  }

  /** Returns the preview, WebP; undefined if there is none. */
  async picture(sha256: string): Promise<Buffer | undefined> {
    const { rows } = await this.#pool.query<{ picture: Buffer }>('SELECT picture FROM previews WHERE sha256 = $1', [
      sha256,
    ]);
    return rows[0]?.picture;
  }
}

function reefOf(survey: unknown): string | null {
  const loc = isObject(survey) ? survey['loc'] : undefined;
  const name = isObject(loc) ? loc['name'] : undefined;
  return typeof name === 'string' && name !== '' ? name : null;
}

/** @throws ReefError `unsupported-media` */
function decodeWebp(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP')
    throw new ReefError('unsupported-media', {
      field: 'picture',
      message: 'A picture that goes ahead of its photograph must be a WebP.',
    });
  return bytes;
}
