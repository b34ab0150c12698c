import { createHash } from 'node:crypto';
import type pg from 'pg';
import { retryWhileUnavailable } from '../../postgres/database-error';
import type { AnswerSheet } from '../../../../src/domain/consensus/answer-sheet';
import type { AnalystSkill, SkillModel } from '../../../../src/domain/consensus/skill';
import { INITIAL_SKILL } from '../../../../src/domain/consensus/skill';
import { inTransaction } from '../../postgres/with-client';
import { ConsensusThread } from '../thread/consensus-thread';
import { RANKS, queueFigures } from '../queue/figure-queue';

/** Photographs sent to the thread at a time. */
const PAGE = 500;
/** Longest estimate, ms. */
const ESTIMATE_MS = 60 * 60_000;
/** Lock of the transaction that stores a version: of two estimates, the later one is not stored. */
const VERSION_LOCK = 7_266_319;
const RETRY_FOR_MS = 15_000;

/** Error for a figure whose skill was renewed while it was computed; it is computed again. */
export class SkillRenewedError extends Error {
  override readonly name = 'SkillRenewedError';
}

/**
 * Holds the present version until the transaction ends. Of a figure and a renewal, one waits for the other: either the
 * renewal queues the figure, or the figure is computed again.
 *
 * @throws SkillRenewedError if it is another one
 */
export async function holdSkill(client: pg.ClientBase, version: number): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock_shared($1)', [VERSION_LOCK]);
  const { rows } = await client.query<{ version: number | null }>('SELECT max(version) AS version FROM skill_versions');
  if ((rows[0]?.version ?? 0) !== version) throw new SkillRenewedError();
}

interface VersionRow {
  readonly version: number;
  readonly model: string;
}

/** Numbered versions of the analysts' skill. */
export class SkillVersions {
  readonly #pool: pg.Pool;
  #known: SkillModel = INITIAL_SKILL;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Latest version; version 0 before the first estimate. */
  async current(): Promise<SkillModel> {
    const version = await this.currentVersion();
    if (version !== this.#known.version) this.#known = await this.#load(version);
    return this.#known;
  }

  async currentVersion(): Promise<number> {
    const { rows } = await this.#pool.query<{ version: number | null }>({
      name: 'skill-current',
      text: 'SELECT max(version) AS version FROM skill_versions',
    });
    return rows[0]?.version ?? 0;
  }

  /**
   * Estimates the skill of all analysts from all public photographs. If it differs from the present version, it becomes
   * the next one, and all figures are queued in the same transaction.
   *
   * @param createThread thread of its own, so that photographs need not wait
   * @returns present version
   * @throws ThreadBrokeError; DatabaseUnavailableError
   */
  async renew(createThread: () => ConsensusThread = () => new ConsensusThread()): Promise<number> {
    const thread = createThread();
    try {
      const before = await this.currentVersion();
      const photographs = await this.#sendSheets(thread);
      const { skill } = await thread.run({ kind: 'estimate', version: before + 1 }, ESTIMATE_MS);
      return await retryWhileUnavailable(() => this.#store(skill, before, photographs), RETRY_FOR_MS);
    } finally {
      await thread.close();
    }
  }

  /** Sends the answers on photographs of surveys that are in public figures, in order; returns their number. */
  async #sendSheets(thread: ConsensusThread): Promise<number> {
    let count = 0;
    for (let after = ''; ;) {
      const { rows } = await this.#pool.query<{ image_id: string; sheet: string }>({
        name: 'skill-sheets',
        text: `SELECT p.image_id, p.sheet FROM photograph_figures p JOIN survey_figures s USING (survey_id)
               WHERE p.image_id > $1 ORDER BY p.image_id LIMIT ${PAGE}`,
        values: [after],
      });
      const last = rows.at(-1);
      if (last === undefined) return count;
      count += rows.length;
      after = last.image_id;
      const photographs = rows.map(({ image_id: imageId, sheet }) => ({
        imageId,
        sheet: JSON.parse(sheet) as AnswerSheet,
      }));
      await thread.run({ kind: 'add-sheets', photographs });
    }
  }

  #store(skill: SkillModel, before: number, photographs: number): Promise<number> {
    const sha256 = createHash('sha256')
      .update(skillText({ ...skill, version: 0 }))
      .digest('hex');
    return inTransaction(this.#pool, async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [VERSION_LOCK]);
      // Many rows change: without it, this and what queues figures could wait for each other.
      await client.query('LOCK TABLE figures_changed IN SHARE ROW EXCLUSIVE MODE');
      const { rows } = await client.query<{ version: number; sha256: string }>(
        'SELECT version, sha256 FROM skill_versions ORDER BY version DESC LIMIT 1',
      );
      const [latest] = rows;
      // The spread of a region may have changed where skill did not.
      await queueRegions(client);
      // Another process was faster, or nothing changed.
      if ((latest?.version ?? 0) !== before || latest?.sha256 === sha256) return latest?.version ?? 0;
      await client.query(
        'INSERT INTO skill_versions (version, sha256, model, analysts, photographs) VALUES ($1, $2, $3, $4, $5)',
        [skill.version, sha256, skillText(skill), skill.analysts.size, photographs],
      );
      await client.query(
        'INSERT INTO analyst_skills (version, person, confusion) SELECT $1, * FROM unnest($2::text[], $3::text[])',
        [
          skill.version,
          [...skill.analysts.keys()],
          [...skill.analysts.values()].map(({ confusion }) => JSON.stringify(confusion)),
        ],
      );
      await queueAllFigures(client);
      return skill.version;
    });
  }

  async #load(version: number): Promise<SkillModel> {
    if (version === INITIAL_SKILL.version) return INITIAL_SKILL;
    const { rows } = await this.#pool.query<VersionRow>(
      'SELECT version, model FROM skill_versions WHERE version = $1',
      [version],
    );
    const [row] = rows;
    if (row === undefined) throw new Error(`Version ${version} of the skill is not stored.`);
    return parseSkill(row.model);
  }
}

