import { Emitter } from '../../base/emitter';
import type { DeviceId, OpId } from '../../domain/ids';
import { splitOpId } from '../../domain/ids';
import type { OpKind } from '../../domain/op/op';
import { docKeyOf } from '../../domain/op/op';
import { recordOwner } from '../../domain/policy/topic-policy';
import type { BlobRef, Receipt } from '../../protocol/receipt';
import { blobOf } from '../../protocol/receipt';
import type { CloudRow, EdgeRow, HoldRow, LostAt, MetaRow, OpRow, StoreRef } from './database';
import { LostIndex } from './lost-index';
import type { OpsStore } from './ops-store';
import type { Segment } from './segments';
import { readSegments } from './segments';

/** Facts of an operation that the outbox and custody need, without its body. */
export interface OpIndexEntry {
  readonly opId: OpId;
  readonly kind: OpKind;
  readonly docId: string;
  readonly arrival: number;
  readonly own: boolean;
  readonly blob: BlobRef | undefined;
  readonly surveyId: string | undefined;
  /** Author, and owner of the document if the body names one; null if unknown. */
  readonly by: string | null;
  readonly owner: string | null;
  /** True if the body marks the document as deleted; the fold decides whether it is. */
  readonly deletes: boolean;
  /** Key of its segment; undefined: it is a row of its own. */
  readonly segment?: number | undefined;
  /** Store that has its bytes under another op id. */
  readonly knownAt?: StoreRef | undefined;
}

/** Change of the index: single documents (`<kind>/<docId>`), or possibly everything. */
export type OpIndexChange =
  { readonly kind: 'everything' } | { readonly kind: 'documents'; readonly keys: ReadonlySet<string> };

/** State of the store that shows whether anything is new. */
interface StoreSnapshot {
  readonly facts: readonly (MetaRow | undefined)[];
  readonly edges: readonly EdgeRow[];
  readonly clouds: readonly CloudRow[];
}

/** Segments in memory at a time while they are indexed. */
const SEGMENT_BATCH = 64;

/** Parts of a segment that the index stores. */
interface SegmentIndexData {
  readonly arrival: number;
  readonly entries: readonly OpIndexEntry[];
  readonly receipts: readonly Receipt[];
}

/**
 * In-memory index of operations, receipts and holds, without bodies and bytes. Rebuilt from the database at start;
 * follows it by arrival numbers, regardless of the tab that wrote. It decides nothing.
 */
export class OpIndex {
  version = 0;
  /** Entries in arrival order. */
  readonly entries = new Map<OpId, OpIndexEntry>();
  readonly ownDevices = new Set<DeviceId>();
  readonly #byDocument = new Map<string, OpIndexEntry[]>();
  readonly #receiptsOf = new Map<string, Receipt[]>();
  readonly #holdsOf = new Map<string, HoldRow[]>();
  readonly #localBlobs = new Set<string>();
  readonly #freedBlobs = new Set<string>();
  readonly #lost = new LostIndex();
  readonly isLost = this.#lost.has;
  readonly lostKey = this.#lost.key;
  /** Interned ids of people: they appear in ten thousand entries. */
  readonly #internedIds = new Map<string, string>();
  #pairedEdges: readonly EdgeRow[] = [];
  #knownClouds: readonly CloudRow[] = [];
  #lastArrival = 0;
  /** Store id and generation from which the index was built. */
  #storeKey = '';
  readonly #changed = new Emitter<OpIndexChange>();
  readonly onChange = this.#changed.subscribe;
  #stopWatching: (() => void) | undefined;
  #following: Promise<void> = Promise.resolve();
  #queuedFollow: Promise<void> | undefined;

  readonly #store: OpsStore;

  constructor(store: OpsStore) {
    this.#store = store;
  }

