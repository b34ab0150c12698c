import type pg from 'pg';
import type { Logger } from 'pino';
import { isId } from '../../../../src/domain/id-shape';
import { LIMITS } from '../../../../src/domain/limits';
import type { ChangeEntry } from '../../../../src/protocol/changes';
import type { PgAppendStore } from '../../store/pg-append-store';
import { queueFigures } from './figure-queue';

const CURSOR = 'figures.cursor';
const RETRY_MS = 2000;

interface FollowerOptions {
  readonly pool: pg.Pool;
  readonly store: Pick<PgAppendStore, 'changes' | 'onCommit'>;
  /** Called after figures were queued. */
  readonly onQueued: () => Promise<void>;
  readonly log: Logger;
}

/**
 * Queues the photographs and surveys whose figures changed with their records. Follows the change feed with a stored
 * cursor, which moves once they are queued: a kill skips none.
 */
export class FigureFollower {
  readonly #options: FollowerOptions;
  readonly #unsubscribe: () => void;
  #following: Promise<void> | undefined;
  #hasMore = false;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#unsubscribe = options.store.onCommit(() => this.follow());
  }

  follow(): void {
    if (this.#closed) return;
    if (this.#following !== undefined) {
      this.#hasMore = true;
      return;
    }
    this.#following = this.#followAll()
      .catch((error: unknown) => {
        this.#options.log.warn({ err: error }, 'changed figures could not be queued; retrying');
        this.#timer = setTimeout(() => this.follow(), RETRY_MS).unref();
      })
      .finally(() => {
        this.#following = undefined;
        if (!this.#hasMore) return;
        this.#hasMore = false;
        this.follow();
      });
  }

  /** Resolves once everything that is in the feed now is queued. */
  async caughtUp(): Promise<void> {
    await this.#following;
    await this.#followAll();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#unsubscribe();
    clearTimeout(this.#timer);
    await this.#following;
  }

  async #followAll(): Promise<void> {
    const { pool, store, onQueued } = this.#options;
    const { rows } = await pool.query<{ value: string }>('SELECT value FROM shared_settings WHERE name = $1', [CURSOR]);
    for (let since = Number(rows[0]?.value ?? 0); !this.#closed;) {
      const { entries, next } = await store.changes({ since, limit: LIMITS.changesMax });
      if (next === since) return;
      // Statement by statement: figures of several kinds are never locked at once.
      await queueChanged(pool, entries);
      await pool.query(
        `INSERT INTO shared_settings AS s (name, value) VALUES ($1, $2)
         ON CONFLICT (name) DO UPDATE SET value = greatest(s.value::bigint, excluded.value::bigint)::text`,
        [CURSOR, String(next)],
      );
      await onQueued();
      since = next;
    }
  }
}

/** Queues what entries of the feed changed: analyses their photograph, surveys theirs and themselves. */
async function queueChanged(client: pg.Pool, entries: readonly ChangeEntry[]): Promise<void> {
  const idsOf = (wanted: string): readonly string[] => [
    ...new Set(
      entries.flatMap(({ op, receipt }) =>
        op?.kind === wanted && receipt?.accepted === true && isId(op.docId) ? [op.docId] : [],
      ),
    ),
  ];
  const [surveys, images, analyses] = [idsOf('survey'), idsOf('image'), idsOf('analysis')];
  if (surveys.length + images.length + analyses.length === 0) return;
  const { rows } = await client.query<{ id: string }>({
    name: 'figures-changed-photographs',
    text: `SELECT image_id AS id FROM docs WHERE kind = 'analysis' AND doc_id = ANY($1::text[]) AND image_id IS NOT NULL
           UNION SELECT doc_id FROM docs WHERE kind = 'image' AND survey_id = ANY($2::text[])`,
    values: [analyses, surveys],
  });
  const photographs = [...images, ...rows.map(({ id }) => id)];
  await queueFigures(
    client,
    'photograph',
    photographs.map((id) => [id]),
  );
  await queueFigures(
    client,
    'survey',
    surveys.map((id) => [id]),
  );
}
