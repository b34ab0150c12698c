import { ReefError } from '../../../domain/errors';
import type { Op } from '../../../domain/op/op';
import type { EdgeLimits, EdgeReplies, EdgeUser, QueryData } from '../../../protocol/edge-socket';
import type { BlobRef, PublicKey, Receipt } from '../../../protocol/receipt';
import type { EdgeRow } from '../../ops/database';
import type { OpsStore } from '../../ops/ops-store';
import type { Connectivity } from '../connectivity';
import { EdgeHttp } from './edge-http';
import { EdgeSocket } from './edge-socket';
import { LinkKeeper } from '../link-keeper';
import { Emitter } from '../../../base/emitter';
import type { UploadStart, Upstream } from '../upstream';
import type { TabletName } from './verify-with-edge';
import { cloudOriginOf, mergeKeys, verifyWithEdge } from './verify-with-edge';

/** Chunk size from which HTTP is used if the box offers it: cheaper for both sides than the socket. */
const HTTP_FROM_BYTES = 512 * 1024;

const EVENTS = { profile: 'profile', survey: 'survey', image: 'image:record', analysis: 'analysis' } as const;

export class EdgeConnection implements Upstream {
  readonly stage = 'edge';
  readonly recordsAtOnce = 1;
  /** Set if HTTP failed while the socket was connected (a proxy, a browser's rule): the socket is used instead. */
  #isHttpBlocked = false;
  #user: EdgeUser | null;

  constructor(
    readonly edge: EdgeRow,
    readonly socket: EdgeSocket,
    readonly http: EdgeHttp,
    readonly limits: EdgeLimits,
    readonly supportsHttp: boolean,
    /** True if the box ended this tablet's access: it accepts everything and answers no read. */
    readonly hasEnded: boolean,
    /** Keys of the clouds that proved them to this tablet over TLS. */
    readonly pinnedCloudKeys: readonly PublicKey[],
    user: EdgeUser | null,
  ) {
    this.#user = user;
  }

  /** Person of this connection as the box knows them; null: none. */
  get user(): EdgeUser | null {
    return this.#user;
  }

  get nodeId(): string {
    return this.edge.nodeId;
  }

  get storeEpoch(): string {
    return this.edge.storeEpoch;
  }

  get name(): string {
    return this.edge.name;
  }

  get receiptKeys(): readonly PublicKey[] {
    return this.edge.receiptKeys;
  }

  /** A box's word about the cloud's keys counts only while the tablet knows no cloud itself. */
  get cloudKeys(): readonly PublicKey[] {
    return this.pinnedCloudKeys.length > 0 ? this.pinnedCloudKeys : this.edge.cloudKeys;
  }

  get chunkBytes(): number {
    return this.limits.chunkBytes;
  }

  async sendOp(op: Op, _by: string | null, supportingReceipt?: Receipt): Promise<unknown> {
    if (op.kind === 'image' && supportingReceipt !== undefined)
      return (await this.socket.request('image:record', { op, receipt: supportingReceipt })).receipt;
    return (await this.socket.request(EVENTS[op.kind], { op })).receipt;
  }

  /**
   * Corrects the name of the person who signed in at the box.
   * @throws ReefError as {@link EdgeHttp.correctName}
   */
  async correctName(name: EdgeUser['name']): Promise<void> {
    await this.http.correctName(this.edge.session, name);
    if (this.#user !== null) this.#user = { ...this.#user, name };
  }

  startUpload(op: Op, blob: BlobRef, type: string): Promise<UploadStart> {
    const survey = op.body['survey'] as { id?: unknown } | undefined;
    const path = op.body['path'];
    return this.socket.request('image:path', {
      surveyId: String(survey?.id ?? ''),
      imageId: op.docId,
      path: typeof path === 'string' && path !== '' ? path : op.docId,
      bytes: blob.bytes,
      sha256: blob.sha256,
      type,
    });
  }

  async sendChunk(uploadId: string, offset: number, bytes: Uint8Array<ArrayBuffer>): Promise<number> {
    if (this.supportsHttp && bytes.byteLength >= HTTP_FROM_BYTES && !this.#isHttpBlocked) {
      try {
        return (await this.http.patch(uploadId, offset, bytes, this.edge.session)).offset;
      } catch (error) {
        if (error instanceof ReefError && error.code === 'disconnected' && this.socket.connected)
          this.#isHttpBlocked = true;
        throw error;
      }
    }
    return (await this.socket.request('image:binary', { uploadId, offset }, bytes)).offset;
  }

  async changes(since: number, limit: number, subscribe: boolean, lostKey: string): Promise<unknown> {
    const answer = await this.socket.request('query', {
      name: 'changes',
      params: { since, limit, ...(lostKey === '' ? {} : { lost: lostKey }) },
      ...(subscribe ? { subscribe: true } : {}),
    });
    return answer.data;
  }

  /**
   * Fetches reference data, only if the box lists it: a browser logs each 404 as an error.
   *
   * @param known ETag of the stored version, which is not sent again
   * @returns as {@link EdgeHttp.reference}
   * @throws ReefError from the box, `disconnected`, `timeout`
   */
  async reference(name: string, known?: string): ReturnType<EdgeHttp['reference']> {
    const { data } = await this.socket.request('query', { name: 'meta' });
    // An older box has no list.
    if ((data as QueryData['meta']).references?.includes(name) === false) return 'none';
    return this.http.reference(name, this.edge.session, known);
  }
}

/** Keeps one verified connection to the box that connectivity names, while someone holds it. */
export class EdgeLinkKeeper extends LinkKeeper<EdgeRow, EdgeSocket, EdgeConnection> {
  /** Notices of the box to the current user; null: it knows the person and has no notice. */
  readonly notices = new Emitter<string | null>();

