import type { BlobRef, PublicKey, Receipt } from '../../protocol/receipt';
import type { EdgeUpdate } from '../../protocol/edge-socket';
import type { Op } from '../../domain/op/op';
import type { LinkState } from './link-keeper';
import type { ObservableValue, Emitter } from './observable';

/** Where to go on with a photograph's bytes, as the store says. */
export interface UploadStart {
  readonly uploadId: string;
  readonly offset: number;
  readonly complete: boolean;
}

/**
 * A store that takes what this tablet has, on a connection on which it knows the tablet: the box aboard or the cloud. Both
 * get the same operations and the same bytes, and give receipts of the same shape (protocol, "Chain of an edit").
 */
export interface Upstream {
  readonly stage: 'edge' | 'cloud';
  readonly nodeId: string;
  readonly storeEpoch: string;
  /** How a person calls it. */
  readonly name: string;
  /** Pinned keys with which it signs its receipts. */
  readonly receiptKeys: readonly PublicKey[];
  /** Pinned keys of the cloud's receipts. */
  readonly cloudKeys: readonly PublicKey[];
  /** Bytes of one chunk at most. */
  readonly chunkBytes: number;
  /** Records that may be on their way at once; they go in one message where the store takes several. */
  readonly recordsAtOnce: number;
  /**
   * Offers an operation.
   *
   * @param by who wrote it, where the operation does not say
   * @param vouching to a box the cloud's receipt, in place of bytes that are not here: it takes the record on its word; to the cloud
   *   a box's, which let the operation in
   * @returns what it gave as receipt, unchecked
   * @throws ReefError as the store answers; `incomplete` where it misses the bytes; `disconnected`, `timeout`
   */
  readonly sendOp: (op: Op, by: string | null, vouching?: Receipt) => Promise<unknown>;
  /** Announces the bytes of an image's operation. @throws ReefError as the store answers */
  readonly startUpload: (op: Op, blob: BlobRef, type: string) => Promise<UploadStart>;
  /** Sends a piece. @returns the offset that is durable now @throws ReefError as the store answers */
  readonly sendChunk: (uploadId: string, offset: number, bytes: Uint8Array<ArrayBuffer>) => Promise<number>;
  /** A page of its feed, unchecked; `subscribe` asks for hints on this connection, too. @throws ReefError as the store answers */
  readonly changes: (since: number, limit: number, subscribe: boolean) => Promise<unknown>;
}

/** A way to the one store that counts now. It stands while somebody holds it. */
export interface UpstreamLink {
  readonly state: ObservableValue<LinkState>;
  /** Hints: something by that name changed. */
  readonly updates: Emitter<EdgeUpdate>;
  readonly current: Upstream | undefined;
  /** Holds the connection open until the function given back is called. */
  readonly acquire: () => () => void;
  /** Ends this connection; the next one follows by itself while somebody holds it. */
  readonly drop: () => void;
}
