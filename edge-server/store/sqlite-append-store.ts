import { Emitter } from '../../src/base/emitter';
import { KeyedMutex } from '../../src/base/keyed-mutex';
import fs from 'node:fs';
import type { Database as SqliteDatabase } from 'better-sqlite3';
import { canonicalJson } from '../../src/domain/canonical';
import type { JsonObject } from '../../src/domain/json';
import type { Op, OpKind } from '../../src/domain/op/op';
import { docKeyOf } from '../../src/domain/op/op';
import type { ChangeEntry, ChangesPage } from '../../src/protocol/changes';
import type { Receipt } from '../../src/protocol/receipt';
import type {
  AppendFacts,
  AppendStore,
  ChangeScope,
  RecordedBlob,
  StoreIdentity,
  StoredDocument,
} from '../../src/server/ops/append-store';
import type { Probe } from '../../src/server/ops/probe';
import type { ReceiptSigner } from '../../src/server/ops/receipt-signer';
import { CommitQueue } from './commit-queue';
import { Documents } from './documents';
import { Feed } from './feed';
import type { FolderLock } from '../../src/server/files/folder-lock';
import { lockFolder } from '../../src/server/files/folder-lock';
import { resolveIdentity, lastSeq } from './identity';
import type { FreeingNote, FreeingEvidence } from './freed-bytes';
import { FreedBytes } from './freed-bytes';
import { ImageBlobs } from './image-blobs';
import type { NodeIdentity } from './node-identity-file';
import { NodeIdentityFile } from './node-identity-file';
import type { Report } from './open-database';
import { openDatabase } from './open-database';

interface SqliteStoreOptions {
  /** Folder of the database; created if missing. Only one process may use it at a time. */
  readonly folder: string;
  readonly signer: ReceiptSigner;
  /** Lock of the folder if the caller already holds it; the store releases it on close. */
  readonly lock?: FolderLock;
  /** Called once after a failed write or fsync: the process must exit and recover at its next start. */
  readonly onFatal: (error: Error) => void;
  readonly report: Report;
  readonly now?: () => Date;
  readonly probe?: Probe;
  /** True if the database was restored from a backup: it begins a new epoch. */
  readonly restored?: boolean;
}

/** Feed entries and work of a transaction; see `TransactionWork`. */
interface Spending {
  readonly added: ChangeEntry[];
  readonly spend: (chars: number) => void;
}

/**
 * Append store of the edge in one SQLite file (WAL, `synchronous=FULL`): operations as sent, folded documents, receipts
 * and the change feed, all in one transaction (protocol, "One write path", "Receipts and keys").
 */
export class SqliteAppendStore implements AppendStore {
  readonly identity: StoreIdentity;
  readonly database: SqliteDatabase;
  readonly blobs: ImageBlobs;
  readonly freed: FreedBytes;
  readonly #lock: FolderLock;
  readonly #signer: ReceiptSigner;
  readonly #now: () => Date;
  readonly #report: Report;
  readonly #documents: Documents;
  readonly #feed: Feed;
  readonly #queue: CommitQueue;
  readonly #identityFile: NodeIdentityFile;
  readonly #preparing = new KeyedMutex();
  readonly #committed = new Emitter<readonly ChangeEntry[]>();
  readonly onCommit = this.#committed.subscribe;