  async start(): Promise<void> {
    await this.follow();
    const { db } = this.#store;
    this.#stopWatching = this.#store.watch(
      async () => ({
        facts: await db.meta.bulkGet(['storeId', 'generation', 'arrival']),
        edges: await db.edges.toArray(),
        clouds: await db.clouds.toArray(),
      }),
      (now) =>
        void this.#followTo(now).catch((error: unknown) =>
          this.#store.host.log.note('error', 'The operation index could not be updated.', { error: String(error) }),
        ),
    );
  }

  close(): void {
    this.#stopWatching?.();
    this.#changed.clear();
  }

  get edges(): readonly EdgeRow[] {
    return this.#pairedEdges;
  }

  get clouds(): readonly CloudRow[] {
    return this.#knownClouds;
  }

  /** Every known store in its current epoch. */
  get epochs(): readonly StoreRef[] {
    return [...this.#pairedEdges, ...this.#knownClouds];
  }

  entriesOf(kind: OpKind, docId: string): readonly OpIndexEntry[] {
    return this.#byDocument.get(docKeyOf(kind, docId)) ?? [];
  }

  receipts(opId: OpId): readonly Receipt[] {
    return this.#receiptsOf.get(opId) ?? [];
  }

  receiptFrom(opId: OpId, { nodeId, storeEpoch }: StoreRef): Receipt | undefined {
    return this.receipts(opId).find((receipt) => receipt.nodeId === nodeId && receipt.storeEpoch === storeEpoch);
  }

  holds(opId: OpId): readonly HoldRow[] {
    return this.#holdsOf.get(opId) ?? [];
  }

  holdFrom(opId: OpId, { nodeId, storeEpoch }: StoreRef): HoldRow | undefined {
    return this.holds(opId).find((row) => row.nodeId === nodeId && row.storeEpoch === storeEpoch);
  }

  hasBytes(sha256: string): boolean {
    return this.#localBlobs.has(sha256);
  }

  /** True if the bytes were freed here after the cloud confirmed them; they may have been added again since. */
  wasFreed(sha256: string): boolean {
    return this.#freedBlobs.has(sha256);
  }

  /** True if this index contains everything that the store had when these values were read. */
  isUpToDateWith({
    storeId,
    generation,
    arrival,
  }: Readonly<Record<'storeId' | 'generation' | 'arrival', unknown>>): boolean {
    return (
      this.#storeKey === `${String(storeId)} ${String(generation)}` &&
      ((arrival as number | undefined) ?? 0) === this.#lastArrival
    );
  }

  /**
   * True if this store has receipted these bytes for this image, and has not lost them: an edit does not send them
   * again.
   */
  isBlobReceipted(docId: string, sha256: string, storeRef: StoreRef): boolean {
    if (this.isLost(sha256, storeRef)) return false;
    return this.entriesOf('image', docId).some(
      ({ opId, blob }) => blob?.sha256 === sha256 && coversBytes(this.receiptFrom(opId, storeRef), sha256),
    );
  }

  /**
   * True if this store has a record of this image with these bytes, with or without the bytes: it does not request them
   * for an edit, unless it lost them.
   */
  isBlobRecorded(docId: string, sha256: string, storeRef: StoreRef): boolean {
    if (this.isLost(sha256, storeRef)) return false;
    return this.entriesOf('image', docId).some(
      ({ opId, blob, knownAt }) =>
        blob?.sha256 === sha256 &&
        (this.receiptFrom(opId, storeRef)?.accepted === true ||
          (knownAt?.nodeId === storeRef.nodeId && knownAt.storeEpoch === storeRef.storeEpoch)),
    );
  }

  /**
   * Receipt of the current cloud epoch for a record and its bytes: a box accepts the record with it, without the bytes.
   */
  cloudReceiptFor({ opId, blob }: OpIndexEntry): Receipt | undefined {
    if (blob === undefined) return undefined;
    return this.#knownClouds
      .map((cloud) => this.receiptFrom(opId, cloud))
      .find((receipt) => coversBytes(receipt, blob.sha256));
  }

  /**
   * Receipt of a box that admitted this operation: with it the cloud accepts an operation whose author has no access
   * ashore yet.
   */
  edgeReceiptFor({ opId }: OpIndexEntry): Receipt | undefined {
    return this.receipts(opId).find(({ stage, accepted }) => stage === 'edge' && accepted);
  }

  /**
   * Indexes what arrived since the last time. Calls queue up; each includes at least what was stored before the call.
   */
  follow(): Promise<void> {
    // A queued run that has not started includes what is stored by now.
    if (this.#queuedFollow !== undefined) return this.#queuedFollow;
    const next = this.#following.then(() => {
      this.#queuedFollow = undefined;
      return this.#catchUp();
    });
    this.#queuedFollow = next;
    this.#following = next.catch(() => undefined);
    return next;
  }

  /** Indexes what another tab wrote; costs one read of the store if nothing changed. */
  async followOtherTabs(): Promise<void> {
    const arrival = await this.#store.run(() => this.#store.db.meta.get('arrival'));
    if (((arrival?.value as number | undefined) ?? 0) > this.#lastArrival) await this.follow();
  }

  /** Follows unless this state is indexed by then: this tab indexes its own writes itself. */
  #followTo({ facts: [storeId, generation, arrival], edges, clouds }: StoreSnapshot): Promise<void> {
    const next = this.#following.then(() => {
      const isKnown =
        this.#storeKey === `${String(storeId?.value)} ${String(generation?.value)}` &&
        ((arrival?.value as number | undefined) ?? 0) <= this.#lastArrival &&
        sameRows(edges, this.#pairedEdges) &&
        sameRows(clouds, this.#knownClouds);
      return isKnown ? undefined : this.#catchUp();
    });
    this.#following = next.catch(() => undefined);
    return next;
  }

  async #catchUp(): Promise<void> {
    const store = this.#store;
    const { db } = store;
    const read = await store.run(() =>
      db.transaction(
        'r',
        [db.ops, db.receipts, db.segments, db.holds, db.edges, db.clouds, db.freed, db.meta, db.blobs],
        async () => {
          const [storeId, generation] = await db.meta.bulkGet(['storeId', 'generation']);
          const life = `${String(storeId?.value)} ${String(generation?.value)}`;
          const again = life !== this.#storeKey;
          const since = again ? 0 : this.#lastArrival;
          const ops = await db.ops.where('arrival').above(since).sortBy('arrival');
          const named = ops.flatMap(({ op }) => blobOf(op)?.sha256 ?? []);
          const segments: SegmentIndexData[] = [];
          const keys = await db.segments.where('arrival').above(since).primaryKeys();
          for (let i = 0; i < keys.length; i += SEGMENT_BATCH)
            for (const segment of await readSegments(store, keys.slice(i, i + SEGMENT_BATCH)))
              segments.push(indexDataOf(segment, this.#intern));
          return {
            life,
            again,
            ops: ops.map((row) => entryOf(row, undefined, this.#intern)),
            segments,
            arrival: ((await db.meta.get('arrival'))?.value as number | undefined) ?? 0,
            receipts: (await db.receipts.where('arrival').above(since).toArray()).map(({ receipt }) => receipt),
            holds: await db.holds.where('arrival').above(since).toArray(),
            edges: await db.edges.toArray(),
            clouds: await db.clouds.toArray(),
            lost: ((await db.meta.get('lost'))?.value ?? {}) as Readonly<Record<string, LostAt>>,
            // Freeing starts a new generation, so everything is read.
            freed: again ? await db.freed.toCollection().primaryKeys() : [],
            // Others' operations contain no bytes: bytes that they reference and that are here are also referenced by
            // an own operation.
            blobs: again
              ? await db.blobs.toCollection().primaryKeys()
              : named.length === 0
                ? []
                : await db.blobs.where('sha256').anyOf(named).primaryKeys(),
          };
        },
      ),
    );
    if (read.again) this.#clear();
    this.#addAll(read.ops, read.segments);
    for (const { receipts } of [read, ...read.segments]) for (const receipt of receipts) this.#addReceipt(receipt);
    for (const row of read.holds) {
      this.#holdsOf.set(row.opId, [...this.holds(row.opId).filter(({ nodeId }) => nodeId !== row.nodeId), row]);
    }
    for (const sha256 of read.blobs) this.#localBlobs.add(sha256);
    for (const sha256 of read.freed) this.#freedBlobs.add(sha256);
    const otherStores = !sameRows(read.edges, this.#pairedEdges) || !sameRows(read.clouds, this.#knownClouds);
    const otherLost = this.#lost.set(read.lost);
    const changed = read.again || read.arrival !== this.#lastArrival || otherStores;
    this.#storeKey = read.life;
    this.#lastArrival = read.arrival;
    this.#pairedEdges = read.edges;
    this.#knownClouds = read.clouds;
    if (!changed) return;
    this.version += 1;
    const change: OpIndexChange =
      read.again || otherStores || otherLost
        ? { kind: 'everything' }
        : { kind: 'documents', keys: this.#touchedKeys(read) };
    this.#changed.emit(change);
  }

  #touchedKeys({
    ops,
    receipts,
    segments,
    holds,
  }: {
    readonly ops: readonly OpIndexEntry[];
    readonly receipts: readonly Receipt[];
    readonly segments: readonly SegmentIndexData[];
    readonly holds: readonly HoldRow[];
  }): ReadonlySet<string> {
    const keys = new Set<string>();
    for (const part of [{ entries: ops, receipts }, ...segments])
      for (const { kind, docId } of [...part.entries, ...part.receipts]) keys.add(docKeyOf(kind, docId));
    for (const { opId } of holds) {
      const entry = this.entries.get(opId);
      if (entry !== undefined) keys.add(`${entry.kind}/${entry.docId}`);
    }
    return keys;
  }

  /** One receipt per store epoch: a release from quarantine replaces the refusal. */
  #addReceipt(receipt: Receipt): void {
    const all = this.#receiptsOf.get(receipt.opId);
    const at =
      all?.findIndex(({ nodeId, storeEpoch }) => nodeId === receipt.nodeId && storeEpoch === receipt.storeEpoch) ?? -1;
    if (all === undefined || at === -1) push(this.#receiptsOf, receipt.opId, receipt);
    else if (supersedes(receipt, all[at])) all[at] = receipt;
  }

  #clear(): void {
    for (const index of [
      this.entries,
      this.ownDevices,
      this.#byDocument,
      this.#receiptsOf,
      this.#holdsOf,
      this.#localBlobs,
      this.#freedBlobs,
    ])
      index.clear();
  }

  readonly #intern = (id: string | null): string | null => {
    if (id === null) return null;
    const known = this.#internedIds.get(id);
    if (known !== undefined) return known;
    this.#internedIds.set(id, id);
    return id;
  };

  /** @param ops in arrival order, like the segments */
  #addAll(ops: readonly OpIndexEntry[], segments: readonly SegmentIndexData[]): void {
    let at = 0;
    for (const segment of segments) {
      for (let entry = ops[at]; entry !== undefined && entry.arrival < segment.arrival; entry = ops[++at])
        this.#addEntry(entry);
      segment.entries.forEach((entry) => this.#addEntry(entry));
    }
    for (const entry of ops.slice(at)) this.#addEntry(entry);
  }

  #addEntry(entry: OpIndexEntry): void {
    const { opId, kind, docId, own } = entry;
    this.entries.set(opId, entry);
    if (own) this.ownDevices.add(splitOpId(opId).deviceId);
    push(this.#byDocument, docKeyOf(kind, docId), entry);
  }
}