  readonly #store: OpsStore;
  readonly #connectivity: Connectivity;
  readonly #self: TabletName;

  constructor(store: OpsStore, connectivity: Connectivity, self: TabletName) {
    const { host } = store;
    super(host, {
      target: () => connectivity.answeringEdge.get()?.edge ?? null,
      targetId: ({ nodeId }) => nodeId,
      createTransport: ({ origin }) => new EdgeSocket(host, origin),
      connect: (socket, edge) => this.#open(socket, edge),
      check: () => connectivity.check(),
    });
    this.#store = store;
    this.#connectivity = connectivity;
    this.#self = self;
    connectivity.answeringEdge.subscribe(() => this.targetChanged());
  }

  async #open(socket: EdgeSocket, edge: EdgeRow): Promise<EdgeConnection> {
    await socket.connect();
    socket.slow.subscribe((slow) => this.#connectivity.setSlow(slow));
    socket.updates.subscribe((update) => this.updates.emit(update));
    socket.notices.subscribe((notice) => this.notices.emit(notice));
    const reply = await this.#verify(socket, edge);
    if ((reply.user ?? null) !== null && reply.notice === undefined) this.notices.emit(null);
    const known = await this.#storeEdge(edge, reply);
    return new EdgeConnection(
      known,
      socket,
      new EdgeHttp(this.#store.host, edge.origin),
      reply.limits,
      reply.binary.includes('http'),
      reply.ended !== undefined,
      (await this.#store.run(() => this.#store.db.clouds.toArray())).flatMap(({ receiptKeys }) => receiptKeys),
      reply.user ?? null,
    );
  }

  /**
   * Verifies with the person's token from ashore, if any. If the session belongs to an earlier key of this tablet, it
   * still delivers, without a key. A session unknown to the box is dropped: the tablet pairs again.
   */
  async #verify(socket: EdgeSocket, edge: EdgeRow): Promise<EdgeReplies['verify']> {
    const token = (await this.#store.run(() => this.#store.db.accounts.toArray())).find(
      ({ edgeToken }) => edgeToken !== null,
    )?.edgeToken;
    // An expired or foreign token never stops sending: the box knows the tablet without it.
    const proofs = [
      ...(token === undefined || token === null ? [] : [{ session: edge.session, token }]),
      { session: edge.session },
      { session: edge.session, isKeyless: true },
    ];
    for (const proof of proofs) {
      try {
        return await verifyWithEdge(socket, this.#store, this.#self, edge.nodeId, proof);
      } catch (error) {
        if (!(error instanceof ReefError) || error.code !== 'unauthorised') throw error;
      }
    }
    return verifyWithEdge(socket, this.#store, this.#self, edge.nodeId);
  }

  /**
   * @throws ReefError `receipt-mismatch` if the box shows another key than the one pinned at pairing; `disconnected` if
   * it was removed since
   */
  async #storeEdge(edge: EdgeRow, reply: EdgeReplies['verify']): Promise<EdgeRow> {
    if (reply.edge.id !== edge.nodeId || !edge.receiptKeys.some((pinned) => sameKey(pinned, reply.publicKey))) {
      throw new ReefError('receipt-mismatch', {
        field: 'publicKey',
        message:
          'This box has a different key from the one this tablet was paired with. Pair again if the box was replaced.',
      });
    }
    const { db } = this.#store;
    return this.#store.run(() =>
      db.transaction('rw', [db.edges, db.cursors], async () => {
        // Current row: during the connection the box may have been paired again, signed in to, or removed.
        const now = await db.edges.get(edge.nodeId);
        if (now === undefined) throw new ReefError('disconnected', { message: 'This box was forgotten.' });
        const cloudKeys = mergeKeys(now.cloudKeys, reply.cloudKeys ?? []);
        const cloudOrigin = cloudOriginOf(reply) ?? now.cloudOrigin;
        const session = now.session === edge.session ? reply.session : now.session;
        const next: EdgeRow = {
          ...now,
          name: reply.edge.name,
          storeEpoch: reply.edge.storeEpoch,
          session,
          cloudKeys,
          ...(cloudOrigin === undefined ? {} : { cloudOrigin }),
        };
        await db.edges.put(next);
        // Cloud receipts that came before their key was known are read again.
        if (cloudKeys.length !== now.cloudKeys.length) await db.cursors.delete(edge.nodeId);
        return { ...next, session: reply.session };
      }),
    );
  }
}

function sameKey(a: PublicKey, b: PublicKey): boolean {
  return a.kid === b.kid && a.x === b.x;
}
