import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { ANONYMOUS_CALLER } from '../../../cloud-sync/api/access/caller';
import type { Caller, Callers } from '../../../cloud-sync/api/access/caller';
import type { CloudContext } from '../../../cloud-sync/api/context';
import { blobRoutes } from '../../../cloud-sync/api/images/blob-routes';
import { changesRoutes } from '../../../cloud-sync/api/feed/changes-routes';
import { opsRoutes } from '../../../cloud-sync/api/intake/ops-routes';
import { traceRoutes } from '../../../cloud-sync/api/health/trace-routes';
import { uploadRoutes } from '../../../cloud-sync/api/images/upload-routes';
import { CloudIntake } from '../../../cloud-sync/api/intake/cloud-intake';
import { boxOfReceipt } from '../../../cloud-sync/api/intake/box-receipt-verifier';
import { ReefError } from '../../../src/domain/errors';
import type { Sha256 } from '../../../src/domain/ids';
import { makeId } from '../../../src/domain/ids';
import type { Folded } from '../../../src/domain/fold/fold';
import type { Op, OpKind } from '../../../src/domain/op/op';
import { rolesOfPerson } from '../../../src/domain/policy/roles';
import type { CloudRole } from '../../../src/domain/policy/roles';
import { documentRow } from '../../../src/server/ops/document-fold';
import type { Receipt } from '../../../src/protocol/receipt';
import { recoverBlobs } from '../../../src/server/blobs/blob-recovery';
import { FileBlobStore } from '../../../src/server/blobs/file-blob-store';
import { toReefError } from '../../../src/server/http/errors';
import { ImageLinks } from '../../../src/server/variants/image-links';
import { ReceiptSigner } from '../../../src/server/ops/receipt-signer';
import { MemoryAppendStore } from '../../support/doubles/memory-append-store';
import type { MemoryContent } from '../../support/doubles/memory-content';
import { newContent } from '../../support/doubles/memory-content';
import { keyFileOf } from '../keys';
import type { LeanAnswer, LeanRequest } from './lean-app';
import { LeanApp } from './lean-app';
import { DiskContent, memoryDisk } from './memory-disk';
import type { Server } from './network';
import { Life, START, cloneOf } from '../virtual-loop';
import type { World } from '../world';

/** Some members of the parts of a context. */
type Members<Context> = { readonly [Part in keyof Context]?: Partial<Context[Part]> };

interface Running {
  readonly life: Life;
  readonly store: MemoryAppendStore;
  readonly blobs: FileBlobStore;
  readonly intake: CloudIntake;
  readonly lean: LeanApp;
}

/**
 * Simulated cloud: production's intake and blobs over an in-memory append store that passes the same conformance tests
 * as PostgreSQL's.
 */
