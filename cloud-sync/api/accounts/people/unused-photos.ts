import type pg from 'pg';
import type { Logger } from 'pino';
import type { Variants } from '../../../../src/server/variants/variants';

const BATCH_SIZE = 100;
/** Time that an upload waits for its record: tablets send records right after the bytes, or on their next voyage. */
export const ORPHAN_MS = 60 * 24 * 60 * 60_000;
/** Difference between the clocks of service and database, which notes former photos. */
const CLOCK_SKEW_MS = 60 * 60_000;
/** Uploads that are noted as orphans in one round. */
const ORPHANS_A_ROUND = 1000;

/**
 * Condition for bytes $1 that are still needed: by a photograph's record, also a parked or held one, by a preview, or
 * by another profile with the same picture.
 */
const IS_USED = `EXISTS (SELECT FROM image_blobs WHERE sha256 = $1) OR EXISTS (SELECT FROM parked WHERE needs @> ARRAY[$1]::text[]) OR EXISTS (SELECT FROM previews WHERE sha256 = $1)
  OR EXISTS (SELECT FROM auth.person WHERE photo_sha256 = $1) OR EXISTS (SELECT FROM ops WHERE NOT accepted AND strpos(op, $1) > 0)`;

/**
 * Uploads that nothing names, each noted with the time at which it may go: as profile photos, they are looked at again
 * then. Operations in quarantine are left to that look.
 */
const NOTE_ORPHANS = `INSERT INTO auth.photo_gone (sha256, at)
  SELECT DISTINCT b.sha256, $1::timestamptz FROM blob_bringers b
  WHERE NOT EXISTS (SELECT FROM image_blobs i WHERE i.sha256 = b.sha256) AND NOT EXISTS (SELECT FROM parked k WHERE k.needs @> ARRAY[b.sha256]::text[])
    AND NOT EXISTS (SELECT FROM previews v WHERE v.sha256 = b.sha256) AND NOT EXISTS (SELECT FROM auth.person p WHERE p.photo_sha256 = b.sha256)
    AND NOT EXISTS (SELECT FROM auth.photo_gone g WHERE g.sha256 = b.sha256)
  LIMIT ${ORPHANS_A_ROUND} ON CONFLICT (sha256) DO NOTHING`;

interface UnusedPhotosOptions {
  readonly pool: pg.Pool;
  readonly deleteBytes: (sha256: string) => Promise<void>;
  /** Records that bytes named by records are missing. */
  readonly markLost: (sha256: string) => Promise<number>;
  readonly variants: Pick<Variants, 'removeAll'>;
  /** Ms since 1970. */
  readonly clock: () => number;
  readonly log: Logger;
}

/** Removes former profile photos and orphaned uploads, unless something else needs their bytes. */
export class UnusedPhotos {
  readonly #options: UnusedPhotosOptions;

  constructor(parts: UnusedPhotosOptions) {
    this.#options = parts;
  }

  /** One round; returns the number of files removed. */
  async run(): Promise<number> {
    await this.noteOrphans();
    return this.remove();
  }

  async remove(): Promise<number> {
    const { pool, log, clock } = this.#options;
    const { rows } = await pool.query<{ sha256: string }>(
      `SELECT sha256 FROM auth.photo_gone WHERE at <= $1 ORDER BY at LIMIT ${BATCH_SIZE}`,
      [new Date(clock() + CLOCK_SKEW_MS)],
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

  /**
   * Notes uploads that no record names. A record that comes later has its bytes asked for again; nothing of them was
   * receipted.
   */
  async noteOrphans(): Promise<void> {
    const { pool, clock } = this.#options;
    await pool.query(NOTE_ORPHANS, [new Date(clock() + ORPHAN_MS)]);
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
