import { Dexie } from 'dexie';
import type { EntityTable } from 'dexie';
import type { TabletHost } from '../../platform/host';
import { scarceBytes } from './free-space';

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
  /** By this tablet's clock, ms since the epoch. */
  readonly usedAt: number;
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

  constructor(host: Pick<TabletHost, 'idb' | 'log' | 'clock' | 'storage'>, name: string) {
    this.#host = host;
    this.#db = new Dexie(name, {
      indexedDB: host.idb.factory,
      IDBKeyRange: host.idb.keyRange,
      chromeTransactionDurability: 'relaxed',
    }) as ReportDatabase;
    this.#db.version(1).stores({ answers: '&key', pictures: '&key, usedAt' });
  }

  getAnswer(key: string): Promise<ReportAnswer | undefined> {
    return this.#bestEffort(() => this.#db.answers.get(key));
  }

  async storeAnswer(answer: ReportAnswer): Promise<void> {
    await this.#bestEffort(() => this.#db.answers.put(answer));
  }

  /** Returns the picture; undefined if it is not cached or its bytes are lost. */
  async getPicture(key: string): Promise<Blob | undefined> {
    return this.#bestEffort(async () => {
      const row = await this.#db.pictures.get(key);
      if (row === undefined) return undefined;
      // Storage may have lost the file behind a blob.
      await row.blob.arrayBuffer();
      await this.#db.pictures.put({ ...row, usedAt: this.#host.clock.now() });
      return row.blob;
    });
  }

  /** Caches a picture and evicts the least recently used ones. New photographs have priority over it. */
  async storePicture(key: string, blob: Blob): Promise<void> {
    const db = this.#db;
    const free = await scarceBytes(this.#host);
    if (free !== null) {
      this.#host.log.note('info', 'This tablet is low on space; pictures of the report are not cached.', { free });
      await this.#bestEffort(() => db.pictures.clear());
      return;
    }
    await this.#bestEffort(() =>
      db.transaction('rw', db.pictures, async () => {
        await db.pictures.put({ key, blob, usedAt: this.#host.clock.now() });
        const keys = await db.pictures.orderBy('usedAt').primaryKeys();
        await db.pictures.bulkDelete(keys.slice(0, Math.max(0, keys.length - REPORT_PICTURES_MAX)));
      }),
    );
  }

  close(): void {
    this.#db.close();
  }

  async #bestEffort<Value>(work: () => PromiseLike<Value>): Promise<Value | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Dexie.DatabaseClosedError))
        this.#host.log.note('warn', 'The cache of the report could not be read or written.', { error: String(error) });
      return undefined;
    }
  }
}
