import { Dexie } from 'dexie';
import type { EntityTable } from 'dexie';
import type { TabletHost } from '../../platform/host';

/** What a box last answered to a query. */
export interface AnswerRow {
  /** `<nodeId> <query>`. */
  readonly key: string;
  readonly data: unknown;
  /** By this tablet's clock, ms since the epoch. */
  readonly at: number;
}

/** A file that was taken along whole: a chart. */
export interface PackRow {
  readonly name: string;
  readonly blob: Blob;
  readonly bytes: number;
  readonly etag: string | null;
  /** By this tablet's clock, ms since the epoch. */
  readonly at: number;
  /** The box that it came from. */
  readonly origin: string;
}

interface EdgeCacheDatabase extends Dexie {
  readonly answers: EntityTable<AnswerRow, 'key'>;
  readonly packs: EntityTable<PackRow, 'name'>;
}

/**
 * What this tablet remembers of its boxes so as to show it while they are away: last answers and charts. A database of its
 * own: all of it can be had again from a box, so that nothing here may ever stand in the way of what cannot. A failure is
 * noted and otherwise counts as having forgotten.
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

  /** @param at when it came, by this tablet's clock, ms since the epoch */
  async storeAnswer(nodeId: string, query: string, data: unknown, at: number): Promise<void> {
    await this.#bestEffort('written', () => this.#db.answers.put({ key: keyOf(nodeId, query), data, at }));
  }

  async forgetEdge(nodeId: string): Promise<void> {
    await this.#bestEffort('written', () => this.#db.answers.where('key').startsWith(keyOf(nodeId, '')).delete());
  }

  getPack(name: string): Promise<PackRow | undefined> {
    return this.#bestEffort('read', () => this.#db.packs.get(name));
  }

  /** Unlike the rest this fails aloud: whoever fetched a chart wants to know that there was no room. */
  async storePack(row: PackRow): Promise<void> {
    await this.#db.packs.put(row);
  }

  async deletePack(name: string): Promise<void> {
    await this.#bestEffort('written', () => this.#db.packs.delete(name));
  }

  close(): void {
    this.#db.close();
  }

  async #bestEffort<Value>(what: 'read' | 'written', work: () => PromiseLike<Value>): Promise<Value | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Dexie.DatabaseClosedError))
        this.#host.log.note('warn', `What is remembered of the box could not be ${what}.`, { error: String(error) });
      return undefined;
    }
  }
}

function keyOf(nodeId: string, query: string): string {
  return `${nodeId} ${query}`;
}
