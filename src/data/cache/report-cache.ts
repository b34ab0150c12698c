import type { Dexie, EntityTable } from 'dexie';
import { formatBytes } from '../../base/format-bytes';
import { ReefError } from '../../domain/errors';
import type { TabletHost } from '../../platform/host';
import { bestEffort, openCacheDatabase } from './cache-database';
import { MIN_FREE_BYTES, scarceBytes } from './free-space';

/** Number of pictures of the report that are cached: those of a few surveys. */
const REPORT_PICTURES_MAX = 200;

/** Answer of a server as it was sent. */
interface ReportAnswer {
  /** `<uid or public> <path>`: what a person may read is theirs alone. */
  readonly key: string;
  readonly text: string;
  readonly etag: string | null;
  /** Time of the last answer that confirmed it, by this tablet's clock, ms since the epoch. */
  readonly at: number;
}

interface PictureRow {
  /** `<uid>/<imageId>` */
  readonly key: string;
  readonly blob: Blob;
  /** By this tablet's clock, ms since the epoch; absent from a picture that was taken along, which is never evicted. */
  readonly usedAt?: number;
  /** Maps that it was taken along with. */
  readonly packs?: readonly string[];
}

interface ReportDatabase extends Dexie {
  readonly answers: EntityTable<ReportAnswer, 'key'>;
  readonly pictures: EntityTable<PictureRow, 'key'>;
}

/**
 * Cache of the report: public files, surveys and pictures that were opened. A separate database, since everything can be
 * fetched again: a failure is logged and counts as a miss.
 */
export class ReportCache {
  readonly #db: ReportDatabase;

  readonly #host: Pick<TabletHost, 'idb' | 'log' | 'clock' | 'storage'>;
  /** True if the last answer could not be stored. */
  #isFull = false;

  constructor(host: Pick<TabletHost, 'idb' | 'log' | 'clock' | 'storage'>, name: string) {
    this.#host = host;
    this.#db = openCacheDatabase<ReportDatabase>(host, name);
    this.#db.version(1).stores({ answers: '&key', pictures: '&key, usedAt' });
    this.#db.version(2).stores({ pictures: '&key, usedAt, *packs' });
  }

  getAnswer(key: string): Promise<ReportAnswer | undefined> {
    return this.#bestEffort(() => this.#db.answers.get(key));
  }

  async storeAnswer(answer: ReportAnswer): Promise<void> {
    const stored = await this.#bestEffort(() => this.#db.answers.put(answer));
    this.#isFull = stored === undefined;
  }

  /** Throws if the last answer could not be stored. @throws ReefError `storage-full` */
  requireStored(): void {
    if (this.#isFull) throw fullError();
  }

  /** Keys of the stored answers that match. */
  async answerKeys(matches: (key: string) => boolean): Promise<readonly string[]> {
    return ((await this.#bestEffort(() => this.#db.answers.toCollection().primaryKeys())) ?? []).filter(matches);
  }

  async deleteAnswers(keys: readonly string[]): Promise<void> {
    await this.#bestEffort(() => this.#db.answers.bulkDelete([...keys]));
  }

  /** Deletes the pictures of a photograph. @param prefix of their keys */
  async deletePictures(prefix: string): Promise<void> {
    await this.#bestEffort(() => this.#db.pictures.where('key').startsWith(prefix).delete());
  }

  /** Returns the picture; undefined if it is not cached or its bytes are lost. */
  async getPicture(key: string): Promise<Blob | undefined> {
    return this.#bestEffort(async () => {
      const row = await this.#db.pictures.get(key);
      if (row === undefined) return undefined;
      // Storage may have lost the file behind a blob.
      await row.blob.arrayBuffer();
      if (row.usedAt !== undefined) await this.#db.pictures.put({ ...row, usedAt: this.#host.clock.now() });
      return row.blob;
    });
  }

  /** Caches a picture and evicts the least recently used ones. New photographs have priority over it. */
  async storePicture(key: string, blob: Blob): Promise<void> {
    const db = this.#db;
    const free = await scarceBytes(this.#host);
    if (free !== null) {
      this.#host.log.note('info', 'This tablet is low on space; pictures of the report are not cached.', { free });
      // A deletion by `orderBy` alone would delete the pictures without that time, too.
      await this.#bestEffort(async () => db.pictures.bulkDelete(await db.pictures.orderBy('usedAt').primaryKeys()));
      return;
    }
    await this.#bestEffort(() =>
      db.transaction('rw', db.pictures, async () => {
        const packs = (await db.pictures.get(key))?.packs;
        await db.pictures.put(
          packs === undefined ? { key, blob, usedAt: this.#host.clock.now() } : { key, blob, packs },
        );
        const keys = await db.pictures.orderBy('usedAt').primaryKeys();
        await db.pictures.bulkDelete(keys.slice(0, Math.max(0, keys.length - REPORT_PICTURES_MAX)));
      }),
    );
  }

  /** Marks a stored picture as taken along with a map. @returns false if it is not stored */
  async takeStoredPicture(key: string, pack: string): Promise<boolean> {
    const isTaken = await this.#bestEffort(() =>
      this.#db.transaction('rw', this.#db.pictures, async () => {
        const row = await this.#db.pictures.get(key);
        if (row === undefined) return false;
        const { blob, packs = [] } = row;
        if (!packs.includes(pack)) await this.#db.pictures.put({ key, blob, packs: [...packs, pack] });
        return true;
      }),
    );
    return isTaken ?? false;
  }

  /** Stores a picture that is taken along with a map. @throws ReefError `storage-full`: photographs have priority */
  async takePicture(key: string, blob: Blob, pack: string): Promise<void> {
    const free = await scarceBytes(this.#host);
    if (free !== null)
      throw new ReefError('storage-full', {
        message: `No more small pictures fit on this tablet: ${formatBytes(MIN_FREE_BYTES)} stay free for new photographs, and ${formatBytes(free)} are left. Free up space, then press Resume.`,
        bytes: MIN_FREE_BYTES,
      });
    if ((await this.#bestEffort(() => this.#db.pictures.put({ key, blob, packs: [pack] }))) === undefined)
      throw fullError();
  }

  async countTaken(pack: string): Promise<number> {
    return (await this.#bestEffort(() => this.#db.pictures.where('packs').equals(pack).count())) ?? 0;
  }

  /** Deletes the pictures that were taken along with a map and no other. */
  async deleteTaken(pack: string): Promise<void> {
    await this.#bestEffort(() =>
      this.#db.transaction('rw', this.#db.pictures, async () => {
        const taken = this.#db.pictures.where('packs').equals(pack);
        const others = (await taken.toArray()).flatMap((row) => {
          const packs = (row.packs ?? []).filter((name) => name !== pack);
          return packs.length === 0 ? [] : [{ ...row, packs }];
        });
        await taken.delete();
        await this.#db.pictures.bulkPut(others);
      }),
    );
  }

  close(): void {
    this.#db.close();
  }

  #bestEffort<Value>(work: () => PromiseLike<Value>): Promise<Value | undefined> {
    return bestEffort(this.#host, 'The cache of the report could not be read or written.', work);
  }
}

function fullError(): ReefError {
  return new ReefError('storage-full', {
    message: 'This tablet does not have enough space for the surveys and pictures. Free up space, then try again.',
  });
}
