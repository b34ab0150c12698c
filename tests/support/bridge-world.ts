/** A box and a cloud in memory, for tests of the bridge's own behaviour; time passes only when somebody sleeps. */
import { createHash } from 'node:crypto';
import type { ByteSource, CloudApi, EdgeApi } from '../../cloud-sync/bridge/apis';
import { Bridge } from '../../cloud-sync/bridge/bridge';
import type { BridgeLimits } from '../../cloud-sync/bridge/limits';
import type { BridgeClock, BridgeTimers } from '../../cloud-sync/bridge/runtime';
import type { BridgeState, BridgeStateStore } from '../../cloud-sync/bridge/state';
import type { BridgeOptions } from '../../cloud-sync/bridge/work';
import { ReefError } from '../../src/domain/errors';
import type { Op } from '../../src/domain/op/op';
import type { ChangeEntry, ChangesPage } from '../../src/protocol/changes';
import type { BridgeReport, CloudOpResult, FleetReport } from '../../src/protocol/cloud-http';
import type { BridgeState as BridgeOrders, FreeingWord } from '../../src/protocol/edge-http';
import type { BlobRef, Receipt } from '../../src/protocol/receipt';
import { blobOf } from '../../src/protocol/receipt';
import { imageOp, sha256, surveyOp } from '../conformance/ops';

/** A clock that only sleeping moves. */
export class TestTime implements BridgeClock, BridgeTimers {
  ms = 0;
  wall = Date.parse('2026-11-20T00:00:00.000Z');
  readonly #waiting: { at: number; wake: () => void }[] = [];

  now(): number {
    return this.wall + this.ms;
  }

  elapsed(): number {
    return this.ms;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener('abort', wake);
        this.#waiting.splice(this.#waiting.indexOf(entry) >>> 0, 1);
        resolve();
      };
      const entry = { at: this.ms + ms, wake };
      this.#waiting.push(entry);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  /** Runs work to its end; where all of it sleeps, time goes on to the next who wakes. */
  async until<T>(work: Promise<T>): Promise<T> {
    let ended = false;
    const watched = work.finally(() => (ended = true));
    watched.catch(() => undefined);
    while (!ended) {
      // What does not sleep goes on first.
      for (let i = 0; i < 25 && !ended; i++) await new Promise((resolve) => setImmediate(resolve));
      if (ended) break;
      this.#waiting.sort((a, b) => a.at - b.at);
      const [next] = this.#waiting;
      if (next === undefined) continue;
      this.ms = Math.max(this.ms, next.at);
      next.wake();
    }
    return watched;
  }
}

export class FakeEdge implements EdgeApi {
  node = 'Edge000000000001';
  storeEpoch = 'EdgeEpoch0000001';
  readonly feed: ChangeEntry[] = [];
  readonly blobs = new Map<string, Uint8Array>();
  readonly references = new Map<string, unknown>();
  readonly reports: BridgeReport[] = [];
  /** Operations of others that came from the cloud. */
  readonly brought: unknown[] = [];
  /** Receipts by opId that the box refuses. */
  readonly refused = new Set<string>();
  paused = false;
  verifyRequestedAt: string | null = null;
  /** Hashes that it would free, and what it heard of them. */
  readonly freeable: string[] = [];
  readonly freeingAnswers: FreeingWord[] = [];
  away = false;
  readonly #time: TestTime;

  constructor(time: TestTime) {
    this.#time = time;
  }

  add(op: Op, bytes?: Uint8Array, by?: string): Op {
    this.feed.push({ seq: this.feed.length + 1, op, ...(by === undefined ? {} : { by }) });
    if (bytes !== undefined) this.blobs.set(sha256(bytes), bytes);
    return op;
  }

  /** The cloud's receipts that are aboard, by opId. */
  get ashore(): Map<string, Receipt> {
    return new Map(this.feed.flatMap(({ receipt }) => (receipt?.stage === 'cloud' ? [[receipt.opId, receipt] as const] : [])));
  }

