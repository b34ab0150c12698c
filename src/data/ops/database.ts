import { Dexie } from 'dexie';
import type { EntityTable, Table } from 'dexie';
import type { Intake } from '../../domain/custody/intake';
import type { CardCheck } from '../../domain/custody/wipe-verdict';
import type { WireError } from '../../domain/errors';
import type { DeviceId, OpId, Sha256, SurveyId } from '../../domain/ids';
import { splitOpId } from '../../domain/ids';
import type { Op, OpKind } from '../../domain/op/op';
import type { ReefFile } from '../../domain/reef/reef';
import type { RegionId } from '../../domain/region/region-id';
import type { Fix } from '../../geo/track';
import type { LostBytes } from '../../protocol/changes';
import type { PublicKey, Receipt } from '../../protocol/receipt';
import type { DeviceKeyPair, TabletHost } from '../../platform/host';

/** Store that issues receipts: a node in one of its epochs. */
export interface StoreRef {
  readonly nodeId: string;
  readonly storeEpoch: string;
}

export interface OpRow {
  readonly opId: OpId;
  readonly kind: OpKind;
  readonly docId: string;
  readonly n: number;
  /** Order in which this tablet learned of it, shared with receipts and holds; only ever grows. */
  readonly arrival: number;
  readonly own: boolean;
  /** Author: `op.by`, or the author that the box's feed names. */
  readonly by: string | null;
  /** Store that has this write, with its bytes, under an op id that another write took. */
  readonly knownAt?: StoreRef;
  readonly op: Op;
}

export function opRowOf(op: Op, facts: Pick<OpRow, 'arrival' | 'own' | 'by' | 'knownAt'>): OpRow {
  return { opId: op.opId, kind: op.kind, docId: op.docId, n: splitOpId(op.opId).n, ...facts, op };
}

/** Bytes by their hash. Read by primary key only: WebKit has crashed on blobs read through an index. */
export interface BlobRow {
  readonly sha256: Sha256;
  readonly bytes: number;
  readonly type: string;
  readonly blob: Blob;
}

interface PreviewRow {
  readonly sha256: Sha256;
  readonly picture: Blob;
  /** Smaller version for lists; absent if an older app made the preview. */
  readonly thumbnail?: Blob;
}

/** Receipt whose signature was valid on arrival. */
export interface ReceiptRow {
  readonly opId: OpId;
  readonly nodeId: string;
  readonly storeEpoch: string;
  readonly arrival: number;
  readonly receipt: Receipt;
}

export function receiptRowOf(arrival: number, receipt: Receipt): ReceiptRow {
  return { opId: receipt.opId as OpId, nodeId: receipt.nodeId, storeEpoch: receipt.storeEpoch, arrival, receipt };
}

/**
 * Part of a feed page as one immutable row: others' operations and their receipts. A thousand operations as indexed
 * rows cost a tablet twenty times as much.
 */
export interface SegmentRow {
  /** Number of its first entry; the next row's is greater than that of this row's last entry. */
  readonly arrival: number;
  /** `<kind>/<docId>` of everything in it, each once. */
  readonly docKeys: readonly string[];
  /** JSON; read only by `segments.ts`. */
  readonly content: string;
}

/** Segment whose documents are not in the read model yet. */
interface UnprojectedSegmentRow {
  readonly arrival: number;
}

/** Refusal of an operation by a server, stored until a person looks at it. */
export interface HoldRow {
  readonly opId: OpId;
  readonly nodeId: string;
  readonly storeEpoch: string;
  readonly arrival: number;
  readonly error: WireError;
  readonly at: string;
}

interface CursorRow {
  readonly nodeId: string;
  readonly storeEpoch: string;
  readonly since: number;
}

/** Paired box with its pinned keys. */
export interface EdgeRow {
  readonly nodeId: string;
  readonly name: string;
  readonly origin: string;
  readonly storeEpoch: string;
  readonly session: string;
  readonly receiptKeys: readonly PublicKey[];
  readonly traceKeys: readonly PublicKey[];
  readonly cloudKeys: readonly PublicKey[];
  /** Address of its cloud as the box reports it; older boxes do not. */
  readonly cloudOrigin?: string;
  readonly pairedAt: string;
}

