import type { Dexie, EntityTable } from 'dexie';
import type { TabletHost } from '../../platform/host';
import { bestEffort, openCacheDatabase } from './cache-database';
import { PackStore, type PackTables } from './pack-store';

interface AnswerRow {
  /** `<nodeId> <query>`. */
  readonly key: string;
  readonly data: unknown;
  /** By this tablet's clock, ms since the epoch. */
  readonly at: number;
}

interface EdgeCacheDatabase extends Dexie, PackTables {
  readonly answers: EntityTable<AnswerRow, 'key'>;
}

/**
 * Offline cache of box answers and of packs. A separate database: its failures must not touch data that cannot be fetched
 * again. A failure is logged and otherwise counts as a miss.
 */
export class EdgeCache {
  /** Unlike the rest, its methods throw: the caller has to report that a pack did not fit. */
  readonly packs: PackStore;

  readonly #db: EdgeCacheDatabase;

  readonly #host: Pick<TabletHost, 'idb' | 'log'>;

  constructor(host: Pick<TabletHost, 'idb' | 'log'>, name: string) {
    this.#host = host;
    this.#db = openCacheDatabase<EdgeCacheDatabase>(host, name);
    this.#db.version(1).stores({ answers: '&key', packs: '&name' });
    this.#db.version(2).stores({ packParts: '&[name+index], name' });
    this.packs = new PackStore(this.#db);
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

  close(): void {
    this.#db.close();
  }

  #bestEffort<Value>(what: 'read' | 'written', work: () => PromiseLike<Value>): Promise<Value | undefined> {
    return bestEffort(this.#host, `The box cache could not be ${what}.`, work);
  }
}

function keyOf(nodeId: string, query: string): string {
  return `${nodeId} ${query}`;
}
