import type pg from 'pg';
import type { Logger } from 'pino';
import type { Variants } from '../../../../src/server/variants/variants';

const BATCH_SIZE = 100;

/**
 * Condition for bytes $1 that are still needed: by a photograph's record, also a parked or held one, by a preview, or
 * by another profile with the same picture.
 */
const IS_USED = `EXISTS (SELECT FROM image_blobs WHERE sha256 = $1) OR EXISTS (SELECT FROM parked WHERE needs @> ARRAY[$1]::text[]) OR EXISTS (SELECT FROM previews WHERE sha256 = $1)
  OR EXISTS (SELECT FROM auth.person WHERE photo_sha256 = $1) OR EXISTS (SELECT FROM ops WHERE NOT accepted AND strpos(op, $1) > 0)`;

export interface UnusedPhotosOptions {
  readonly pool: pg.Pool;
  readonly deleteBytes: (sha256: string) => Promise<void>;
  /** Records that bytes named by records are missing. */
  readonly markLost: (sha256: string) => Promise<number>;
  readonly variants: Pick<Variants, 'removeAll'>;
  readonly log: Logger;
}

/** Removes former profile photos, unless something else needs their bytes. */
export class UnusedPhotos {
  readonly #options: UnusedPhotosOptions;

  constructor(parts: UnusedPhotosOptions) {
    this.#options = parts;
  }

  async remove(): Promise<number> {
    const { pool, log } = this.#options;
    const { rows } = await pool.query<{ sha256: string }>(
      `SELECT sha256 FROM auth.photo_gone ORDER BY at LIMIT ${BATCH_SIZE}`,
    );
    let removed = 0;
    for (const { sha256 } of rows) {
      try {
        if (!(await this.#isUsed(sha256))) {
          await this.#deletePhoto(sha256);
          removed += 1;
        }
        await pool.query('DELETE FROM auth.photo_gone WHERE sha256 = $1', [sha256]);
      } catch (error) {
        log.warn({ err: error, sha256 }, 'removing an unused profile photo failed; retrying');
      }
    }
    return removed;
  }

  async #deletePhoto(sha256: string): Promise<void> {
    const { pool, deleteBytes, markLost, variants, log } = this.#options;
    await pool.query('DELETE FROM blob_bringers WHERE sha256 = $1', [sha256]);
    await deleteBytes(sha256);
    await variants.removeAll(sha256);
    // The same picture may have just arrived as a census photograph: its submitter still has it and is asked again.
    const records = (await this.#isUsed(sha256)) ? await markLost(sha256) : 0;
    if (records > 0)
      log.warn({ sha256, records }, 'a photograph arrived as its bytes were removed; it is requested again');
  }

  async #isUsed(sha256: string): Promise<boolean> {
    const { rows } = await this.#options.pool.query<{ used: boolean }>(`SELECT ${IS_USED} AS used`, [sha256]);
    return rows[0]?.used === true;
  }
}