/**
 * Known cloud: its keys and current epoch. It has an address if reached over TLS, and a credential of this device once
 * a person signed in there.
 */
export interface CloudRow {
  readonly nodeId: string;
  readonly storeEpoch: string;
  /** Earlier epochs: their receipts are void. */
  readonly pastEpochs: readonly string[];
  /** `https://name[:port]`; null if only its receipts are known, through a box. */
  readonly origin: string | null;
  readonly receiptKeys: readonly PublicKey[];
  readonly traceKeys: readonly PublicKey[];
  /**
   * Bearer token of this device: it sends everything stored here, regardless of the current user. null: no one has
   * signed in there yet.
   */
  readonly credential: string | null;
  readonly chunkBytes: number;
  readonly pinnedAt: string;
  /** True if this tablet was revoked, by the last connection: it delivers, and reads nothing. */
  readonly isRevoked?: boolean;
}

/** Session of a person ashore. Sending does not depend on it. */
export interface AccountRow {
  readonly nodeId: string;
  readonly session: string;
  readonly uid: string;
  readonly email: string;
  /** Token for boxes (audience `reef-edge`), if the cloud issued one. */
  readonly edgeToken: string | null;
  readonly signedInAt: string;
  /** Key of this device that the cloud certified for the session; absent from version 1. */
  readonly certifiedKey?: string;
}

/** Bytes freed from this tablet after the cloud confirmed that it has them. */
export interface FreedRow {
  readonly sha256: Sha256;
  readonly bytes: number;
  readonly type: string;
  readonly docIds: readonly string[];
  /** Receipts that justified it, at least one per record. */
  readonly receipts: readonly Receipt[];
  /** `person`: a person asked for space. `time`: seven days had passed. */
  readonly by: 'person' | 'time';
  /** Time by this tablet's clock and by the cloud's; ISO 8601. */
  readonly at: string;
  readonly cloudTime: string;
}

/** Document whose read model is older than its operations. */
export interface DirtyRow {
  readonly kind: OpKind;
  readonly docId: string;
  readonly arrival: number;
}

/** Unsaved edits of work on a photograph, a few per immutable row; read only by `journals/`. */
export interface JournalRow {
  /** `<uid>/<imageId>/<number in its journal, eight digits>` of a tracing, `<uid>/<kind>/<imageId>/<number>` of others. */
  readonly id: string;
  readonly at: string;
  readonly entries: readonly unknown[];
  readonly tab: string;
}

interface CardCheckRow extends Omit<CardCheck, 'elapsed'> {
  readonly surveyId: SurveyId;
}

/** List of bytes that a box lost, and the store epoch in which it did. */
export interface LostAt extends LostBytes {
  readonly storeEpoch: string;
}

export type CrewNames = Readonly<Record<string, string>>;

export interface MetaValues {
  readonly deviceId: DeviceId;
  /** Name that a person gave this tablet. */
  readonly tabletName: string;
  readonly counter: number;
  /** Key that signs this device's operations; absent if the browser has no Ed25519. */
  readonly deviceKey: DeviceKeyPair;
  /** Op ids of this tablet that two different operations had: both were reissued. */
  readonly givenUp: readonly OpId[];
  readonly arrival: number;
  /** Changes when rows were removed or replaced: values computed from them start over. */
  readonly generation: number;
  /** Random, created with this database; the marker outside repeats it. */
  readonly storeId: string;
  readonly wiped: { readonly foundAt: string };
  readonly readModel: string;
  /** `stopped`: a person cancelled sending, and nothing is sent until they resume it. */
  readonly sending: 'on' | 'paused' | 'stopped';
  readonly offlineByChoice: boolean;
  readonly person: unknown;
  /** Person whom a box signed in by name: kept until they sign out of it. */
  readonly signedInAboard: { readonly nodeId: string; readonly uid: string };
  /** People who used this tablet: email address by uid. */
  readonly people: Readonly<Record<string, string>>;
  /** People aboard whose profiles are not on this tablet: name by uid, as boxes sent them. */
  readonly crewNames: CrewNames;
  /** Extra profile fields defined by admins, as the cloud last sent them. */
  readonly profileFields: unknown;
  readonly photo: { readonly uid: string; readonly picture: Blob };
  /** Address to which this tablet last requested a sign-in link. */
  readonly linkAsked: string;
  readonly invitation: Invitation;
  /** Last notice of the box to the current user: the uid of that person, or null for none. */
  readonly boxNotice: { readonly words: string; readonly uid: string | null; readonly isRead: boolean };
  /** Bytes that each box receipted and lost, by node id; of forgotten boxes too. */
  readonly lost: Readonly<Record<string, LostAt>>;
  readonly currentSurvey: string | null;
  /** Track of the vessel as received from the box: positions photographs while the box is away. */
  readonly track: readonly Fix[];
  /** Reef tables from a box, by region. */
  readonly reefTables: Partial<
    Record<RegionId, { readonly etag: string; readonly keptAt: string; readonly file: ReefFile }>
  >;
  /** Reference data `regions` as cloud and box last sent it. */
  readonly staffRegions: StoredReference;
  /** Reference data `events`, likewise. */
  readonly events: StoredReference;
}

