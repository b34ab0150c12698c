import type { PersonId, Sha256 } from '../../../src/domain/ids';
import type { Op } from '../../../src/domain/op/op';
import type { SubmittedBy } from '../../../src/server/ops/append-store';

/** Photograph record that arrived before its bytes. */
export interface ParkedOp {
  /** Operation as sent. */
  readonly op: Op;
  readonly by: PersonId | null;
  readonly submittedBy: SubmittedBy;
  readonly needs: readonly Sha256[];
}

/**
 * Records waiting for their bytes, outside the append store: no receipt, no feed entry, no part in a document. Durable,
 * since the submitter counts on it. Appending a record removes it here.
 */
export interface Parking {
  /**
   * Parks a record durably; one already parked stays unchanged.
   *
   * @throws ReefError `receipt-mismatch` if a different operation is parked under that opId
   */
  park(parked: ParkedOp): Promise<void>;
  findParked(opId: string): Promise<ParkedOp | undefined>;
  listParkedFor(sha256: string): Promise<readonly ParkedOp[]>;
  listParked(query: { after?: string; limit?: number }): Promise<readonly ParkedOp[]>;
  unpark(opId: string): Promise<void>;
}