/** Queues the figures of all photographs and surveys; those of reefs and datasets follow. */
async function queueAllFigures(client: pg.ClientBase): Promise<void> {
  await client.query('UPDATE figures_changed SET stamp = DEFAULT');
  await client.query(
    `INSERT INTO figures_changed AS f (kind, key, rank) SELECT 'photograph', json_build_array(image_id)::text, ${RANKS.renewedPhotograph} FROM photograph_figures ORDER BY image_id
     ON CONFLICT (kind, key) DO UPDATE SET stamp = excluded.stamp, attempts = 0`,
  );
  await client.query(
    `INSERT INTO figures_changed AS f (kind, key, rank) SELECT 'survey', json_build_array(survey_id)::text, ${RANKS.survey} FROM survey_figures ORDER BY survey_id
     ON CONFLICT (kind, key) DO UPDATE SET stamp = excluded.stamp, attempts = 0`,
  );
}

async function queueRegions(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ region_id: string }>('SELECT DISTINCT region_id FROM survey_figures');
  await queueFigures(
    client,
    'region',
    rows.map(({ region_id: id }) => [id]),
  );
}

/** Text of a skill, the same for the same skill. */
function skillText({ analysts, ...rest }: SkillModel): string {
  return JSON.stringify({ ...rest, analysts: [...analysts].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)) });
}

function parseSkill(text: string): SkillModel {
  const { analysts, ...rest } = JSON.parse(text) as Omit<SkillModel, 'analysts'> & {
    readonly analysts: readonly (readonly [string, AnalystSkill])[];
  };
  // Versions of before had no doubt.
  return { ...rest, doubt: (rest as Partial<SkillModel>).doubt ?? 0, analysts: new Map(analysts) };
}
