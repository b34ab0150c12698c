import type { ByteSource, EdgeApi } from '../../../cloud-sync/bridge/link/node-apis';
import { ReefError } from '../../../src/domain/errors';
import type { Op } from '../../../src/domain/op/op';
import type { ChangeEntry, ChangesPage } from '../../../src/protocol/changes';
import type { BridgeReport } from '../../../src/protocol/cloud-http';
import type { BridgeState as BridgeOrders, FreeingAnswer } from '../../../src/protocol/edge-http';
import type { Receipt } from '../../../src/protocol/receipt';
import { sha256 } from '../../conformance/ops';
import type { TestTime } from '../test-time';

export class FakeEdge implements EdgeApi {
  node = 'Edge000000000001';
  storeEpoch = 'EdgeEpoch0000001';
  readonly feed: ChangeEntry[] = [];
  readonly blobs = new Map<string, Uint8Array>();
  readonly references = new Map<string, unknown>();
  readonly reports: BridgeReport[] = [];
  /** Operations of others, submitted from the cloud. */
  readonly brought: unknown[] = [];
  /** Op ids of receipts that the box refuses. */
  readonly refused = new Set<string>();
  paused = false;
  verifyRequestedAt: string | null = null;
  /** Hashes that it would free, and the answers it got about them. */
  readonly freeable: string[] = [];
  readonly freeingAnswers: FreeingAnswer[] = [];
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

  /** Cloud receipts stored aboard, by opId. */
  get ashore(): Map<string, Receipt> {
    return new Map(
      this.feed.flatMap(({ receipt }) => (receipt?.stage === 'cloud' ? [[receipt.opId, receipt] as const] : [])),
    );
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
      if (this.refused.has(receipt.opId))
        errors.push({ opId: receipt.opId, error: new ReefError('receipt-mismatch').toWire() });
      else this.#receipt(receipt);
    }
    return { ok: true as const, results, receipts: { added: 0, errors } };
  }

  async ownKeys() {
    this.#here();
    return { bundle: [{ kty: 'OKP' as const, crv: 'Ed25519' as const, x: 'x', kid: 'b1' }], receipt: [] };
  }

  async people() {
    this.#here();
    return { keys: [], statements: [] };
  }

  async putReference(name: string, value: unknown) {
    this.#here();
    this.references.set(name, value);
  }

  async commands(): Promise<BridgeOrders> {
    this.#here();
    return { paused: this.paused, verifyRequestedAt: this.verifyRequestedAt, freeing: this.freeable.length > 0 };
  }

  async freeing(answer: FreeingAnswer | null) {
    this.#here();
    if (answer !== null) this.freeingAnswers.push(answer);
    const sha256 = answer === null ? this.freeable.splice(0) : [];
    return {
      ok: true as const,
      freed: answer === null ? null : { photographs: answer.missing.length === 0 ? 1 : 0, bytes: 1 },
      ask: sha256.length === 0 ? null : { id: 'Question00000001', sha256: sha256 as never },
    };
  }

  async report(report: BridgeReport) {
    this.#here();
    this.reports.push(report);
  }

  #receipt(receipt: Receipt): void {
    if (
      this.feed.some((entry) => entry.receipt?.opId === receipt.opId && entry.receipt.storeEpoch === receipt.storeEpoch)
    )
      return;
    this.feed.push({ seq: this.feed.length + 1, receipt });
  }

  #here(): void {
    if (this.away) throw new ReefError('disconnected');
  }
}
