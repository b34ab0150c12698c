import type { BlobRef, PublicKey, Receipt } from '../../protocol/receipt';
import type { EdgeUpdate } from '../../protocol/edge-socket';
import type { Op } from '../../domain/op/op';
import type { LinkState } from './link-keeper';
import type { Emitter } from '../../base/emitter';
import type { ObservableValue } from '../../base/observable';

export interface UploadStart {
  readonly uploadId: string;
  readonly offset: number;
  readonly complete: boolean;
}

/**
 * Store that accepts this tablet's operations: the box or the cloud, on a connection that knows the tablet. Both get
 * the same operations and bytes, and return receipts of the same shape (protocol, "Chain of an edit").
 */
export interface Upstream {
  readonly stage: 'edge' | 'cloud';
  readonly nodeId: string;
  readonly storeEpoch: string;
  readonly name: string;
  /** Pinned keys of its receipts. */
  readonly receiptKeys: readonly PublicKey[];
  readonly cloudKeys: readonly PublicKey[];
  readonly chunkBytes: number;
  /** Maximum records in flight; sent in one message if the store accepts several. */
  readonly recordsAtOnce: number;
  /** True if the store ended this tablet's access: it accepts everything and answers no read. */
  readonly hasEnded: boolean;
  /**
   * Offers an operation.
   *
   * @param by author, if the operation does not name one
   * @param supportingReceipt for a box: the cloud's receipt in place of bytes that are not here; for the cloud: the
   * receipt of a box that admitted the operation
   * @returns the receipt, unchecked
   * @throws ReefError from the store; `incomplete` if it lacks the bytes; `disconnected`, `timeout`
   */
  readonly sendOp: (op: Op, by: string | null, vouching?: Receipt) => Promise<unknown>;
  /** Starts the upload of an image's bytes. @throws ReefError from the store */
  readonly startUpload: (op: Op, blob: BlobRef, type: string) => Promise<UploadStart>;
  /** @returns the durable offset @throws ReefError from the store */
  readonly sendChunk: (uploadId: string, offset: number, bytes: Uint8Array<ArrayBuffer>) => Promise<number>;
  /**
   * Fetches a page of its feed, unchecked; `subscribe` also requests hints on this connection. `lostKey` names the list
   * of lost bytes that the tablet has of a box. @throws ReefError from the store
   */
  readonly changes: (since: number, limit: number, subscribe: boolean, lostKey: string) => Promise<unknown>;
}

/** Link to the one current store, open while someone holds it. */
export interface UpstreamLink {
  readonly state: ObservableValue<LinkState>;
  /** Hints: something by that name changed. */
  readonly updates: Emitter<EdgeUpdate>;
  readonly current: Upstream | undefined;
  /** Holds the connection open until the returned function is called. */
  readonly acquire: () => () => void;
  readonly drop: () => void;
}
