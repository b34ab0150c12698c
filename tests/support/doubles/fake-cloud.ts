import { createHash } from 'node:crypto';
import type { ByteSource, CloudApi } from '../../../cloud-sync/bridge/link/node-apis';
import { ReefError } from '../../../src/domain/errors';
import type { Op } from '../../../src/domain/op/op';
import type { ChangeEntry, ChangesPage } from '../../../src/protocol/changes';
import type { CloudOpResult, FleetReport } from '../../../src/protocol/cloud-http';
import type { Receipt } from '../../../src/protocol/receipt';
import { blobOf } from '../../../src/protocol/receipt';
import type { TestTime } from '../test-time';

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
  /** Names of the boxes' bundle keys, one list per report. */
  readonly boxKeysTold: string[][] = [];
  /** Errors by opId. */
  readonly errors = new Map<string, ReefError>();
  /** Error thrown by the next call of that name, once. */
  readonly failNext = new Map<string, ReefError>();
  /** Error of all calls. */
  down: ReefError | null = null;
  /** Bytes received over all uploads. */
  uploaded = 0;
  /** Delay before the answer of a call, ms. */
  latencyMs = 0;
  /** Arrivals of bytes: time and amount. */
  readonly arrivals: { at: number; bytes: number }[] = [];
  timeMs: number | null = null;
  readonly #time: TestTime;

  constructor(time: TestTime) {
    this.#time = time;
  }

  async identity() {
    await this.#called('identity');
    return {
      node: this.node,
      storeEpoch: this.storeEpoch,
      time: new Date(this.timeMs ?? this.#time.now()).toISOString(),
    };
  }

  async postOps({ ops }: { ops: readonly unknown[] }): Promise<readonly CloudOpResult[]> {
    await this.#called(`ops ${ops.map((item) => opOf(item).op.opId.split('-')[1]).join(',')}`, 'ops');
    return ops.map((item) => this.#take(item));
  }

  async findMissing(hashes: readonly string[]) {
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

  async upload({
    uploadId,
    offset,
    length,
    source,
  }: {
    uploadId: string;
    offset: number;
    length: number;
    source: ByteSource;
  }) {
    await this.#called(`upload ${uploadId.slice(0, 6)} ${offset}+${length}`, 'upload');
    const partial = this.partials.get(uploadId);
    if (partial === undefined) throw new ReefError('not-found');
    if (lengthOf(partial.parts) !== offset) throw new ReefError('offset-mismatch', { offset: lengthOf(partial.parts) });
    for await (const piece of source) {
      const cut = this.failNext.get('piece');
      this.arrivals.push({ at: this.#time.ms, bytes: piece.length });
      this.uploaded += piece.length;
      // Copies the piece: its sender reuses the memory, which a Buffer's own slice would share.
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

  async people() {
    await this.#called('people');
    return true;
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

  /** Adds another author's operation, with the cloud's receipt. */
  addOther(op: Op, by?: string): void {
    this.feed.push({
      seq: this.feed.length + 1,
      op,
      receipt: this.receiptFor(op),
      ...(by === undefined ? {} : { by }),
    });
  }

  receiptFor(op: Op, accepted = true): Receipt {
    const blob = blobOf(op);
    return {
      v: 1,
      stage: 'cloud',
      nodeId: this.node,
      storeEpoch: this.storeEpoch,
      opId: op.opId,
      kind: op.kind,
      docId: op.docId,
      sha256: op.sha256,
      ...(blob === undefined ? {} : { blob }),
      accepted,
      seq: this.ops.size + 1,
      storedAt: '2026-11-21T00:00:00.000Z',
      kid: 'k1',
      sig: 'x',
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
