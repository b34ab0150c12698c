import { ReefError } from '../../../domain/errors';
import type { Op } from '../../../domain/op/op';
import { LIMITS } from '../../../domain/limits';
import type { TabletHost } from '../../../platform/host';
import type { CloudOpResult } from '../../../protocol/cloud-http';
import type { EdgeUpdate } from '../../../protocol/edge-socket';
import type { BlobRef, PublicKey, Receipt } from '../../../protocol/receipt';
import type { CloudRow } from '../../ops/database';
import type { OpsStore } from '../../ops/ops-store';
import { enrolSession } from './certify-key';
import { CloudHttp } from './cloud-http';
import type { Connectivity } from '../connectivity';
import type { LinkTransport } from '../link-keeper';
import { LinkKeeper } from '../link-keeper';
import { GroupCommit } from '../../../base/group-commit';
import { Emitter } from '../../../base/emitter';
import type { UploadStart, Upstream } from '../upstream';
import { withJitter, sleep } from '../timing';

/** Maximum records per message and their size in UTF-16 code units: the cost of an interruption. */
const BATCH_RECORDS = 100;
const BATCH_TEXT = 512 * 1024;

interface QueuedOp {
  readonly item: unknown;
  readonly size: number;
}

function batchLength(queue: readonly QueuedOp[]): number {
  let count = 0;
  for (let size = 0; count < Math.min(BATCH_RECORDS, queue.length); count++) {
    size += queue[count]?.size ?? 0;
    if (count > 0 && size > BATCH_TEXT) break;
  }
  return count;
}

/** Transport to the cloud: there is no socket that reports a loss, only failing calls. */
class CloudTransport implements LinkTransport {
  readonly lost = new Emitter<void>();
  connected = true;

  readonly close = (): void => {
    if (!this.connected) return;
    this.connected = false;
    this.lost.emit();
  };
}

/** Connection on which the cloud knows this tablet by its device credential. */
export class CloudConnection implements Upstream {
  readonly stage = 'cloud';
  readonly name = 'shore';
  readonly recordsAtOnce = BATCH_RECORDS;
  /** Operations offered during a request share the next one. */
  readonly #requests = new GroupCommit<QueuedOp, CloudOpResult>({
    commit: (batch) => this.#dropOnFailure(() => this.http.ops(batch.map(({ item }) => item))),
    max: batchLength,
    gather: () => Promise.resolve(),
    onFailure: () => 'reject-group',
  });
  #listening = false;
  readonly #ending = new AbortController();

  readonly #host: TabletHost;
  readonly #transport: LinkTransport;
  readonly #onHint: () => void;
  readonly #onSlow: (slow: boolean) => void;

  constructor(
    host: TabletHost,
    transport: LinkTransport,
    readonly cloud: CloudRow,
    readonly http: CloudHttp,
    /** True if this tablet was revoked: the cloud accepts everything and answers no read. */
    readonly hasEnded: boolean,
    onHint: () => void,
    /** Called with true while a reply takes longer than the slow threshold, and with false when one arrives. */
    onSlow: (slow: boolean) => void,
  ) {
    this.#host = host;
    this.#transport = transport;
    this.#onHint = onHint;
    this.#onSlow = onSlow;
    transport.lost.subscribe(() => this.#ending.abort());
  }

  get nodeId(): string {
    return this.cloud.nodeId;
  }

  get storeEpoch(): string {
    return this.cloud.storeEpoch;
  }

  get receiptKeys(): readonly PublicKey[] {
    return this.cloud.receiptKeys;
  }

  get cloudKeys(): readonly PublicKey[] {
    return this.cloud.receiptKeys;
  }

  get chunkBytes(): number {
    return this.cloud.chunkBytes;
  }

  async sendOp(op: Op, by: string | null, supportingReceipt?: Receipt): Promise<unknown> {
    const extras = {
      ...(op.by === undefined && by !== null ? { by } : {}),
      ...(supportingReceipt === undefined ? {} : { receipt: supportingReceipt }),
    };
    const item = Object.keys(extras).length > 0 ? { op, ...extras } : op;
    const result = await this.#requests.add({ item, size: JSON.stringify(item).length });
    if ('error' in result) throw ReefError.fromWire(result.error);
    if ('needs' in result)
      throw new ReefError('incomplete', {
        offset: 0,
        message: 'The shore does not have the file of this photograph. Sending it again.',
      });
    return result.receipt;
  }

  startUpload(_op: Op, { sha256, bytes }: BlobRef, type: string): Promise<UploadStart> {
    return this.#dropOnFailure(() => this.http.startUpload({ sha256, bytes, type }));
  }

  sendChunk(uploadId: string, offset: number, bytes: Uint8Array<ArrayBuffer>): Promise<number> {
    return this.#dropOnFailure(() => this.http.patch(uploadId, offset, bytes));
  }

  changes(since: number, limit: number, subscribe: boolean): Promise<unknown> {
    if (subscribe) this.#startHints();
    return this.#dropOnFailure(() => this.http.changes(since, limit));
  }

  /** Returns the hashes that the cloud does not have complete now. @throws ReefError */
  findMissing(sha256: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#dropOnFailure(() => this.http.findMissing(sha256));
  }

  /** Runs a call if the connection is up. A failed call ends it: the next one is made when the cloud answers again. */
  async #dropOnFailure<Value>(call: () => Promise<Value>): Promise<Value> {
    if (!this.#transport.connected) throw new ReefError('disconnected');
    const cancelSlow = this.#host.timers.after(LIMITS.slowConnectionMs, () => this.#onSlow(true));
    try {
      const reply = await call();
      this.#onSlow(false);
      return reply;
    } catch (error) {
      if (error instanceof ReefError && (error.code === 'disconnected' || error.code === 'unauthorised'))
        this.#transport.close();
      throw error;
    } finally {
      cancelSlow();
    }
  }

  /** Follows hints while the connection is up; nothing depends on them. */
  #startHints(): void {
    if (this.#listening) return;
    this.#listening = true;
    void this.#readHints();
  }

  async #readHints(): Promise<void> {
    const host = this.#host;
    const { signal } = this.#ending;
    // The feed is read at the start anyway; after a gap there may be news.
    let first = true;
    while (!signal.aborted) {
      try {
        await this.http.followHints(signal, () => {
          if (!first) this.#onHint();
          first = false;
        });
      } catch (error) {
        if (!signal.aborted) host.log.note('info', 'The hints from the shore ended.', { error: String(error) });
        // The next connection learns of a revocation in between.
        if (error instanceof ReefError && error.code === 'forbidden') this.#transport.close();
      }
      await sleep(host.timers, withJitter(LIMITS.connectivityRetryMaxMs, host.randomBytes), signal);
    }
  }
}