  async identity() {
    this.#here();
    return { node: this.node, storeEpoch: this.storeEpoch, time: new Date(this.#time.now()).toISOString() };
  }

  async facts() {
    this.#here();
    return { name: 'Test box', version: '0.1.0', disk: null, owed: { ops: 0, bytes: 0 } };
  }

  async changes({ since, limit }: { since: number; limit: number }): Promise<ChangesPage> {
    this.#here();
    const entries = this.feed.filter(({ seq }) => seq > since).slice(0, limit);
    return { storeEpoch: this.storeEpoch, entries, next: entries.at(-1)?.seq ?? since };
  }

  async *bytes(hash: string, { start, end }: { start: number; end: number }): ByteSource {
    this.#here();
    const found = this.blobs.get(hash);
    if (found === undefined) throw new ReefError('not-found');
    for (let at = start; at <= end; at += 65_536) yield found.subarray(at, Math.min(end + 1, at + 65_536));
  }

  async postOps({ ops, receipts }: { ops: readonly unknown[]; receipts: readonly unknown[] }) {
    this.#here();
    const errors: { opId: string; error: ReturnType<ReefError['toWire']> }[] = [];
    const results = ops.map((item) => {
      const { op, receipt } = item as { op: Op; receipt?: Receipt };
      if (this.refused.has(op.opId)) return { opId: op.opId, error: new ReefError('unknown-survey').toWire() };
      this.brought.push(item);
      if (!this.feed.some((entry) => entry.op?.opId === op.opId)) this.feed.push({ seq: this.feed.length + 1, op });
      if (receipt !== undefined) this.#receipt(receipt);
      return { opId: op.opId, receipt: receipt as Receipt };
    });
    for (const receipt of receipts as Receipt[]) {
      if (this.refused.has(receipt.opId)) errors.push({ opId: receipt.opId, error: new ReefError('receipt-mismatch').toWire() });
      else this.#receipt(receipt);
    }
    return { ok: true as const, results, receipts: { added: 0, errors } };
  }

  async ownKeys() {
    this.#here();
    return { bundle: [{ kty: 'OKP' as const, crv: 'Ed25519' as const, x: 'x', kid: 'b1' }], receipt: [] };
  }

  async putReference(name: string, value: unknown) {
    this.#here();
    this.references.set(name, value);
  }

  async orders(): Promise<BridgeOrders> {
    this.#here();
    return { paused: this.paused, verifyRequestedAt: this.verifyRequestedAt, freeing: this.freeable.length > 0 };
  }

  async freeing(answer: FreeingWord | null) {
    this.#here();
    if (answer !== null) this.freeingAnswers.push(answer);
    const sha256 = answer === null ? this.freeable.splice(0) : [];
    return { ok: true as const, freed: answer === null ? null : { photographs: answer.missing.length === 0 ? 1 : 0, bytes: 1 }, ask: sha256.length === 0 ? null : { id: 'Question00000001', sha256: sha256 as never } };
  }

  async report(report: BridgeReport) {
    this.#here();
    this.reports.push(report);
  }

  #receipt(receipt: Receipt): void {
    if (this.feed.some((entry) => entry.receipt?.opId === receipt.opId && entry.receipt.storeEpoch === receipt.storeEpoch)) return;
    this.feed.push({ seq: this.feed.length + 1, receipt });
  }

  #here(): void {
    if (this.away) throw new ReefError('disconnected');
  }
}

export class FakeCloud implements CloudApi {
  node = 'Cloud00000000001';
  storeEpoch = 'CloudEpoch000001';
  ops = new Map<string, { op: Op; by: string | undefined; receipt: Receipt }>();
  parked = new Map<string, { op: Op; by: string | undefined }>();
  blobs = new Map<string, Uint8Array>();
  partials = new Map<string, { bytes: number; got: number[]; parts: Uint8Array[] }>();
  feed: ChangeEntry[] = [];
  /** Every call, in order. */
  readonly calls: string[] = [];
  readonly reports: FleetReport[] = [];
  /** Names of the keys that boxes sign bundles with, a list each time it was told. */
  readonly boxKeysTold: string[][] = [];
  /** Errors by opId. */
  readonly errors = new Map<string, ReefError>();
  /** Thrown by the next call of that name, once. */
  readonly failNext = new Map<string, ReefError>();
  /** All calls fail with this. */
  down: ReefError | null = null;
  /** Bytes that came in over all uploads. */
  uploaded = 0;
  /** Ms before the answer of a call. */
  latencyMs = 0;
  /** When bytes came: moment of the clock and how many. */
  readonly arrivals: { at: number; bytes: number }[] = [];
  timeMs: number | null = null;
  readonly #time: TestTime;

