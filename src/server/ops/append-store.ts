import type { PersonId } from '../../domain/ids';
import type { JsonObject } from '../../domain/json';
import type { Folded } from '../../domain/fold/fold';
import type { Op, OpKind } from '../../domain/op/op';
import type { ClaimedRole } from '../../domain/policy/claimed-roles';
import type { ChangeEntry, ChangesPage } from '../../protocol/changes';
import type { BlobRef, Receipt } from '../../protocol/receipt';

/** Who this store is: receipts name it, and a changed epoch voids the receipts of the one before. */
export interface StoreIdentity {
  readonly stage: 'edge' | 'cloud';
  readonly nodeId: string;
  /** Random per store creation. */
  readonly storeEpoch: string;
}

/** Who brought an operation, where it was not a person's own session; the cloud asks. */
export interface SubmittedBy {
  readonly device: string | null;
  readonly node: string | null;
  /** The person of the session, or who was signed in on the tablet. */
  readonly person?: PersonId | null;
  /** A box or staff vouch for it: they brought it, or a box's receipt for it was shown. */
  readonly vouched?: boolean;
}

/** What is known of an operation besides what it says itself. */
export interface AppendFacts {
  /** The person it counts for: `op.by`, else the person of the session that brought it. */
  readonly by: PersonId | null;
  /** The bytes an image operation stands for; they are durable in the blob store before this is called. */
  readonly blob?: BlobRef;
  /** Set: kept in quarantine and receipted with `accepted: false` and this reason. */
  readonly quarantine?: string;
  /** With `quarantine`, ashore: its writer may not (yet). What it waits for; see `wakeKeys`. */
  readonly waitsFor?: string;
  /** Whose quarantined operation it is shown as; by default its writer's. Null: nobody's but staff's. */
  readonly heldFor?: PersonId | null;
  /** Ashore: the people whom it lets see its topic. By default its writer and whom its record belongs to, as where a box vouches for it. */
  readonly sees?: readonly PersonId[];
  /** What the operation says that its author is, and this server knows of them now; none by default. It stays as it was at intake. */
  readonly roles?: readonly ClaimedRole[];
  /** The cloud notes it: whoever brings an operation is owed the receipt, and a box sees the surveys it brings. */
  readonly brought?: SubmittedBy;
}

/** Bytes that an accepted record names. */
export interface RecordedBlob extends BlobRef {
  /** They were here once and turned out broken or missing: whoever has them still is asked for them. */
  readonly lost?: true;
  /** They were freed here on the cloud's word, and its receipt for them stands: nobody is asked for them. */
  readonly freed?: true;
}

/** A document as a store keeps it: the fold, its times and the fields that the server owns. */
export interface StoredDocument {
  readonly kind: OpKind;
  readonly id: string;
  readonly folded: Folded;
  /** Least and greatest `madeAt` of its operations. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** What its author was, of what it says they are, when this server took it in; see `withKnownRoles`. */
  readonly roles: readonly ClaimedRole[];
  /** Server-owned fields, joined in on reading; dotted names of the catalogue stand nested. */
  readonly owned: JsonObject;
}

/**
 * What a reader of the change feed may see; absent: everything (bridge, console). Aboard all surveys are everybody's, and only
 * profiles are kept apart; ashore a reader sees what person, device or box has been given to see.
 */
export interface ChangeScope {
  /** Aboard: of profile operations, those of this person. Ashore: the surveys they took part in, and their own profile. */
  readonly person: PersonId | null;
  /** And what this device wrote itself, whoever held it; ashore also receipts for what it brought. */
  readonly deviceId: string | null;
  /** Ashore: the box that reads. It sees the surveys that it knows; of what it brought itself, the receipts. */
  readonly node?: string | null;
  /** Ashore: staff. */
  readonly everything?: boolean;
}

/**
 * The append store: the one writer of operations, documents and receipts of a node (protocol, "One write path"). The
 * edge keeps it in SQLite, the cloud in PostgreSQL; `tests/conformance/append-store.ts` holds both to the same words.
 */
export interface AppendStore {
  readonly identity: StoreIdentity;

  /**
   * The receipt given earlier for this operation, or undefined for an unknown one.
   *
   * @throws ReefError `receipt-mismatch` when another operation came under that opId (whole op as sent, canonical JSON)
   */
  knownReceipt(op: Op): Promise<Receipt | undefined>;

  /**
   * Stores, folds and receipts an operation in one durable transaction, grouped with others that arrive meanwhile. An
   * operation known already gets its stored receipt, byte for byte. The promise settles after the commit.
   *
   * @throws ReefError `receipt-mismatch`; any other error means that nothing of it was stored
   */
  append(op: Op, facts: AppendFacts): Promise<Receipt>;

  /** Takes receipts of another node (the cloud's) into the feed, each once. Gives how many were new. */
  addReceipts(receipts: readonly Receipt[]): Promise<number>;

  /** Entries after `since`, oldest first, at most `limit`. */
  changes(query: { since: number; limit: number; scope?: ChangeScope }): Promise<ChangesPage>;

  document(kind: OpKind, id: string): Promise<StoredDocument | undefined>;
  /** Documents of a kind, oldest id first. `surveyId` narrows images to one survey. Deleted ones are left out. */
  documents(kind: OpKind, filter?: { surveyId?: string }): Promise<readonly StoredDocument[]>;

  /** The bytes that the accepted records of this image name, each hash once. */
  recordedBlobs(imageId: string): Promise<readonly RecordedBlob[]>;

  /** Rebuilds documents and counters from the operations. Gives the number of documents. */
  rebuild(): Promise<number>;

  /** Calls back after each commit with the entries it added, until the returned function is called. */
  onCommit(listener: (entries: readonly ChangeEntry[]) => void): () => void;

  close(): Promise<void>;
}