/** Keeps a connection to the cloud while connectivity names it and someone holds it. */
export class CloudLinkKeeper extends LinkKeeper<CloudRow, CloudTransport, CloudConnection> {
  constructor(store: OpsStore, connectivity: Connectivity) {
    const { host } = store;
    super(host, {
      target: () => connectivity.answeringCloud.get(),
      targetId: ({ nodeId, storeEpoch, credential }) => `${nodeId} ${storeEpoch} ${credential ?? ''}`,
      createTransport: () => new CloudTransport(),
      connect: async (transport, cloud) => {
        const http = new CloudHttp(host, cloud.origin ?? '', cloud.credential ?? '');
        const hasEnded = await http.hasEnded();
        if (hasEnded !== (cloud.isRevoked === true)) await noteRevoked(store, cloud, hasEnded);
        await enrolSession(store, { origin: cloud.origin ?? '', nodeId: cloud.nodeId });
        return new CloudConnection(
          host,
          transport,
          cloud,
          http,
          hasEnded,
          () => this.updates.emit({ name: 'changes', data: null } as unknown as EdgeUpdate),
          (slow) => connectivity.setSlow(slow),
        );
      },
      check: () => connectivity.check(),
      refusals: ['unauthorised'],
    });
    connectivity.answeringCloud.subscribe((cloud) => {
      // A box answers now, or nothing does.
      if (cloud === null) this.drop();
      this.targetChanged();
    });
  }
}

/** Stores that this tablet's credential was revoked, or is in force again. */
function noteRevoked(store: OpsStore, { nodeId, credential }: CloudRow, isRevoked: boolean): Promise<void> {
  const { db } = store;
  return store.run(() =>
    db.transaction('rw', db.clouds, async () => {
      const now = await db.clouds.get(nodeId);
      // Someone may have signed in since.
      if (now?.credential === credential) await db.clouds.put({ ...now, isRevoked });
    }),
  );
}
