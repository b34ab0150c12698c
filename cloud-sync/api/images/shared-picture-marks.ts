import type pg from 'pg';
import type { BrokenPicture, MarkedAttempt, PictureMarks } from '../../../src/server/variants/picture-marks';
import { retryWhileUnavailable } from '../postgres/database-error';
import { PictureMarkFile } from '../../../src/server/variants/picture-marks';

/** A database that starts again is away for seconds. */
const RETRY_FOR_MS = 15_000;

/**
 * Marks of broken pictures that all processes of the service share. Attempts are in a file of each process's home: only
 * it knows which of them died with it.
 */
export class SharedPictureMarks implements PictureMarks {
  readonly #pool: pg.Pool;
  readonly #attempts: PictureMarkFile;

  private constructor(pool: pg.Pool, attempts: PictureMarkFile) {
    this.#pool = pool;
    this.#attempts = attempts;
  }

  /** @param folder folder of this process's variants */
  static async open(pool: pg.Pool, folder: string): Promise<SharedPictureMarks> {
    const marks = new SharedPictureMarks(pool, new PictureMarkFile(folder));
    for (const { sha256, why } of await marks.#attempts.list()) await marks.#share(sha256, why);
    await marks.#attempts.clear();
    return marks;
  }

  async isBroken(sha256: string): Promise<boolean> {
    if (await this.#attempts.isBroken(sha256)) return true;
    const { rowCount } = await this.#ask('SELECT FROM broken_pictures WHERE sha256 = $1', [sha256]);
    return rowCount !== 0;
  }

  async begin(sha256: string): Promise<MarkedAttempt> {
    const attempt = await this.#attempts.begin(sha256);
    return {
      done: () => attempt.done(),
      broke: async (why) => {
        // In this order: while the database is away, the file has it.
        await attempt.broke(why);
        await this.#share(sha256, why);
        await attempt.done();
      },
    };
  }

  async list(): Promise<readonly BrokenPicture[]> {
    const { rows } = await this.#pool.query<BrokenPicture>(
      'SELECT sha256, why FROM broken_pictures ORDER BY broke_at DESC, sha256',
    );
    return rows;
  }

  async clear(): Promise<readonly string[]> {
    const own = await this.#attempts.clear();
    const { rows } = await this.#pool.query<{ sha256: string }>('DELETE FROM broken_pictures RETURNING sha256');
    return [...new Set([...own, ...rows.map(({ sha256 }) => sha256)])];
  }

  close(): Promise<void> {
    return this.#attempts.close();
  }

  async #share(sha256: string, why: string): Promise<void> {
    await this.#ask('INSERT INTO broken_pictures (sha256, why) VALUES ($1, $2) ON CONFLICT (sha256) DO NOTHING', [
      sha256,
      why,
    ]);
  }

  #ask(text: string, values: readonly string[]): Promise<pg.QueryResult> {
    return retryWhileUnavailable(() => this.#pool.query(text, [...values]), RETRY_FOR_MS);
  }
}