  constructor(time: TestTime) {
    this.#time = time;
  }

  async identity() {
    await this.#called('identity');
    return { node: this.node, storeEpoch: this.storeEpoch, time: new Date(this.timeMs ?? this.#time.now()).toISOString() };
  }

  async postOps({ ops }: { ops: readonly unknown[] }): Promise<readonly CloudOpResult[]> {
    await this.#called(`ops ${ops.map((item) => opOf(item).op.opId.split('-')[1]).join(',')}`, 'ops');
    return ops.map((item) => this.#take(item));
  }

  async have(hashes: readonly string[]) {
    await this.#called(`have ${hashes.length}`, 'have');
    return hashes.filter((hash) => !this.blobs.has(hash));
  }

  async announce({ sha256: hash, bytes }: { sha256: string; bytes: number }) {
    await this.#called(`announce ${hash.slice(0, 6)}`, 'announce');
    if (this.blobs.has(hash)) return { ok: true as const, uploadId: hash, offset: bytes, complete: true };
    const partial = this.partials.get(hash) ?? { bytes, got: [], parts: [] };
    this.partials.set(hash, partial);
    return { ok: true as const, uploadId: hash, offset: lengthOf(partial.parts), complete: false };
  }

  async upload({ uploadId, offset, length, source }: { uploadId: string; offset: number; length: number; source: ByteSource }) {
    await this.#called(`upload ${uploadId.slice(0, 6)} ${offset}+${length}`, 'upload');
    const partial = this.partials.get(uploadId);
    if (partial === undefined) throw new ReefError('not-found');
    if (lengthOf(partial.parts) !== offset) throw new ReefError('offset-mismatch', { offset: lengthOf(partial.parts) });
    for await (const piece of source) {
      const cut = this.failNext.get('piece');
      this.arrivals.push({ at: this.#time.ms, bytes: piece.length });
      this.uploaded += piece.length;
      // A copy: the piece's memory is its sender's again with the next one, and a Buffer's own slice would share it.
      partial.parts.push(new Uint8Array(piece));
      if (cut !== undefined) {
        this.failNext.delete('piece');
        throw cut;
      }
    }
    const whole = Buffer.concat(partial.parts);
    if (whole.length < partial.bytes) return whole.length;
    if (createHash('sha256').update(whole).digest('hex') !== uploadId) {
      partial.parts = [];
      throw new ReefError('hash-mismatch', { offset: 0 });
    }
    this.partials.delete(uploadId);
    this.blobs.set(uploadId, whole);
    return whole.length;
  }

  async changes({ since, limit }: { since: number; limit: number }): Promise<ChangesPage> {
    await this.#called(`changes ${since}`, 'changes');
    const entries = this.feed.filter(({ seq }) => seq > since).slice(0, limit);
    return { storeEpoch: this.storeEpoch, entries, next: entries.at(-1)?.seq ?? since };
  }

  async keys() {
    await this.#called('keys');
    return { keys: [{ kty: 'OKP' as const, crv: 'Ed25519' as const, x: 'x', kid: 'k1', for: 'receipt' as const }] };
  }

  async boxKeys({ keys }: { keys: readonly { kid: string }[] }) {
    await this.#called('boxKeys');
    this.boxKeysTold.push(keys.map(({ kid }) => kid));
  }

  async jwks() {
    await this.#called('jwks');
    return { keys: [] };
  }

  async reference(name: string, etag: string | null) {
    await this.#called(`reference ${name}`, 'reference');
    return name === 'regions' && etag === null ? { value: [{ id: 'gbr' }], etag: 'e1' } : null;
  }

  async report(report: FleetReport) {
    await this.#called('report');
    this.reports.push(report);
  }

  /** An operation of somebody else, with the cloud's receipt. */
  addOther(op: Op, by?: string): void {
    this.feed.push({ seq: this.feed.length + 1, op, receipt: this.receiptFor(op), ...(by === undefined ? {} : { by }) });
  }

  receiptFor(op: Op, accepted = true): Receipt {
    const blob = blobOf(op);
    return {
      v: 1, stage: 'cloud', nodeId: this.node, storeEpoch: this.storeEpoch, opId: op.opId, kind: op.kind, docId: op.docId, sha256: op.sha256,
      ...(blob === undefined ? {} : { blob }), accepted, seq: this.ops.size + 1, storedAt: '2026-11-21T00:00:00.000Z', kid: 'k1', sig: 'x',
    };
  }

  #take(item: unknown): CloudOpResult {
    const { op, by } = opOf(item);
    const { opId } = op;
    const error = this.errors.get(opId);
    if (error !== undefined) return { opId, error: error.toWire() };
    const known = this.ops.get(opId);
    if (known !== undefined) return { opId, receipt: known.receipt };
    const blob = blobOf(op);
    if (blob !== undefined && !this.blobs.has(blob.sha256)) {
      this.parked.set(opId, { op, by });
      return { opId, needs: [blob.sha256] };
    }
    this.parked.delete(opId);
    const receipt = this.receiptFor(op);
    this.ops.set(opId, { op, by, receipt });
    this.feed.push({ seq: this.feed.length + 1, receipt });
    return { opId, receipt };
  }

  async #called(what: string, name = what): Promise<void> {
    this.calls.push(what);
    if (this.latencyMs > 0) await this.#time.sleep(this.latencyMs);
    if (this.down !== null) throw this.down;
    const error = this.failNext.get(name);
    if (error === undefined) return;
    this.failNext.delete(name);
    throw error;
  }
}

function opOf(item: unknown): { op: Op; by: string | undefined } {
  const { op, by } = item as { op?: Op; by?: string };
  return op === undefined ? { op: item as Op, by: undefined } : { op, by };
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** A state that a restart finds again. */
export class MemoryState implements BridgeStateStore {
  text: string | null = null;
  saves = 0;

  async load(): Promise<BridgeState | null> {
    return this.text === null ? null : (JSON.parse(this.text) as BridgeState);
  }

  async save(state: BridgeState): Promise<void> {
    this.saves++;
    this.text = JSON.stringify(state);
  }
}

/** A box, a cloud and a bridge between them. */
export class BridgeWorld {
  readonly time = new TestTime();
  readonly edge = new FakeEdge(this.time);
  readonly cloud = new FakeCloud(this.time);
  readonly state = new MemoryState();
  readonly log: string[] = [];
  limits: Partial<BridgeLimits> = {};
  bridge = this.newBridge();
  #ops = 0;

  newBridge(limits: Partial<BridgeLimits> = this.limits, more: Partial<BridgeOptions> = {}): Bridge {
    this.limits = limits;
    this.bridge = new Bridge({ edge: this.edge, cloud: this.cloud, state: this.state, clock: this.time, timers: this.time, random: () => 0.5, limits, log: (_level, message) => this.log.push(message), ...more });
    return this.bridge;
  }

  /** One step of the bridge; gives the wait it asked for, ms. */
  step(): Promise<number> {
    return this.time.until(this.bridge.step(new AbortController().signal));
  }

  /** Steps and their waits until so much time has passed. */
  async run(ms: number): Promise<void> {
    for (const end = this.time.ms + ms; this.time.ms < end; ) this.time.ms += Math.max(1, await this.step());
  }

  saved(): BridgeState {
    return JSON.parse(this.state.text ?? 'null') as BridgeState;
  }

  survey(id?: string): Op {
    return this.edge.add(surveyOp(++this.#ops, id === undefined ? {} : { docId: id }));
  }

  /** A photograph of so many bytes on the box. */
  photograph(bytes: number, body: { survey?: { id: string; priority?: number } } = {}, madeAt = '2026-11-20T00:00:01.000Z'): { op: Op; blob: BlobRef } {
    const n = ++this.#ops;
    const content = Buffer.alloc(bytes, n);
    const blob = { sha256: sha256(content), bytes };
    return { op: this.edge.add(imageOp(n, `Image${String(n).padStart(11, '0')}`, blob, body, { madeAt }), content), blob };
  }
}
