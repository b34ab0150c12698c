import { Dexie } from 'dexie';
import type { EntityTable } from 'dexie';
import type { TabletHost } from '../../platform/host';

interface AnswerRow {
  /** `<nodeId> <query>`. */
  readonly key: string;
  readonly data: unknown;
  /** By this tablet's clock, ms since the epoch. */
  readonly at: number;
}

export interface PackRow {
  readonly name: string;
  readonly blob: Blob;
  readonly bytes: number;
  readonly etag: string | null;
  /** By this tablet's clock, ms since the epoch. */
  readonly at: number;
  readonly origin: string;
}

interface EdgeCacheDatabase extends Dexie {
  readonly answers: EntityTable<AnswerRow, 'key'>;
  readonly packs: EntityTable<PackRow, 'name'>;
}

/**
 * Offline cache of box answers and charts. A separate database: its failures must not touch data that cannot be fetched
 * again. A failure is logged and otherwise counts as a miss.
 */
export class EdgeCache {
  readonly #db: EdgeCacheDatabase;

  readonly #host: Pick<TabletHost, 'idb' | 'log'>;

  constructor(host: Pick<TabletHost, 'idb' | 'log'>, name: string) {
    this.#host = host;
    this.#db = new Dexie(name, {
      indexedDB: host.idb.factory,
      IDBKeyRange: host.idb.keyRange,
      chromeTransactionDurability: 'relaxed',
    }) as EdgeCacheDatabase;
    this.#db.version(1).stores({ answers: '&key', packs: '&name' });
  }

  getAnswer(nodeId: string, query: string): Promise<AnswerRow | undefined> {
    return this.#bestEffort('read', () => this.#db.answers.get(keyOf(nodeId, query)));
  }

  /** @param at time of arrival by this tablet's clock, ms since the epoch */
  async storeAnswer(nodeId: string, query: string, data: unknown, at: number): Promise<void> {
    await this.#bestEffort('written', () => this.#db.answers.put({ key: keyOf(nodeId, query), data, at }));
  }

  async forgetEdge(nodeId: string): Promise<void> {
    await this.#bestEffort('written', () => this.#db.answers.where('key').startsWith(keyOf(nodeId, '')).delete());
  }

  getPack(name: string): Promise<PackRow | undefined> {
    return this.#bestEffort('read', () => this.#db.packs.get(name));
  }

  /** Unlike the rest, this throws: the caller who fetched a chart must know that there was no room. */
  async storePack(row: PackRow): Promise<void> {
    await this.#db.packs.put(row);
  }

  close(): void {
    this.#db.close();
  }

  async #bestEffort<Value>(what: 'read' | 'written', work: () => PromiseLike<Value>): Promise<Value | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Dexie.DatabaseClosedError))
        this.#host.log.note('warn', `The box cache could not be ${what}.`, { error: String(error) });
      return undefined;
    }
  }
}

function keyOf(nodeId: string, query: string): string {
  return `${nodeId} ${query}`;
}
