import type pg from 'pg';
import { inTransaction } from '../../postgres/with-client';

/** Figures in the order in which they are computed: each needs the ones before it. */
export type FigureKind = 'photograph' | 'survey' | 'region' | 'release' | 'reef' | 'dataset' | 'publication';

/** Place in the queue. Photographs of a renewal go after those that someone just analysed. */
export const RANKS = {
  photograph: 0,
  renewedPhotograph: 1,
  survey: 2,
  region: 3,
  release: 4,
  reef: 5,
  dataset: 6,
  publication: 7,
};

/** Ids of a figure: see the column `key` of `figures_changed`. */
type FigureKey = readonly string[];

/** Queued figure. */
export interface QueuedFigure {
  readonly kind: FigureKind;
  readonly key: FigureKey;
  readonly stamp: string;
  readonly attempts: number;
}

type Client = pg.Pool | pg.ClientBase;

/**
 * Queues figures. One that is queued already gets a new stamp: a computation that began before ends without a result.
 *
 * @param delayS seconds before which it is not computed; a queued figure is not delayed
 */
export async function queueFigures(
  client: Client,
  kind: FigureKind,
  keys: readonly FigureKey[],
  { rank = RANKS[kind], delayS = 0 }: { readonly rank?: number; readonly delayS?: number } = {},
): Promise<void> {
  if (keys.length === 0) return;
  // In one order everywhere: two processes that queue the same figures wait for no lock of each other.
  const texts = [...new Set(keys.map(keyText))].sort();
  await client.query({
    name: 'figures-queue',
    text: `INSERT INTO figures_changed AS f (kind, key, rank, not_before)
           SELECT $1, k, $3, CASE WHEN $4::float8 = 0 THEN '-infinity' ELSE now() + make_interval(secs => $4::float8) END FROM unnest($2::text[]) AS k
           ON CONFLICT (kind, key) DO UPDATE SET stamp = excluded.stamp, rank = least(f.rank, excluded.rank), attempts = 0,
             not_before = CASE WHEN $4::float8 = 0 THEN '-infinity' ELSE f.not_before END`,
    values: [kind, texts, rank, delayS],
  });
}

/** Time from a change to its publication, in which others join it, s. */
const PUBLISH_DELAY_S = 2;

/** Queues the publication of regions whose public figures changed. */
export async function queuePublications(client: Client, regionIds: readonly string[]): Promise<void> {
  await queueFigures(
    client,
    'publication',
    regionIds.map((id) => [id]),
    { delayS: PUBLISH_DELAY_S },
  );
}

/** Same text as PostgreSQL's `json_build_array(...)::text`. */
function keyText(key: FigureKey): string {
  return `[${key.map((id) => JSON.stringify(id)).join(', ')}]`;
}

interface Row {
  readonly kind: FigureKind;
  readonly key: string;
  readonly stamp: string;
  readonly attempts: number;
}

/** Queue of figures in the database, for all processes of the service. */
export class FigureQueue {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Next figure that may be computed now; undefined without one. */
  async next(): Promise<QueuedFigure | undefined> {
    const { rows } = await this.#pool.query<Row>({
      name: 'figures-next',
      text: 'SELECT kind, key, stamp::text, attempts FROM figures_changed WHERE not_before <= now() ORDER BY rank, stamp LIMIT 1',
    });
    const [row] = rows;
    return row === undefined ? undefined : { ...row, key: JSON.parse(row.key) as string[] };
  }

  /** Seconds until the next figure; 0 if it may be computed now, undefined without one. */
  async waitS(): Promise<number | undefined> {
    const { rows } = await this.#pool.query<{ wait: number | null }>(
      `SELECT CASE WHEN min(not_before) <= now() THEN 0 ELSE extract(epoch FROM min(not_before) - now())::float8 END AS wait FROM figures_changed`,
    );
    return rows[0]?.wait ?? undefined;
  }

  /** Notes that a computation begins, before it: one that ends the process is not tried for ever. */
  async begin({ kind, key, stamp }: QueuedFigure): Promise<void> {
    await this.#pool.query({
      name: 'figures-begin',
      text: 'UPDATE figures_changed SET attempts = attempts + 1 WHERE kind = $1 AND key = $2 AND stamp = $3',
      values: [kind, keyText(key), stamp],
    });
  }

  /** Notes that a computation did not end for a reason that is not the photograph's. */
  async undo({ kind, key, stamp }: QueuedFigure): Promise<void> {
    await this.#pool.query(
      'UPDATE figures_changed SET attempts = greatest(attempts - 1, 0) WHERE kind = $1 AND key = $2 AND stamp = $3',
      [kind, keyText(key), stamp],
    );
  }

  /** Puts off a figure that could not be computed. */
  async postpone({ kind, key, stamp }: QueuedFigure, delayS: number): Promise<void> {
    await this.#pool.query(
      'UPDATE figures_changed SET not_before = now() + make_interval(secs => $4) WHERE kind = $1 AND key = $2 AND stamp = $3',
      [kind, keyText(key), stamp, delayS],
    );
  }

  /**
   * Stores a figure and takes it from the queue, in one transaction.
   *
   * @param guard runs first: locks of other tables come before that of the queue, so that no two wait for each other
   * @returns false if it changed since it was read: nothing is stored, and it is computed again
   */
  finish(
    { kind, key, stamp }: QueuedFigure,
    store: (client: pg.ClientBase) => Promise<void>,
    guard?: (client: pg.ClientBase) => Promise<void>,
  ): Promise<boolean> {
    return inTransaction(this.#pool, async (client) => {
      await guard?.(client);
      const { rowCount } = await client.query({
        name: 'figures-finish',
        text: 'DELETE FROM figures_changed WHERE kind = $1 AND key = $2 AND stamp = $3',
        values: [kind, keyText(key), stamp],
      });
      if (rowCount === 0) return false;
      await store(client);
      return true;
    });
  }
}
