import type pg from 'pg';
import { queueFigures } from './figure-queue';

/** Photograph whose consensus cannot be computed. */
interface BrokenFigure {
  readonly imageId: string;
  /** For a person. */
  readonly why: string;
}

/** Photographs whose computation fails or ends its thread; their figures do not change until staff retry. */
export class BrokenFigures {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Sets a photograph aside, in the transaction that takes it from the queue. */
  async add(client: pg.ClientBase, { imageId, why }: BrokenFigure): Promise<void> {
    await client.query(
      'INSERT INTO broken_figures (image_id, why) VALUES ($1, $2) ON CONFLICT (image_id) DO UPDATE SET why = excluded.why, broke_at = now()',
      [imageId, why],
    );
  }

  async list(): Promise<readonly BrokenFigure[]> {
    const { rows } = await this.#pool.query<BrokenFigure>(
      'SELECT image_id AS "imageId", why FROM broken_figures ORDER BY broke_at DESC, image_id LIMIT 1000',
    );
    return rows;
  }

  /** Queues all of them again; returns their number. */
  async tryAgain(): Promise<number> {
    const { rows } = await this.#pool.query<{ image_id: string }>('SELECT image_id FROM broken_figures');
    await queueFigures(
      this.#pool,
      'photograph',
      rows.map(({ image_id: id }) => [id]),
    );
    return rows.length;
  }
}