export class SimCloud {
  readonly name = 'Cloud';
  readonly origin = 'https://shore.cloud';
  readonly wall = { offset: 0 };
  running: Running | undefined;
  readonly faults: string[] = [];
  content: MemoryContent;
  #disk = new DiskContent();
  /** Content of the last backup. */
  #backedUp: DiskContent | undefined;
  #signer: ReceiptSigner | undefined;
  #lives = 0;
  /** Hash of the bytes by transfer. */
  readonly #uploads = new Map<string, string>();

  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    this.content = newContent('cloud', (n) => world.random.bytes(n));
  }

  get alive(): boolean {
    return this.running?.life.alive === true;
  }

  async boot(): Promise<void> {
    const { loop } = this.#world;
    this.#lives += 1;
    const life = new Life(`Cloud#${this.#lives}`, true);
    const step = (): Promise<void> => loop.turn(life);
    const disk = memoryDisk(this.#disk, step);
    this.#disk.folders.add('/cloud');
    this.#disk.folders.add('/cloud/keys');
    for (const key of ['receipts', 'traces']) {
      const text = Buffer.from(keyFileOf(`cloud ${key}`));
      this.#disk.files.set(`/cloud/keys/${key}.json`, { content: text, length: text.length });
    }
    const [receiptKey, traceKey] = await Promise.all(
      ['receipts', 'traces'].map((name) => ReceiptSigner.open(`/cloud/keys/${name}.json`, disk)),
    );
    if (receiptKey === undefined || traceKey === undefined) throw new Error('a cloud has keys');
    this.#signer = receiptKey;
    const clock = (): number => START + loop.now + this.wall.offset;
    const store = new MemoryAppendStore({
      content: this.content,
      signer: receiptKey,
      now: () => new Date(clock()),
      step,
    });
    const blobs = await FileBlobStore.open({
      root: '/cloud/home',
      minFreeBytes: 0,
      onFatal: (error) => this.faults.push(`fatal: ${String(error)}`),
      disk,
    });
    await recoverBlobs(blobs);
    const intake = new WatchedIntake(this.#world, {
      store,
      held: store,
      // People signed in to the cloud, each on their own tablet.
      people: {
        isAccount: async (uid) => this.#world.hostile?.isAccount(uid) ?? true,
        hasRegistered: async () => false,
        isCertified: async (uid, key) =>
          this.#world.hostile?.isCertified(uid, key) ??
          this.#world.tablets.some((tablet) => tablet.person === uid && tablet.deviceKeys.has(key)),
        grantClaimsOf: async () => undefined,
        rolesOf: async (uid) => this.#world.hostile?.rolesOf(uid) ?? rolesOfPerson(null),
      },
      boxOfReceipt: (op, shown) =>
        boxOfReceipt(op, shown, async (node) => [
          ...this.#world.edges.flatMap(({ nodeId, receiptKeys }) => (nodeId === node ? receiptKeys : [])),
          ...(this.#world.hostile?.keysOf(node) ?? []),
        ]),
      blobs,
      parking: store,
      isQuarantined: (kind, id) => store.isQuarantined(kind, id),
      onParkedError: (opId, error) => this.#world.note(this.name, `parked ${opId}: ${String(error)}`),
    });
    await intake.resume();
    if (!life.alive) return;
    const note = (level: string) => (details: unknown, message?: string) => {
      if (level === 'error' && life.alive)
        this.faults.push(`${message ?? ''} ${String((details as { err?: unknown } | undefined)?.err ?? details)}`);
    };
    const log = { info: note('info'), warn: note('warn'), error: note('error') } as unknown as Logger;
    const callers: Callers = {
      callerOf: async () => ANONYMOUS_CALLER,
      forNode: async (_request, caller, node) => ({ ...caller, node }),
      forReader: async (_request, caller, node) => (node === undefined ? caller : { ...caller, node }),
    };
    const imageLinks = new ImageLinks(Buffer.alloc(32, 7));
    const context = {
      clock,
      log,
      version: '0',
      store,
      blobs,
      receiptKey,
      traceKey,
      intake,
      callers,
      imageLinks,
      blobAccess: { canRead: async () => true, recordUploader: async () => undefined },
      probe: () => undefined,
      metrics: { registry: new Registry() } as CloudContext['metrics'],
      quotas: {
        take: () => undefined,
        takeUpTo: (_kind, amount) => amount,
        refusal: () => new ReefError('rate-limited'),
      } satisfies Partial<CloudContext['quotas']> as unknown as CloudContext['quotas'],
    } satisfies Members<CloudContext> as unknown as CloudContext;
    const lean = new LeanApp();
    for (const add of [opsRoutes, changesRoutes, traceRoutes, blobRoutes]) add(lean.app, context);
    await uploadRoutes(lean.app, context);
    this.running = { life, store, blobs, intake, lean };
  }

  /** Replaces the store with an empty one of another epoch. */
  replaceStore(): void {
    this.content = newContent('cloud', (n) => this.#world.random.bytes(n));
    this.#disk = new DiskContent();
  }

  /** Copies all content; the returned function restores it under a new epoch. */
  backup(): () => void {
    const sign = (receipt: Parameters<ReceiptSigner['signReceipt']>[0] & { sig?: string; kid?: string }) => {
      const { sig: _sig, kid: _kid, ...unsigned } = receipt;
      if (this.#signer === undefined) throw new Error('the cloud never ran');
      return this.#signer.signReceipt(unsigned as never);
    };
    const content = this.content.copy(
      makeId((n) => this.#world.random.bytes(n)),
      sign as never,
    );
    const disk = this.#disk.copy();
    this.#backedUp = disk;
    return () => {
      this.content = content;
      this.#disk = disk;
    };
  }

  /** Answers one HTTP request of a tablet. */
  async answer(running: Running, method: string, pathname: string, request: LeanRequest): Promise<LeanAnswer> {
    const [, uploadId] = /^\/api\/uploads\/(.+)$/.exec(pathname) ?? [];
    if (method !== 'PATCH' || uploadId === undefined) {
      const answer = await running.lean.ask(`${method} ${pathname}`, { ...request, body: cloneOf(request.body) });
      if (answer.status === 500 && running.life.alive)
        this.faults.push(`${method} ${pathname} failed inside: ${JSON.stringify(answer.body)}`);
      for (const result of (answer.body as { results?: readonly object[] } | undefined)?.results ?? []) {
        if ('receipt' in result && running.life.alive) this.#world.oracle.given(result.receipt as Receipt);
      }
      if (pathname === '/api/uploads' && answer.status < 300)
        this.#uploads.set((answer.body as { uploadId: string }).uploadId, (request.body as { sha256: string }).sha256);
      return { ...answer, body: cloneOf(answer.body) };
    }
    try {
      const offset = await takePiece(
        running,
        uploadId,
        Number(request.headers?.['upload-offset']),
        request.body as Uint8Array,
        this.#uploads.get(uploadId) ?? '',
      );
      return { status: 200, headers: new Map(), body: { ok: true, offset } };
    } catch (thrown) {
      const error = toReefError(thrown);
      return { status: error.status, headers: new Map(), body: { ok: false, error: error.toWire() } };
    }
  }

  /** Server end of its link, for one request. */
  serve(work: (running: Running) => Promise<unknown>): Server | undefined {
    const { running } = this;
    return running === undefined ? undefined : { life: running.life, serve: () => work(running) };
  }

  heldOps(): Op[] {
    return [...this.content.ops.values()].map(({ op }) => op);
  }

  parkedOps(): Op[] {
    return [...this.content.parked.values()].map(({ op }) => op);
  }

  /** Document as the cloud would show it now. */
  folded(document: string): Folded | undefined {
    const [kind = '', docId = ''] = document.split('/');
    const stored = (this.content.byDocument.get(document) ?? []).filter(({ accepted }) => accepted);
    return stored.length === 0
      ? undefined
      : documentRow(
          kind as OpKind,
          docId,
          stored.map(({ op, by, roles }) => ({ op, by, roles })),
        ).folded;
  }

  bytesOf(sha256: string): Uint8Array | undefined {
    return bytesOn(this.#disk, sha256);
  }

  /** True if the last backup contains these bytes. */
  hasBackedUp(sha256: string): boolean {
    return this.#backedUp !== undefined && bytesOn(this.#backedUp, sha256) !== undefined;
  }
}

/** Intake that shows a hostile party's checker what arrives. */
class WatchedIntake extends CloudIntake {
  constructor(
    readonly world: World,
    options: ConstructorParameters<typeof CloudIntake>[0],
  ) {
    super(options);
  }

  override async submit(...arrival: Parameters<CloudIntake['submit']>): ReturnType<CloudIntake['submit']> {
    const [value, submitter, info] = arrival;
    const delivery = this.world.hostile?.noteDelivery(value as Op, submitter, info?.receipt);
    try {
      const outcome = await super.submit(...arrival);
      if (delivery !== undefined) delivery.outcome = 'stored';
      return outcome;
    } catch (error) {
      if (delivery !== undefined) delivery.outcome = 'refused';
      throw error;
    }
  }
}

function bytesOn({ files }: DiskContent, sha256: string): Uint8Array | undefined {
  for (const [name, { content, length }] of files)
    if (name.startsWith('/cloud/home/blobs/') && name.endsWith(`/${sha256}`)) return content.subarray(0, length);
  return undefined;
}

/** Caller as the cloud's own sign-in would make it. */
export function callerOf(role: CloudRole, who: Partial<Pick<Caller, 'person' | 'deviceId' | 'node'>>): Caller {
  return { roles: new Set<CloudRole>(['anyone', role]), person: null, deviceId: null, node: null, ...who };
}

/** Stores a piece of a transfer and releases the records that waited for the whole. */
export async function takePiece(
  { blobs, intake }: Pick<Running, 'blobs' | 'intake'>,
  uploadId: string,
  offset: number,
  bytes: Uint8Array,
  sha256: string,
): Promise<number> {
  const transfer = await blobs.write(uploadId, offset, bytes);
  if (transfer.complete) await intake.onBytesComplete(sha256 as Sha256);
  return transfer.offset;
}

/** Body of a successful answer. @throws ReefError as a failed one reports */
export function goodBody({ status, body }: LeanAnswer): unknown {
  if (status < 300) return body;
  throw ReefError.fromWire((body as { error: Parameters<typeof ReefError.fromWire>[0] }).error);
}