/** Reference data as the servers last sent it. */
export interface StoredReference {
  readonly cloud?: { readonly documents: unknown };
  readonly box?: { readonly etag: string; readonly documents: unknown };
}

/**
 * Event or organisation whose address someone opened here, until their sign-in ashore. `email`: of the person who
 * entered their name at sea; null: the next one to sign in.
 */
interface Invitation {
  readonly handle: string;
  readonly email: string | null;
}

export interface MetaRow {
  readonly key: keyof MetaValues;
  readonly value: unknown;
}

/**
 * Source of truth of the tablet: one plain Dexie database. Data that must not be lost never depends on another
 * library's migration.
 */
export interface OpsDatabase extends Dexie {
  readonly ops: EntityTable<OpRow, 'opId'>;
  readonly blobs: EntityTable<BlobRow, 'sha256'>;
  readonly previews: EntityTable<PreviewRow, 'sha256'>;
  readonly receipts: Table<ReceiptRow, [string, string, string]>;
  readonly holds: Table<HoldRow, [string, string]>;
  readonly cursors: EntityTable<CursorRow, 'nodeId'>;
  readonly edges: EntityTable<EdgeRow, 'nodeId'>;
  readonly dirty: Table<DirtyRow, [string, string]>;
  readonly meta: EntityTable<MetaRow, 'key'>;
  readonly journals: EntityTable<JournalRow, 'id'>;
  /** Batches of added files that are not fully read, or contain files that no one has acknowledged. */
  readonly intakes: EntityTable<Intake, 'id'>;
  readonly cardChecks: EntityTable<CardCheckRow, 'surveyId'>;
  readonly clouds: EntityTable<CloudRow, 'nodeId'>;
  readonly accounts: EntityTable<AccountRow, 'nodeId'>;
  readonly freed: EntityTable<FreedRow, 'sha256'>;
  /**
   * Other people's operations; `ops` contains this tablet's own, those of rescue copies, and others' from before
   * version 4.
   */
  readonly segments: EntityTable<SegmentRow, 'arrival'>;
  readonly behind: EntityTable<UnprojectedSegmentRow, 'arrival'>;
}

/** Declares the database; it opens automatically. Every write is `strict`: settled means on disk, not in a cache. */
export function createOpsDatabase(host: Pick<TabletHost, 'idb'>, name: string): OpsDatabase {
  const database = new Dexie(name, {
    indexedDB: host.idb.factory,
    IDBKeyRange: host.idb.keyRange,
    chromeTransactionDurability: 'strict',
  }) as OpsDatabase;
  database
    .version(1)
    .stores({
      ops: '&opId, [kind+docId], n, arrival',
      blobs: '&sha256',
      previews: '&sha256',
      receipts: '&[opId+nodeId+storeEpoch], opId, arrival',
      holds: '&[opId+nodeId], arrival',
      cursors: '&nodeId',
      edges: '&nodeId',
      dirty: '&[kind+docId]',
      meta: '&key',
      journals: '&id',
    });
  database.version(2).stores({ intakes: '&id, surveyId', cardChecks: '&surveyId' });
  database.version(3).stores({ clouds: '&nodeId', accounts: '&nodeId', freed: '&sha256' });
  // Rows in `ops` and `receipts` stay there: both places are read.
  database.version(4).stores({ segments: '&arrival, *docKeys', behind: '&arrival' });
  return database;
}
