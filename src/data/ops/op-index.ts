import type { DeviceId, OpId } from '../../domain/ids';
import { splitOpId } from '../../domain/ids';
import type { OpKind } from '../../domain/op/op';
import { recordOwner } from '../../domain/policy/topic-policy';
import type { BlobRef, Receipt } from '../../protocol/receipt';
import { blobOf } from '../../protocol/receipt';
import type { CloudRow, EdgeRow, HoldRow, MetaRow, OpRow } from './database';
import type { OpsStore } from './ops-store';
import type { Segment } from './segments';
import { readSegments } from './segments';

/** What the outbox and custody need of an operation, without its body. */
export interface OpIndexEntry {
  readonly opId: OpId;
  readonly kind: OpKind;
  readonly docId: string;
  readonly arrival: number;
  readonly own: boolean;
  readonly blob: BlobRef | undefined;
  /** An image's survey, where its record names one. */
  readonly surveyId: string | undefined;
  /** Who wrote it, and whose the document is where the body says it; null where nobody says. */
  readonly by: string | null;
  readonly owner: string | null;
  /** The body says that the document is deleted; whether it is, the fold says. */
  readonly deletes: boolean;
  /** Where it lies: a segment, by its key; undefined: a row of its own. */
  readonly segment?: number | undefined;
}

/** What a change of the ledger touched: single documents (`<kind>/<docId>`), or possibly everything. */
export type OpIndexChange =
  { readonly kind: 'everything' } | { readonly kind: 'documents'; readonly keys: ReadonlySet<string> };

/** What the store says of itself: whether anything is new follows from it. */
interface StoreSnapshot {
  readonly facts: readonly (MetaRow | undefined)[];
  readonly edges: readonly EdgeRow[];
  readonly clouds: readonly CloudRow[];
}

/** Segments whose bodies are in memory at a time while they are read into the index. */
const SEGMENT_BATCH = 64;

/** What the index takes from a segment. */
interface SegmentIndexData {
  readonly arrival: number;
  readonly entries: readonly OpIndexEntry[];
  readonly receipts: readonly Receipt[];
}

/** A store that gives receipts: a node in one of its lives. */
export interface StoreRef {
  readonly nodeId: string;
  readonly storeEpoch: string;
}

/**
 * An index in memory over operations, receipts and holds, without bodies and bytes. It is rebuilt from the database at
 * start and follows it by arrival numbers, whichever tab wrote; nothing is decided here.
 */
export class OpIndex {
  /** Another one after each change. */
  version = 0;
  /** In the order of their arrival. */
  readonly entries = new Map<OpId, OpIndexEntry>();
  /** The device ids under which operations were written here. */
  readonly ownDevices = new Set<DeviceId>();
  readonly #byDocument = new Map<string, OpIndexEntry[]>();
  readonly #receiptsOf = new Map<string, Receipt[]>();
  readonly #holdsOf = new Map<string, HoldRow[]>();
  readonly #localBlobs = new Set<string>();
  readonly #freedBlobs = new Set<string>();
  /** Ids of people, each text once: they stand in ten thousand entries. */
  readonly #internedIds = new Map<string, string>();
  #pairedEdges: readonly EdgeRow[] = [];
  #knownClouds: readonly CloudRow[] = [];
  #lastArrival = 0;
  /** Which store, and which of its generations, the index was made from. */
  #storeKey = '';
  readonly #listeners = new Set<(change: OpIndexChange) => void>();
  #stopWatching: (() => void) | undefined;
  #following: Promise<void> = Promise.resolve();
  #queuedFollow: Promise<void> | undefined;

  readonly #store: OpsStore;

  constructor(store: OpsStore) {
    this.#store = store;
  }

