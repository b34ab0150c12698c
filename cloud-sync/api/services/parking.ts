import type { PersonId } from '../../../src/domain/ids';
import type { Op } from '../../../src/domain/op/op';
import type { Brought } from '../../../src/server/append-store';

/** A photograph's record that came before its bytes. */
export interface ParkedOp {
  /** As it was sent. */
  readonly op: Op;
  /** The person it counts for, as for `AppendFacts`. */
  readonly by: PersonId | null;
  readonly brought: Brought;
  /** The bytes that it waits for. */
  readonly sha256: string;
}

/**
 * Records whose bytes are still to come, kept apart from the append store: they have no receipt, no place in the feed and no
 * part in a document. Durable: who brought one was told that it is stored.
 */
export interface Parking {
  /**
   * Keeps a record, durably; one that is there already stays as it is.
   *
   * @throws ReefError `receipt-mismatch` where another operation waits under that opId
   */
  park(parked: ParkedOp): Promise<void>;
  get(opId: string): Promise<ParkedOp | undefined>;
  /** Those that wait for these bytes. */
  waitingFor(sha256: string): Promise<readonly ParkedOp[]>;
  /** The hashes that are waited for, each once. */
  hashes(): Promise<readonly string[]>;
  /** Forgets a record: it was taken in. */
  remove(opId: string): Promise<void>;
}