function entryOf(
  { opId, kind, docId, arrival, own, by, knownAt, op }: OpRow,
  segment: number | undefined,
  intern: (id: string | null) => string | null,
): OpIndexEntry {
  const survey = op.body['survey'] as { id?: unknown } | null | undefined;
  const surveyId = kind === 'image' && typeof survey?.id === 'string' ? survey.id : undefined;
  return {
    opId,
    kind,
    docId,
    arrival,
    own,
    blob: blobOf(op),
    surveyId,
    by: intern(by),
    owner: intern(recordOwner(op.body)),
    deletes: op.body['isDeleted'] === true,
    segment,
    knownAt,
  };
}

function indexDataOf(
  { arrival, ops, receipts }: Segment,
  intern: (id: string | null) => string | null,
): SegmentIndexData {
  return {
    arrival,
    entries: ops.map((row) => entryOf(row, arrival, intern)),
    receipts: receipts.map(({ receipt }) => receipt),
  };
}

/**
 * True if a receipt replaces the known one of the same store epoch: the first one does, and a release from quarantine.
 */
export function supersedes(receipt: Receipt, known: Receipt | undefined): boolean {
  return known === undefined || (receipt.accepted && !known.accepted);
}

/** A box that accepted a record on the cloud's receipt covers the record, not its bytes. */
function coversBytes(receipt: Receipt | undefined, sha256: string): boolean {
  return receipt?.accepted === true && receipt.blob?.sha256 === sha256;
}

function sameRows(a: readonly unknown[], b: readonly unknown[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function push<Value>(index: Map<string, Value[]>, key: string, value: Value): void {
  const list = index.get(key);
  if (list === undefined) index.set(key, [value]);
  else list.push(value);
}
