import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { buildEdge } from '../../../edge-server/app';
import type { Edge } from '../../../edge-server/app';
import { openStores } from '../../../edge-server/open-stores';
import type { EdgeStores } from '../../../edge-server/open-stores';
import { readSettings } from '../../../edge-server/settings';
import type { EdgeSettings } from '../../../edge-server/settings';
import type { Op } from '../../../src/domain/op/op';
import type { ChangesPage } from '../../../src/protocol/changes';
import type { Json } from '../../independent/canonical';
import { canonicalJson } from '../../independent/canonical';
import { promptDisk } from './prompt-disk';
import type { Given, Recording } from './recording';

/** Faults of a disk: overall, and by receipt (by its signature) that cannot be honoured on it. */
export interface Verdict {
  readonly disk: readonly string[];
  readonly receipts: ReadonlyMap<string, readonly string[]>;
}

/** Receipt owed from event `start` on; `given` is missing if it left the box undelivered. */
interface Owed {
  readonly start: number;
  readonly sig: string;
  readonly given: Given | undefined;
}

const silent = pino({ level: 'silent' });
/** Compares the texts first; only if they differ, compares regardless of key order. */
const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other) || canonicalJson(one as Json) === canonicalJson(other as Json);

/** Hashed bytes by hash: equal buffers on the next disk are not hashed again. */
const hashed = new Map<string, Buffer>();

function isOfHash(bytes: Buffer, sha256: string): boolean {
  if (hashed.get(sha256)?.equals(bytes) === true) return true;
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) return false;
  hashed.set(sha256, bytes);
  return true;
}

/** Lets the production code recover a disk, and asks it for everything that was ever receipted. */
export class Examiner {
  readonly #owed: readonly Owed[];

