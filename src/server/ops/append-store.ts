import type { PersonId } from '../../domain/ids';
import type { JsonObject } from '../../domain/json';
import type { Folded } from '../../domain/fold/fold';
import type { Op, OpKind } from '../../domain/op/op';
import type { ClaimedRole } from '../../domain/policy/claimed-roles';
import type { ChangeEntry, ChangesPage } from '../../protocol/changes';
import type { BlobRef, Receipt } from '../../protocol/receipt';

/** Identity of a store, named in receipts; a changed epoch voids earlier receipts. */
export interface StoreIdentity {
  readonly stage: 'edge' | 'cloud';
  readonly nodeId: string;
  /** Random, per store creation. */
  readonly storeEpoch: string;
}

/** Submitter of an operation other than a person's own session; used by the cloud. */
export interface SubmittedBy {
  readonly device: string | null;
  readonly node: string | null;
  /** Person of the session, or signed in on the tablet. */
  readonly person?: PersonId | null;
  /** True if a box or staff vouch for it, by submitting it or by a receipt. */
  readonly vouched?: boolean;
}

/** Facts about an operation that it does not contain itself. */
export interface AppendFacts {
  /** Person it counts for: `op.by`, else the submitting session's person. */
  readonly by: PersonId | null;
  /** Bytes of an image operation; durable in the blob store before this call. */
  readonly blob?: BlobRef;
  /** If set: stored in quarantine and receipted with `accepted: false` and this reason. */
  readonly quarantine?: string;
  /** `ignore`: the cloud accepted it, so this node does not judge its ceilings; `keep` by default. */
  readonly ceilings?: 'keep' | 'ignore';
  /** With `quarantine`, in the cloud: key that releases it once its author has permission; see `wakeKeys`. */
  readonly waitsFor?: string;
  /** Person who sees it on hold; by default its author. Null: only staff. */
  readonly heldFor?: PersonId | null;
  /** In the cloud: people who get access to its topic; by default its author and its record's owner. */
  readonly sees?: readonly PersonId[];
  /** In the cloud: box that gets access to its topic; by default the one that submits it. */
  readonly box?: string | null;
  /** In the cloud: documents that the decision to accept it takes for new; by default none. */
  readonly absent?: readonly DocumentRef[];
  /** Author's claimed roles that this server confirms at intake; none by default. */
  readonly roles?: readonly ClaimedRole[];
  /** Recorded by the cloud: submitters are owed the receipt, and a box sees the surveys it delivered. */
  readonly brought?: SubmittedBy;
}

export interface DocumentRef {
  readonly kind: OpKind;
  readonly docId: string;
}

/** Bytes that an accepted record names. */
export interface RecordedBlob extends BlobRef {
  /** Broken or missing: anyone who has the bytes is asked for them. */
  readonly lost?: true;
  /** Freed here with the cloud's valid receipt: no one is asked for them. */
  readonly freed?: true;
}

/** Stored document: the fold, its times and the server-owned fields. */
export interface StoredDocument {
  readonly kind: OpKind;
  readonly id: string;
  readonly folded: Folded;
  /** Least and greatest `madeAt` of its operations. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Author's claimed roles that this server confirmed at intake; see `withKnownRoles`. */
  readonly roles: readonly ClaimedRole[];
  /** Server-owned fields, joined in on reading; dotted names of the catalogue are nested. */
  readonly owned: JsonObject;
}

/**
 * Visibility of the change feed; absent: everything (bridge, console). On a box only profiles are private; ashore a
 * reader sees what its person, device or box has access to.
 */
export interface ChangeScope {
  /** On a box: profile operations of this person. Ashore: their surveys and their own profile. */
  readonly person: PersonId | null;
  /** Operations written on this device; ashore also receipts for its submissions. */
  readonly deviceId: string | null;
  /** Ashore: the reading box. It sees its surveys, and receipts for its submissions. */
  readonly node?: string | null;
  /** Ashore: staff. */
  readonly everything?: boolean;
}

/**
 * The only writer of a node's operations, documents and receipts (protocol, "One write path"). SQLite on the edge,
 * PostgreSQL in the cloud; `tests/conformance/append-store.ts` tests both.
 */
export interface AppendStore {
  readonly identity: StoreIdentity;

  /**
   * Existing receipt of this operation, or undefined if unknown.
   *
   * @throws ReefError `receipt-mismatch` if the opId belongs to another operation (whole op as sent, canonical JSON)
   */
  knownReceipt(op: Op): Promise<Receipt | undefined>;

  /**
   * Stores, folds and receipts an operation in one durable transaction. A known operation gets its stored receipt, byte
   * for byte. One that breaks a ceiling of its document goes to quarantine (protocol, "Ceilings"). Settles after the
   * commit.
   *
   * @throws ReefError `receipt-mismatch`; any other error means that nothing of it was stored
   * @throws OutdatedDecisionError if one of `facts.absent` exists
   */
  append(op: Op, facts: AppendFacts): Promise<Receipt>;

  /** Adds another node's receipts to the feed, each once. Returns the number of new ones. */
  addReceipts(receipts: readonly Receipt[]): Promise<number>;

  /** Entries after `since`, oldest first, at most `limit`. */
  changes(query: { since: number; limit: number; scope?: ChangeScope }): Promise<ChangesPage>;

  document(kind: OpKind, id: string): Promise<StoredDocument | undefined>;

  /** Bytes named by the accepted records of this image, each hash once. */
  recordedBlobs(imageId: string): Promise<readonly RecordedBlob[]>;

  /** Rebuilds documents and counters. Returns the number of documents. */
  rebuild(): Promise<number>;

  /** Registers a listener for committed entries; returns the unsubscribe function. */
  onCommit(listener: (entries: readonly ChangeEntry[]) => void): () => void;

  close(): Promise<void>;
}
