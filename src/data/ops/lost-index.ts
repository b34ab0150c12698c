import type { LostAt, StoreRef } from './database';

/** Bytes that boxes lost, in memory. */
export class LostIndex {
  #json = '{}';
  #lists: Readonly<Record<string, LostAt>> = {};
  readonly #sets = new Map<string, ReadonlySet<string>>();

  /** Takes the stored lists, by node id. Returns false if they are those of before. */
  set(lists: Readonly<Record<string, LostAt>>): boolean {
    const json = JSON.stringify(lists);
    if (json === this.#json) return false;
    this.#json = json;
    this.#lists = lists;
    this.#sets.clear();
    for (const [nodeId, { sha256 }] of Object.entries(lists)) this.#sets.set(nodeId, new Set(sha256));
    return true;
  }

  /** True if this box, in this epoch, lost bytes that it had receipted, and has not got them again. */
  readonly has = (sha256: string, { nodeId, storeEpoch }: StoreRef): boolean =>
    this.#lists[nodeId]?.storeEpoch === storeEpoch && this.#sets.get(nodeId)?.has(sha256) === true;

  /** Key of the list that this box sent last; '' if it is to send its list. */
  readonly key = ({ nodeId, storeEpoch }: StoreRef): string => {
    const known = this.#lists[nodeId];
    return known?.storeEpoch === storeEpoch ? known.key : '';
  };
}
