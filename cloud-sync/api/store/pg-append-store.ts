import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { GroupCommit } from '../../../src/base/group-commit';
import { ReefError } from '../../../src/domain/errors';
import { makeId } from '../../../src/domain/ids';
import type { JsonObject } from '../../../src/domain/json';
import type { Op, OpKind } from '../../../src/domain/op/op';
import type { ChangeEntry, ChangesPage } from '../../../src/protocol/changes';
import type { BlobRef, Receipt } from '../../../src/protocol/receipt';
import type {
  AppendFacts,
  AppendStore,
  ChangeScope,
  RecordedBlob,
  StoreIdentity,
  StoredDocument,
} from '../../../src/server/ops/append-store';
import { opTexts } from '../../../src/server/ops/op-texts';
import type { Probe } from '../../../src/server/ops/probe';
import type { ReceiptSigner } from '../../../src/server/ops/receipt-signer';
import { DatabaseUnavailableError, retryWhileUnavailable } from '../postgres/database-error';
import type { HeldStore, ReleaseOptions } from '../intake/admission';
import type { ParkedOp, Parking } from '../intake/parking';
import type { Grant } from '../access/grants';
import { addGrants } from '../access/grants';
import { appendBatch } from './append-batch';
import type { AppendJob, AppendResult } from './append-job';
import { opIdMismatchError } from './append-job';
import { documentKey, hasMissingReadRows, rebuildDocuments, setOwned } from './documents';
import { inPortions, loadSizes } from './document-sizes';
import { addFeedEntries, readFeedPage } from '../feed/feed';
import { FeedNotifier } from '../feed/feed-notifier';
import { createPgHeldStore } from '../intake/pg-held-store';
import { markBlobRestored, markBlobLost, loadExpectedBlobs, isBlobLost } from '../images/image-blobs';
import { IntakeReads } from '../intake/intake-reads';
import { migrateStore } from './migrate';
import { loadParkedPage, park, loadParkedFor } from '../intake/parked-ops';
import type { QuarantinedOp } from '../intake/quarantine';
import { isQuarantined, listQuarantined, releaseOp } from '../intake/quarantine';
import { switchPerson, hasPersonChanged } from '../feed/device-readers';
import { Writer } from './writer';

interface PgAppendStoreOptions {
  readonly database: { readonly url: string; readonly pool: pg.Pool };
  readonly signer: ReceiptSigner;
  readonly report: (message: string) => void;
  readonly now?: () => Date;
  /** Time to retry while the database is unavailable, ms; 10 s by default. */
  readonly retryForMs?: number;
  readonly probe?: Probe;
}

/** Larger transactions would delay other processes longer than they save flushes. */
const COMMIT_MAX_OPS = 256;
const RETRY_FOR_MS = 10_000;

/**
 * Append store in PostgreSQL: operations as sent, folded documents, receipts and the change feed in one durable
 * transaction (protocol, "One write path", "Receipts and keys"). Any number of processes share a database.
 */
