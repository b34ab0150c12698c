import type { PersonId, Sha256 } from '../../../src/domain/ids';
import type { Op } from '../../../src/domain/op/op';
import type { SubmittedBy } from '../../../src/server/ops/append-store';

/** A photograph's record that came before its bytes. */
export interface ParkedOp {
  /** As it was sent. */
  readonly op: Op;
  /** The person it counts for, as for `AppendFacts`. */
  readonly by: PersonId | null;
  readonly submittedBy: SubmittedBy;
  /** The hashes of the bytes that it waits for. */
  readonly needs: readonly Sha256[];
}

/**
 * Records whose bytes are still to come, kept apart from the append store: they have no receipt, no place in the feed and no
 * part in a document. Durable: who brought one was told that it is stored. Appending a record takes it out of here.
 */
export interface Parking {
  /**
   * Keeps a record, durably; one that is there already stays as it is.
   *
   * @throws ReefError `receipt-mismatch` where another operation waits under that opId
   */
  park(parked: ParkedOp): Promise<void>;
  findParked(opId: string): Promise<ParkedOp | undefined>;
  /** Those that wait for these bytes, the longest waiting first. */
  listParkedFor(sha256: string): Promise<readonly ParkedOp[]>;
  /** All of them, in pages by operation id. */
  listParked(query: { after?: string; limit?: number }): Promise<readonly ParkedOp[]>;
  /** Forgets a record. */
  unpark(opId: string): Promise<void>;
}
