import type pg from 'pg';
import { PIPELINE_VERSION } from '../../../../src/domain/results/reef-result';
import type { FigureQueue, QueuedFigure } from '../queue/figure-queue';
import { queueFigures } from '../queue/figure-queue';
import type { SkillVersions } from '../skill/skill-versions';
import { holdSkill } from '../skill/skill-versions';

interface ReleasesOptions {
  readonly pool: pg.Pool;
  readonly queue: FigureQueue;
  readonly skills: SkillVersions;
  /** Photographs of a batch. */
  readonly batchSize: number;
}

/** Photographs of a batch that still wait for analyses. Those without pictures are offered to no one. */
const WAITING = `SELECT FROM offered_photographs o WHERE o.batch = b.batch AND o.is_open AND NOT o.retired
  AND EXISTS (SELECT FROM owned_fields w WHERE w.kind = 'image' AND w.doc_id = o.image_id AND w.owned LIKE '%"color_corrected":{%')`;

/** Numbered releases: batches of which each photograph has five analyses or is bad (2§1, 2§9). */
export class Releases {
  readonly #options: ReleasesOptions;

  constructor(options: ReleasesOptions) {
    this.#options = options;
  }

  /** Releases the next complete batch; if there is one, looks for another. */
  async compute(queued: QueuedFigure): Promise<void> {
    const { pool, queue, skills, batchSize } = this.#options;
    const { rows } = await pool.query<{ batch: number }>(
      `SELECT b.batch FROM (SELECT generate_series(1, (SELECT max(number) / $1::int FROM offered_photographs)) AS batch) b
       WHERE NOT EXISTS (SELECT FROM releases r WHERE r.batch = b.batch) AND NOT EXISTS (${WAITING}) ORDER BY b.batch LIMIT 1`,
      [batchSize],
    );
    const [row] = rows;
    const skill = await skills.currentVersion();
    await queue.finish(
      queued,
      async (client) => {
        if (row === undefined) return;
        await release(client, row.batch, skill);
        await queueFigures(client, 'release', [[]]);
      },
      (client) => holdSkill(client, skill),
    );
  }
}

async function release(client: pg.ClientBase, batch: number, skill: number): Promise<void> {
  await client.query(
    'INSERT INTO releases (number, batch, skill, pipeline) SELECT coalesce(max(number), 0) + 1, $1, $2, $3 FROM releases',
    [batch, skill, PIPELINE_VERSION],
  );
  const { rows } = await client.query<{ region_id: string; key: string }>(
    `SELECT DISTINCT s.region_id, json_build_array(s.region_id, d.id, s.feature_id)::text AS key
     FROM offered_photographs o JOIN photograph_figures p USING (image_id) JOIN survey_figures s ON s.survey_id = p.survey_id CROSS JOIN unnest(s.dataset_ids) AS d(id)
     WHERE o.batch = $1 AND s.feature_id IS NOT NULL`,
    [batch],
  );
  await queueFigures(
    client,
    'reef',
    rows.map(({ key }) => JSON.parse(key) as string[]),
  );
  await queueFigures(
    client,
    'publication',
    [...new Set(rows.map(({ region_id: id }) => id))].map((id) => [id]),
  );
}
