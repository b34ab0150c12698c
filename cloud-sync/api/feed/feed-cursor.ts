import type pg from 'pg';
import { LIMITS } from '../../../src/domain/limits';
import type { OpKind } from '../../../src/domain/op/op';
import type { ChangeEntry } from '../../../src/protocol/changes';
import type { PgAppendStore } from '../store/pg-append-store';

/** Stored position of a reader of the change feed; it never moves back, also if several processes read. */
export class FeedCursor {
  readonly #pool: pg.Pool;
  readonly #store: Pick<PgAppendStore, 'changes'>;
  readonly #name: string;

  /** @param name key in `shared_settings` */
  constructor(pool: pg.Pool, store: Pick<PgAppendStore, 'changes'>, name: string) {
    this.#pool = pool;
    this.#store = store;
    this.#name = name;
  }

  /**
   * Handles the next page, and moves once it is handled, so that a kill skips none.
   *
   * @returns false at the end of the feed
   */
  async handleNext(handle: (entries: readonly ChangeEntry[]) => Promise<void>): Promise<boolean> {
    const { rows } = await this.#pool.query<{ value: string }>('SELECT value FROM shared_settings WHERE name = $1', [
      this.#name,
    ]);
    const since = Number(rows[0]?.value ?? 0);
    const { entries, next } = await this.#store.changes({ since, limit: LIMITS.changesMax });
    if (next === since) return false;
    await handle(entries);
    await this.#pool.query(
      `INSERT INTO shared_settings AS s (name, value) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET value = greatest(s.value::bigint, excluded.value::bigint)::text`,
      [this.#name, String(next)],
    );
    return true;
  }
}

/** Ids of the documents of a kind to which entries added an accepted operation, each once. */
export function acceptedIds(entries: readonly ChangeEntry[], kind: OpKind): readonly string[] {
  return [
    ...new Set(
      entries.flatMap(({ op, receipt }) => (op?.kind === kind && receipt?.accepted === true ? [op.docId] : [])),
    ),
  ];
}