  /** Reads everything, then follows changes until `close`. */
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
          this.#store.host.log.note('error', 'The ledger could not follow.', { error: String(error) }),
        ),
    );
  }

  close(): void {
    this.#stopWatching?.();
    this.#listeners.clear();
  }

  onChange(listener: (change: OpIndexChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get edges(): readonly EdgeRow[] {
    return this.#pairedEdges;
  }

  get clouds(): readonly CloudRow[] {
    return this.#knownClouds;
  }

  /** Every store that this tablet knows, in its present life. */
  get epochs(): readonly StoreRef[] {
    return [...this.#pairedEdges, ...this.#knownClouds];
  }

  entriesOf(kind: OpKind, docId: string): readonly OpIndexEntry[] {
    return this.#byDocument.get(`${kind}/${docId}`) ?? [];
  }

  receipts(opId: OpId): readonly Receipt[] {
    return this.#receiptsOf.get(opId) ?? [];
  }

  /** The receipt of this operation from a store in its present life. */
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

  /** True when the bytes were freed here, after the cloud had confirmed them; they may have been added again since. */
  wasFreed(sha256: string): boolean {
    return this.#freedBlobs.has(sha256);
  }

  /** True when this index holds all that the store held when these facts were read of it. */
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

  /** True when this store has receipted these bytes for this image already: they are not sent again for an edit. */
  isBlobReceipted(docId: string, sha256: string, storeRef: StoreRef): boolean {
    return this.entriesOf('image', docId).some(
      ({ opId, blob }) => blob?.sha256 === sha256 && coversBytes(this.receiptFrom(opId, storeRef), sha256),
    );
  }

  /** True when this store has a record of this image with these bytes, whether or not it has the bytes: it does not ask for them for an edit. */
  isBlobRecorded(docId: string, sha256: string, storeRef: StoreRef): boolean {
    return this.entriesOf('image', docId).some(
      ({ opId, blob }) => blob?.sha256 === sha256 && this.receiptFrom(opId, storeRef)?.accepted === true,
    );
  }

  /** The present cloud's receipt for a record and its bytes: a box takes the record on its word, without them. */
  cloudReceiptFor({ opId, blob }: OpIndexEntry): Receipt | undefined {
    if (blob === undefined) return undefined;
    return this.#knownClouds
      .map((cloud) => this.receiptFrom(opId, cloud))
      .find((receipt) => coversBytes(receipt, blob.sha256));
  }

  /** A box's word that this operation was let in aboard: by it the cloud takes what its writer has no part in ashore yet. */
  edgeReceiptFor({ opId }: OpIndexEntry): Receipt | undefined {
    return this.receipts(opId).find(({ stage, accepted }) => stage === 'edge' && accepted);
  }

  /** Takes in what arrived since the last time. Calls queue up; each sees at least what was stored before it was made. */
  follow(): Promise<void> {
    // One that has not begun to read sees what is stored by now as well.
    if (this.#queuedFollow !== undefined) return this.#queuedFollow;
    const next = this.#following.then(() => {
      this.#queuedFollow = undefined;
      return this.#catchUp();
    });
    this.#queuedFollow = next;
    this.#following = next.catch(() => undefined);
    return next;
  }

  /** Takes in what another tab wrote meanwhile; where nobody did it costs one look at the store. */
  async followOtherTabs(): Promise<void> {
    const arrival = await this.#store.run(() => this.#store.db.meta.get('arrival'));
    if (((arrival?.value as number | undefined) ?? 0) > this.#lastArrival) await this.follow();
  }

  /** As `follow`, unless what was seen of the store is known by then: this tab's own writes are taken in by who made them. */
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
            // Freeing makes a new generation: everything is read then.
            freed: again ? await db.freed.toCollection().primaryKeys() : [],
            // Others' operations bring no bytes: those that they name and that are here, an own one names too.
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
    const changed = read.again || read.arrival !== this.#lastArrival || otherStores;
    this.#storeKey = read.life;
    this.#lastArrival = read.arrival;
    this.#pairedEdges = read.edges;
    this.#knownClouds = read.clouds;
    if (!changed) return;
    this.version += 1;
    const change: OpIndexChange =
      read.again || otherStores ? { kind: 'everything' } : { kind: 'documents', keys: this.#touchedKeys(read) };
    for (const listener of [...this.#listeners]) listener(change);
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
      for (const { kind, docId } of [...part.entries, ...part.receipts]) keys.add(`${kind}/${docId}`);
    for (const { opId } of holds) {
      const entry = this.entries.get(opId);
      if (entry !== undefined) keys.add(`${entry.kind}/${entry.docId}`);
    }
    return keys;
  }

  /** One of each life of a store: what it took out of quarantine counts in place of its refusal. */
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

  /** @param ops in the order of their arrival, like the segments */
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
    push(this.#byDocument, `${kind}/${docId}`, entry);
  }
}

function entryOf(
  { opId, kind, docId, arrival, own, by, op }: OpRow,
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

/** Whether a receipt counts beside what is known from the same life of its store: the first does, and the one that takes out of quarantine. */
export function supersedes(receipt: Receipt, known: Receipt | undefined): boolean {
  return known === undefined || (receipt.accepted && !known.accepted);
}

/** A box that took a record on the cloud's word vouches for the record and not for its bytes. */
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