export class PgAppendStore implements AppendStore, Parking {
  readonly identity: StoreIdentity;
  /** Operations held because their author lacks access (for now). */
  readonly held: HeldStore;
  readonly #pool: pg.Pool;
  readonly #signer: ReceiptSigner;
  readonly #now: () => Date;
  readonly #retryForMs: number;
  readonly #probe: Probe | undefined;
  readonly #reads: IntakeReads;
  readonly #writer: Writer;
  readonly #notifier: FeedNotifier;
  /** Waits a turn first, so that operations already in the sockets join the batch. */
  readonly #appends = new GroupCommit<AppendJob, AppendResult>({
    commit: (jobs) => this.#appendTogether(jobs),
    max: COMMIT_MAX_OPS,
    gather: () => new Promise((resolve) => setImmediate(resolve)),
    onFailure: (error) => (error instanceof DatabaseUnavailableError ? 'reject-group' : 'retry-each'),
  });
  #closed = false;

  private constructor(options: PgAppendStoreOptions, identity: StoreIdentity, lastSeq: number) {
    this.identity = identity;
    this.#pool = options.database.pool;
    this.#signer = options.signer;
    this.#now = options.now ?? (() => new Date());
    this.#retryForMs = options.retryForMs ?? RETRY_FOR_MS;
    this.#probe = options.probe;
    this.#reads = new IntakeReads(this.#pool, this.#retryForMs);
    this.held = createPgHeldStore({
      pool: this.#pool,
      reads: this.#reads,
      retry: (work) => this.#retry(work),
      release: (opId, how) => this.release(opId, how),
    });
    this.#writer = new Writer(this.#pool, {
      retryForMs: this.#retryForMs,
      onCommitted: (what) => this.#notifier.onCommitted(what),
      probe: options.probe,
    });
    const { database, report } = options;
    this.#notifier = new FeedNotifier({
      database,
      storeEpoch: identity.storeEpoch,
      fromSeq: lastSeq,
      report,
      idle: () => this.#writer.idle(),
    });
  }

  /**
   * Opens the store, creates it if missing, and migrates its schema.
   *
   * @throws NewerSchemaError; DatabaseUnavailableError
   */
  static async open(options: PgAppendStoreOptions): Promise<PgAppendStore> {
    const { pool } = options.database;
    return retryWhileUnavailable(async () => {
      await migrateStore(pool);
      await pool.query('INSERT INTO store (node_id, store_epoch) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
        makeId(randomBytes),
        makeId(randomBytes),
      ]);
      const { rows } = await pool.query<{ node_id: string; store_epoch: string; last_seq: number }>(
        'SELECT node_id, store_epoch, last_seq FROM store',
      );
      const [row] = rows;
      if (row === undefined) throw new ReefError('internal', { message: 'The store has no row of its own.' });
      const store = new PgAppendStore(
        options,
        { stage: 'cloud', nodeId: row.node_id, storeEpoch: row.store_epoch },
        row.last_seq,
      );
      await store.#notifier.open();
      if (await hasMissingReadRows(pool)) await store.rebuild();
      return store;
    }, options.retryForMs ?? RETRY_FOR_MS);
  }

  async knownReceipt(op: Op): Promise<Receipt | undefined> {
    const text = opTexts(op).whole;
    const known = await this.#reads.findOp(op.opId);
    if (known === undefined) return undefined;
    if (known.text !== text) throw opIdMismatchError();
    return known.receipt;
  }

  async append(op: Op, facts: AppendFacts): Promise<Receipt> {
    if (this.#closed) throw new ReefError('internal', { message: 'The store is closed.' });
    const job = { op, text: opTexts(op).whole, facts };
    const result = await this.#appends.add(job).catch((error: unknown) => {
      throw error instanceof ReefError ? error : new ReefError('internal', { cause: error });
    });
    if ('error' in result) throw result.error;
    return result.receipt;
  }

  addReceipts(receipts: readonly Receipt[]): Promise<number> {
    const foreign = receipts.filter(
      ({ nodeId, storeEpoch }) => nodeId !== this.identity.nodeId || storeEpoch !== this.identity.storeEpoch,
    );
    const once = [
      ...new Map(
        foreign.map((receipt) => [`${receipt.opId} ${receipt.nodeId} ${receipt.storeEpoch} ${receipt.seq}`, receipt]),
      ).values(),
    ];
    if (once.length === 0) return Promise.resolve(0);
    return this.#writer.run(async (transaction) => {
      const { rows } = await transaction.client.query<{
        op_id: string;
        node_id: string;
        store_epoch: string;
        node_seq: number;
      }>(`SELECT op_id, node_id, store_epoch, node_seq FROM feed WHERE op_id = ANY($1::text[]) AND repeats IS NULL`, [
        once.map(({ opId }) => opId),
      ]);
      const there = new Set(rows.map((row) => `${row.op_id} ${row.node_id} ${row.store_epoch} ${row.node_seq}`));
      const entries = once
        .filter((receipt) => !there.has(`${receipt.opId} ${receipt.nodeId} ${receipt.storeEpoch} ${receipt.seq}`))
        .map((receipt) => ({
          seq: transaction.nextSeq(),
          receipt,
          own: false,
          topic: receiptTopic(receipt),
          subject: null,
          submitter: { device: null, node: null },
        }));
      await addFeedEntries(transaction, entries);
      transaction.newEntries.push(...entries.map(({ seq, receipt }) => ({ seq, receipt })));
      return entries.length;
    });
  }

  async changes(query: { since: number; limit: number; scope?: ChangeScope }): Promise<ChangesPage> {
    const { scope, since } = query;
    if (
      scope !== undefined &&
      scope.everything !== true &&
      (await this.#retry(() => hasPersonChanged(this.#pool, scope)))
    ) {
      await this.#writer.run((transaction) => switchPerson(transaction, scope, since));
    }
    return this.#retry(() => readFeedPage(this.#pool, this.identity.storeEpoch, query));
  }

  document(kind: OpKind, id: string): Promise<StoredDocument | undefined> {
    return this.#reads.document(kind, id);
  }

  recordedBlobs(imageId: string): Promise<readonly RecordedBlob[]> {
    return this.#reads.recordedBlobs(imageId);
  }

  /** Also serves the recount command: recomputes counters with the documents. */
  rebuild(): Promise<number> {
    return this.#writer.run(({ client }) => rebuildDocuments(client));
  }

  /** Sets server-owned fields (`priority`, `token`…), nested as in documents; `null` removes one. */
  setOwned(kind: OpKind, docId: string, fields: JsonObject): Promise<void> {
    return this.#writer.run(({ client }) => setOwned(client, { kind, docId }, fields));
  }

  /**
   * Grants subjects access to topics; existing entries are repeated for them in the feed. Returns the number of new
   * grants.
   */
  grant(grants: readonly Grant[]): Promise<number> {
    return this.#writer.run((transaction) => addGrants(transaction, grants));
  }

  revoke(grants: readonly Grant[]): Promise<number> {
    return this.#writer.run(async ({ client }) => {
      const { rowCount } = await client.query(
        'DELETE FROM grants g USING unnest($1::text[], $2::text[]) AS k(subject, topic) WHERE g.subject = k.subject AND g.topic = k.topic',
        [grants.map(({ subject }) => subject), grants.map(({ topic }) => topic)],
      );
      return rowCount ?? 0;
    });
  }

  quarantined(query: { since?: number; limit?: number } = {}): Promise<readonly QuarantinedOp[]> {
    return this.#retry(() => listQuarantined(this.#pool, query.since ?? 0, query.limit ?? 100));
  }

  isQuarantined(kind: OpKind, docId: string): Promise<boolean> {
    return this.#retry(() => isQuarantined(this.#pool, kind, docId));
  }

  /**
   * Releases an operation from quarantine; returns its new receipt. See `releaseOp`.
   *
   * @throws ReefError `not-found`
   */
  release(opId: string, how?: ReleaseOptions): Promise<Receipt> {
    return this.#writer.run((transaction) =>
      releaseOp(transaction, opId, { identity: this.identity, signer: this.#signer, now: this.#now }, how),
    );
  }

  /** Parks an operation whose bytes are missing. Appending removes it here. @throws ReefError `receipt-mismatch` */
  park(parked: ParkedOp): Promise<void> {
    return this.#retry(() => park(this.#pool, parked, this.#now()));
  }

  findParked(opId: string): Promise<ParkedOp | undefined> {
    return this.#reads.findParked(opId);
  }

  listParkedFor(sha256: string): Promise<readonly ParkedOp[]> {
    return this.#retry(() => loadParkedFor(this.#pool, sha256));
  }

  listParked(query: { after?: string; limit?: number } = {}): Promise<readonly ParkedOp[]> {
    return this.#retry(() => loadParkedPage(this.#pool, query.after ?? '', query.limit ?? 1000));
  }

  /** Removes a parked operation that will never be accepted. */
  async unpark(opId: string): Promise<void> {
    await this.#retry(() => this.#pool.query('DELETE FROM parked WHERE op_id = $1', [opId]));
  }

  onCommit(listener: (entries: readonly ChangeEntry[]) => void): () => void {
    return this.#notifier.subscribe(listener);
  }

  expectedBlobs(after: string, limit: number): Promise<readonly BlobRef[]> {
    return this.#retry(() => loadExpectedBlobs(this.#pool, after, limit));
  }

  markBlobLost(sha256: string): Promise<number> {
    return this.#retry(() => markBlobLost(this.#pool, sha256));
  }

  isBlobLost(sha256: string): Promise<boolean> {
    return this.#retry(() => isBlobLost(this.#pool, sha256));
  }

  markBlobRestored(sha256: string): Promise<number> {
    return this.#retry(() => markBlobRestored(this.#pool, sha256));
  }

  /** Finishes pending work. The connections belong to the caller that opened them. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#appends.idle();
    await this.#writer.close();
    await this.#notifier.close();
  }

  #retry<T>(work: () => Promise<T>): Promise<T> {
    return retryWhileUnavailable(work, this.#retryForMs);
  }

  /** Appends in one transaction, or in several if the documents are large: each has them all in memory. */
  async #appendTogether(jobs: readonly AppendJob[]): Promise<AppendResult[]> {
    const context = { identity: this.identity, signer: this.#signer, now: this.#now };
    const results: AppendResult[] = [];
    for (const portion of await this.#portionsOf(jobs))
      results.push(
        ...(await this.#writer.run(async (transaction) => {
          const appended = await appendBatch(transaction, portion, context);
          this.#probe?.('append.after-insert');
          return appended;
        })),
      );
    return results;
  }

  async #portionsOf(jobs: readonly AppendJob[]): Promise<readonly (readonly AppendJob[])[]> {
    if (jobs.length === 1) return [jobs];
    const sizes = await this.#retry(() =>
      loadSizes(
        this.#pool,
        jobs.map(({ op }) => op),
      ),
    );
    return inPortions(jobs, sizes, ({ op, text }) => ({
      document: documentKey(op.kind, op.docId),
      chars: text.length,
    }));
  }
}

/**
 * Topic of another node's receipt, which names no survey: a profile's goes to its person only, others to their device.
 */
function receiptTopic({ kind, docId }: Receipt): string | null {
  return kind === 'profile' ? `profile:${docId}` : kind === 'survey' ? docId : null;
}
