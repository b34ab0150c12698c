import type { OpId } from '../../../domain/ids';
import type { StoreRef } from '../../ops/database';

/**
 * Operations that this tab offered, by store, until its receipt, or its answer that it has another one under the id. It
 * may have such an operation or get it yet, whatever became of the connection.
 */
export class OfferedOps {
  readonly #storesOf = new Map<OpId, Set<string>>();

  add(opId: OpId, storeRef: StoreRef): void {
    this.#storesOf.set(opId, (this.#storesOf.get(opId) ?? new Set()).add(keyOf(storeRef)));
  }

  settle(opId: OpId, storeRef: StoreRef): void {
    const stores = this.#storesOf.get(opId);
    stores?.delete(keyOf(storeRef));
    if (stores?.size === 0) this.#storesOf.delete(opId);
  }

  has(opId: OpId): boolean {
    return this.#storesOf.has(opId);
  }

  /** True if a store other than this one was offered it. */
  hasElsewhere(opId: OpId, storeRef: StoreRef): boolean {
    return [...(this.#storesOf.get(opId) ?? [])].some((key) => key !== keyOf(storeRef));
  }
}

function keyOf({ nodeId, storeEpoch }: StoreRef): string {
  return `${nodeId} ${storeEpoch}`;
}