  private constructor(database: SqliteDatabase, lock: FolderLock, options: SqliteStoreOptions) {
    this.database = database;
    this.#lock = lock;
    this.#signer = options.signer;
    this.#now = options.now ?? (() => new Date());
    this.#report = options.report;
    this.#identityFile = new NodeIdentityFile(options.folder, options.report);
    this.identity = resolveIdentity(database, {
      signer: options.signer,
      lastKnown: this.#identityFile.found,
      restored: options.restored === true,
      report: options.report,
    });
    this.#identityFile.write(() => this.#currentIdentity());
    this.#documents = new Documents(database);
    this.freed = new FreedBytes(database);
    this.blobs = new ImageBlobs(database, this.freed);
    this.#feed = new Feed(database, this.identity);
    this.#queue = new CommitQueue(database, {
      onCommitted: (entries) => this.#notify(entries),
      onFatal: options.onFatal,
      probe: options.probe,
    });
  }

  /**
   * Opens the store of a folder; creates it if missing.
   *
   * @throws Error if another process holds the folder; NewerSchemaError
   */
  static open(options: SqliteStoreOptions): SqliteAppendStore {
    fs.mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    const lock = options.lock ?? lockFolder(options.folder);
    try {
      const database = openDatabase(options.folder, options.now ?? (() => new Date()), options.report);
      try {
        return new SqliteAppendStore(database, lock, options);
      } catch (error) {
        database.close();
        throw error;
      }
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Current store epoch of the cloud, taken from its receipts; undefined before the first one. */
  get cloudEpoch(): string | undefined {
    return this.#feed.cloudEpoch();
  }

  async knownReceipt(op: Op): Promise<Receipt | undefined> {
    return this.#feed.findReceipt(op.opId, () => canonicalJson(op as unknown as JsonObject));
  }

  append(op: Op, facts: AppendFacts): Promise<Receipt> {
    const { kind, docId } = op;
    const append = () => this.#queue.run<Receipt>((added, spend) => this.#append(op, facts, { added, spend }));
    if (facts.quarantine !== undefined || !this.#documents.isUnprepared(kind, docId, facts.ceilings ?? 'keep'))
      return append();
    return this.#preparing.run(docKeyOf(kind, docId), () => this.#documents.prepare(kind, docId)).then(append);
  }

  async addReceipts(receipts: readonly Receipt[]): Promise<number> {
    for (const { kind, docId, accepted } of receipts)
      if (accepted && this.#documents.isUnprepared(kind, docId, 'ignore')) await this.#documents.prepare(kind, docId);
    return this.#queue.run((added, spend) => {
      let count = 0;
      for (const receipt of receipts) {
        const entry = this.#feed.addForeignReceipt(receipt);
        if (entry === undefined) continue;
        count++;
        added.push(entry);
        if (receipt.stage === 'cloud' && receipt.accepted) this.#release(receipt, spend);
      }
      return count;
    });
  }

  /**
   * Records durably that bytes are about to be freed; false if a later write contradicts it.
   *
   * @param evidence as it was verified
   */
  markFreed(evidence: FreeingEvidence, note: FreeingNote): Promise<boolean> {
    return this.#queue.run(() => this.freed.markFreed(evidence, note));
  }

  settleFreed(sha256: string, outcome: 'gone' | 'here'): Promise<void> {
    return this.#queue.run(() =>
      outcome === 'gone' ? this.freed.markDeleted(sha256) : this.freed.markPresent(sha256),
    );
  }

  async changes(query: { since: number; limit: number; scope?: ChangeScope }): Promise<ChangesPage> {
    return this.#feed.page(query);
  }

  async document(kind: OpKind, id: string): Promise<StoredDocument | undefined> {
    return this.#documents.get(kind, id);
  }

  async recordedBlobs(imageId: string): Promise<readonly RecordedBlob[]> {
    return this.blobs.recordedBlobs(imageId);
  }

  /** Also the recount command: recomputes counters together with the documents. */
  rebuild(): Promise<number> {
    return this.#queue.run(() => this.#documents.rebuild());
  }

  async close(): Promise<void> {
    if (!this.database.open) return;
    try {
      this.#queue.close();
      this.database.pragma('wal_checkpoint(TRUNCATE)');
      this.#identityFile.write(() => this.#currentIdentity());
    } finally {
      this.#identityFile.cancelWrite();
      this.database.close();
      this.#lock.release();
    }
  }

  #append(op: Op, facts: AppendFacts, { added, spend }: Spending): Receipt {
    const text = canonicalJson(op as unknown as JsonObject);
    const known = this.#feed.findReceipt(op.opId, () => text);
    if (known !== undefined) return known;

    const reason = facts.quarantine ?? this.#applyOp(op, facts, spend);
    const seq = this.#feed.nextSeq();
    const receipt = this.#signer.signReceipt({
      v: 1,
      ...this.identity,
      opId: op.opId,
      kind: op.kind,
      docId: op.docId,
      sha256: op.sha256,
      ...(facts.blob === undefined ? {} : { blob: { sha256: facts.blob.sha256, bytes: facts.blob.bytes } }),
      ...(facts.by === null ? {} : { by: facts.by }),
      accepted: reason === undefined,
      ...(reason === undefined ? {} : { reason }),
      seq,
      storedAt: this.#now().toISOString(),
    });
    added.push(this.#feed.addOp(op, text, facts, receipt));
    if (reason === undefined) this.blobs.record(op, facts.blob);
    return receipt;
  }

  /** @returns the reason in words if the operation must be held */
  #applyOp(op: Op, { by, roles, ceilings }: AppendFacts, spend: (chars: number) => void): string | undefined {
    const { problem, chars } = this.#documents.applyOp({ op, by: op.by ?? by, roles: roles ?? [] }, ceilings ?? 'keep');
    spend(chars);
    return problem;
  }

  /** Takes an operation out of quarantine that the cloud accepted; its receipt of this box stays what it was. */
  #release({ opId }: Receipt, spend: (chars: number) => void): void {
    const held = this.#feed.findHeld(opId);
    if (held === undefined) return;
    // Before it counts as accepted: a document without a basis is folded from those that are.
    this.#applyOp(held.op, { by: held.by, roles: held.roles, ceilings: 'ignore' }, spend);
    this.#feed.markReleased(opId);
    this.blobs.record(held.op, held.blob);
  }

  #currentIdentity(): NodeIdentity {
    const { nodeId, storeEpoch } = this.identity;
    return { nodeId, storeEpoch, lastSeq: lastSeq(this.database) };
  }

  #notify(entries: readonly ChangeEntry[]): void {
    this.#identityFile.scheduleWrite(() => this.#currentIdentity());
    // The commit is final; one listener's failure must not reach the others.
    this.#committed.emit(entries, (error) =>
      this.#report(`A listener of the change feed failed: ${error instanceof Error ? error.message : String(error)}`),
    );
  }
}