  constructor({ history, given, before }: Recording) {
    const bySig = new Map([...before, ...given].map((one) => [one.receipt.sig, one]));
    const leaving = history.departures.filter(({ sig }) => !before.some(({ receipt }) => receipt.sig === sig));
    this.#owed = [
      ...before.map((one) => ({ start: 0, sig: one.receipt.sig, given: one })),
      ...leaving.map(({ start, sig }) => ({ start, sig, given: bySig.get(sig) })),
    ];
  }

  /** Receipts the box must honour after this event. */
  owedAt(event: number): readonly Owed[] {
    return this.#owed.filter(({ start }) => start <= event);
  }

  /**
   * Faults of an examined disk for a cut after `event`: a box that does not start, and each receipt it cannot honour.
   */
  judge(verdict: Verdict, event: number): string[] {
    const broken = this.owedAt(event).flatMap(({ sig, given }) =>
      (verdict.receipts.get(sig) ?? []).map(
        (problem) =>
          `${given === undefined ? `a receipt that left (${sig.slice(0, 8)}…)` : `${given.op.kind} ${given.op.opId}`}: ${problem}`,
      ),
    );
    return [...verdict.disk, ...broken];
  }

  /** @param whole true to start the whole edge and query it over HTTP as well, instead of only opening its stores */
  async examine(top: string, whole: boolean): Promise<Verdict> {
    const receipts = new Map<string, string[]>();
    const settings = readSettings({ REEF_HOME: join(top, 'home'), MIN_FREE_GB: '0' });
    const fatal: string[] = [];
    const onFatal = (error: Error): void => void fatal.push(`a write failed during recovery: ${error.message}`);
    try {
      if (whole) await this.#examineEdge(settings, onFatal, receipts);
      else await this.#examineStores(settings, onFatal, receipts);
    } catch (error) {
      return {
        disk: [
          ...fatal,
          `the box does not come up: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        ],
        receipts: new Map(),
      };
    }
    return { disk: fatal, receipts };
  }

  async #examineStores(
    settings: EdgeSettings,
    onFatal: (error: Error) => void,
    receipts: Map<string, string[]>,
  ): Promise<void> {
    // Same as `buildEdge` does before it opens the stores.
    mkdirSync(settings.home, { recursive: true });
    const stores = await openStores(settings, { clock: Date.now, log: silent, onFatal, disk: promptDisk });
    try {
      const entries = entriesOf(await stores.store.changes({ since: 0, limit: 1000 }));
      for (const owed of this.#owed) note(receipts, owed.sig, await missing(stores, entries, owed));
    } finally {
      await stores.close();
    }
  }

  async #examineEdge(
    settings: EdgeSettings,
    onFatal: (error: Error) => void,
    receipts: Map<string, string[]>,
  ): Promise<void> {
    const edge = await buildEdge(settings, { log: silent, onFatal });
    try {
      const answer = await edge.app.inject({
        url: '/edge/changes?since=0&limit=1000',
        headers: { authorization: `Bearer ${edge.context.adminToken}` },
      });
      if (answer.statusCode !== 200) throw new Error(`/edge/changes answers ${answer.statusCode} ${answer.body}`);
      const entries = entriesOf(answer.json());
      const { store, blobs, receiptKey, traceKey } = edge.context;
      const stores = { store, blobs, receiptKey, traceKey } as EdgeStores;
      for (const owed of this.#owed)
        note(receipts, owed.sig, [...(await missing(stores, entries, owed)), ...(await missingOverHttp(edge, owed))]);
    } finally {
      await edge.close();
    }
  }
}

function note(receipts: Map<string, string[]>, sig: string, problems: string[]): void {
  if (problems.length > 0) receipts.set(sig, problems);
}

type Entries = ReadonlyMap<string, ChangesPage['entries'][number]>;

function entriesOf(page: ChangesPage): Entries {
  return new Map(
    page.entries.flatMap((entry) => (entry.receipt === undefined ? [] : [[entry.receipt.sig, entry] as const])),
  );
}

/** Part of a receipt's promise that the stores break. */
async function missing(
  { store, blobs, receiptKey }: EdgeStores,
  entries: Entries,
  { sig, given }: Owed,
): Promise<string[]> {
  const entry = entries.get(sig);
  if (entry?.op === undefined || entry.receipt === undefined)
    return [
      `the receipt is not in the store (${store.identity.storeEpoch === given?.receipt.storeEpoch ? 'same' : 'another'} store)`,
    ];
  const { op, receipt } = given ?? { op: entry.op, receipt: entry.receipt };
  const problems: string[] = [];
  if (!same(entry.receipt, receipt)) problems.push('the stored receipt is another');
  if (!same(entry.op, op)) problems.push('the stored operation is another');
  if (receipt.storeEpoch !== store.identity.storeEpoch || receipt.nodeId !== store.identity.nodeId)
    problems.push('the store has another identity, which voids its receipts');
  if (!receiptKey.publicKeys.some(({ kid }) => kid === receipt.kid))
    problems.push('the key that signed it is no longer published');
  const again = await store.knownReceipt(op as Op);
  if (again === undefined || !same(again, receipt)) problems.push('who sends it again does not get the same receipt');
  if ((await store.document(op.kind, op.docId)) === undefined) problems.push('its document is missing');
  if (receipt.blob !== undefined) problems.push(...(await missingBytes({ store, blobs }, op.docId, receipt.blob)));
  return problems;
}

async function missingBytes(
  { store, blobs }: Pick<EdgeStores, 'store' | 'blobs'>,
  imageId: string,
  blob: { sha256: string; bytes: number },
): Promise<string[]> {
  if (!(await blobs.has(blob.sha256))) return ['its bytes are not at their address'];
  const bytes = readFileSync(await blobs.file(blob.sha256));
  const problems: string[] = [];
  if (bytes.length !== blob.bytes || !isOfHash(bytes, blob.sha256)) problems.push('its bytes are others');
  if (!(await store.recordedBlobs(imageId)).some(({ sha256 }) => sha256 === blob.sha256))
    problems.push('the record of its bytes is missing');
  if (!store.blobs.expectedBlobs().some(({ sha256 }) => sha256 === blob.sha256))
    problems.push('its bytes are in quarantine');
  return problems;
}

/** Same as a bridge would see it, with a check that the tablet is still paired. */
async function missingOverHttp(edge: Edge, { given }: Owed): Promise<string[]> {
  if (given === undefined) return [];
  const problems: string[] = [];
  const { blob, opId } = given.receipt;
  if (blob !== undefined) {
    const answer = await edge.app.inject({
      url: `/edge/blobs/${blob.sha256}`,
      headers: { authorization: `Bearer ${edge.context.adminToken}` },
    });
    if (answer.statusCode !== 200 || !isOfHash(answer.rawPayload, blob.sha256))
      problems.push(`its bytes do not come over HTTP (${answer.statusCode})`);
  }
  if (edge.context.state.device(opId.slice(0, opId.lastIndexOf('-'))) === undefined)
    problems.push('its tablet is no longer paired');
  return problems;
}
