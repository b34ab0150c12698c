import { Dexie } from 'dexie';
import type { EntityTable, Table } from 'dexie';
import type { Intake } from '../../domain/custody/intake';
import type { CardCheck } from '../../domain/custody/wipe-verdict';
import type { WireError } from '../../domain/errors';
import type { DeviceId, OpId, Sha256, SurveyId } from '../../domain/ids';
import type { Op, OpKind } from '../../domain/op/op';
import type { ReefFile } from '../../domain/reef/reef';
import type { RegionId } from '../../domain/region/region-id';
import type { Fix } from '../../geo/track';
import type { PublicKey, Receipt } from '../../protocol/receipt';
import type { TabletHost } from '../../platform/host';

/** An operation as it lies here. */
export interface OpRow {
  readonly opId: OpId;
  readonly kind: OpKind;
  readonly docId: string;
  /** The count of its device. */
  readonly n: number;
  /** In which order this tablet came to know it, receipts and holds counted along; only ever grows. */
  readonly arrival: number;
  /** Written on this tablet. */
  readonly own: boolean;
  /** Who wrote it: `op.by`, or what the box's feed says. */
  readonly by: string | null;
  readonly op: Op;
}

/** Bytes by their hash. Read by primary key alone: WebKit has crashed on blobs read through an index. */
export interface BlobRow {
  readonly sha256: Sha256;
  readonly bytes: number;
  readonly type: string;
  readonly blob: Blob;
}

export interface PreviewRow {
  readonly sha256: Sha256;
  readonly picture: Blob;
  /** A smaller one for lists; absent where an older app made the preview. */
  readonly thumbnail?: Blob;
}

/** A receipt whose signature held when it came. */
export interface ReceiptRow {
  readonly opId: OpId;
  readonly nodeId: string;
  readonly storeEpoch: string;
  readonly arrival: number;
  readonly receipt: Receipt;
}

/**
 * What came down a feed from others, a portion of a page as one row that is never changed again: their operations and the receipts
 * for those. A thousand operations as rows of their own, each in its indexes, cost a tablet twenty times what these cost.
 */
export interface SegmentRow {
  /** Of the first in it; the next row's is greater than that of the last in this one. */
  readonly arrival: number;
  /** `<kind>/<docId>` of all that is in it, each once. */
  readonly docKeys: readonly string[];
  /** JSON; read by `segments.ts` alone. */
  readonly content: string;
}

/** A segment whose documents the read model does not show yet. */
export interface UnprojectedSegmentRow {
  /** The segment's. */
  readonly arrival: number;
}

/** A server's word that it will not take an operation as it is: a fact that was received, kept for a person. */
export interface HoldRow {
  readonly opId: OpId;
  readonly nodeId: string;
  readonly storeEpoch: string;
  readonly arrival: number;
  readonly error: WireError;
  readonly at: string;
}

/** How far a node's change feed was read. */
export interface CursorRow {
  readonly nodeId: string;
  readonly storeEpoch: string;
  readonly since: number;
}

/** A box that this tablet is paired with, its keys pinned. */
export interface EdgeRow {
  readonly nodeId: string;
  readonly name: string;
  readonly origin: string;
  readonly storeEpoch: string;
  readonly session: string;
  readonly receiptKeys: readonly PublicKey[];
  readonly traceKeys: readonly PublicKey[];
  readonly cloudKeys: readonly PublicKey[];
  /** Where its cloud answers, as the box says; an older box does not. */
  readonly cloudOrigin?: string;
  readonly pairedAt: string;
}

/**
 * The cloud as this tablet knows it: its keys and its store's present life. Where it came over TLS it has an address, and
 * once a person signed in there a credential of this device.
 */
export interface CloudRow {
  readonly nodeId: string;
  readonly storeEpoch: string;
  /** Its earlier lives: what they receipted counts no more. */
  readonly pastEpochs: readonly string[];
  /** `https://name[:port]`; null where only its receipts are known, through a box. */
  readonly origin: string | null;
  readonly receiptKeys: readonly PublicKey[];
  readonly traceKeys: readonly PublicKey[];
  /** Bearer token of this device: it sends whatever lies here, whoever is signed in. null: nobody signed in there yet. */
  readonly credential: string | null;
  /** Bytes of one chunk at most. */
  readonly chunkBytes: number;
  readonly pinnedAt: string;
}

/** A person's own session ashore. Nothing that is sent depends on it. */
export interface AccountRow {
  /** The cloud's node. */
  readonly nodeId: string;
  readonly session: string;
  readonly uid: string;
  readonly email: string;
  /** A token for the boxes (audience `reef-edge`), where the cloud gave one. */
  readonly edgeToken: string | null;
  readonly signedInAt: string;
}

/** What was freed here: the bytes are gone from this tablet, the cloud had them when it was asked just before. */
export interface FreedRow {
  readonly sha256: Sha256;
  readonly bytes: number;
  readonly type: string;
  /** Records that name these bytes. */
  readonly docIds: readonly string[];
  /** The receipts on whose word it was done, one a record at least. */
  readonly receipts: readonly Receipt[];
  /** `person`: somebody asked for the room. `time`: seven days had passed. */
  readonly by: 'person' | 'time';
  /** When, by this tablet's clock and by the cloud's; ISO 8601. */
  readonly at: string;
  readonly cloudTime: string;
}

/** A document whose read model is older than its operations. */
export interface DirtyRow {
  readonly kind: OpKind;
  readonly docId: string;
  readonly arrival: number;
}

/** What a person did to a photograph that they trace, a few strokes a row, which is never changed again; read by `stroke-journal.ts` alone. */
export interface JournalRow {
  /** `<uid>/<imageId>/<number in its journal, eight digits>`. */
  readonly id: string;
  readonly at: string;
  readonly entries: readonly unknown[];
  /** Random, of the tab that wrote it. */
  readonly tab: string;
}

/** The last time a box was asked for all originals of a survey. */
export interface CardCheckRow extends Omit<CardCheck, 'elapsed'> {
  readonly surveyId: SurveyId;
}

/** Single facts, by name. */
export interface MetaValues {
  readonly deviceId: DeviceId;
  /** The count of this device's latest operation. */
  readonly counter: number;
  /** Names of this tablet under which two writes go: both were issued again. */
  readonly givenUp: readonly OpId[];
  readonly arrival: number;
  /** Changes when rows were taken away or replaced: what was computed from them starts again. */
  readonly generation: number;
  /** Random, made with this database; the marker outside repeats it. */
  readonly storeId: string;
  readonly wiped: { readonly foundAt: string };
  readonly readModel: string;
  /** `stopped`: a person gave up what was in hand, and nothing goes until they say so. */
  readonly sending: 'on' | 'paused' | 'stopped';
  readonly offlineByChoice: boolean;
  readonly person: unknown;
  /** Who was at this tablet: the address of each, by uid. */
  readonly people: Readonly<Record<string, string>>;
  /** The extra fields of a profile that admins defined, as the cloud last told them. */
  readonly profileFields: unknown;
  /** The picture that a person gave of themselves on this tablet. */
  readonly photo: { readonly uid: string; readonly picture: Blob };
  /** The address to which this tablet last had a sign-in link mailed. */
  readonly linkAsked: string;
  /** What the box last said to whoever was at the tablet: the uid of that person, or null for nobody. */
  readonly boxNotice: { readonly words: string; readonly uid: string | null; readonly isRead: boolean };
  readonly currentSurvey: string | null;
  /** The vessel's track as far as the box told it: photographs find their place by it when the box is away. */
  readonly track: readonly Fix[];
  /** Tables of reefs that came from a box, by region. */
  readonly reefTables: Partial<
    Record<RegionId, { readonly etag: string; readonly keptAt: string; readonly file: ReefFile }>
  >;
}

export interface MetaRow {
  readonly key: keyof MetaValues;
  readonly value: unknown;
}

/** The tablet's truth: one plain Dexie database. What must not be lost never depends on a migration of another library. */
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
  /** Batches of files that were given and are not wholly read, or have files that nobody has looked at. */
  readonly intakes: EntityTable<Intake, 'id'>;
  readonly cardChecks: EntityTable<CardCheckRow, 'surveyId'>;
  readonly clouds: EntityTable<CloudRow, 'nodeId'>;
  readonly accounts: EntityTable<AccountRow, 'nodeId'>;
  readonly freed: EntityTable<FreedRow, 'sha256'>;
  /** Others' operations; `ops` holds this tablet's own, those of rescue copies, and others' of before version 4. */
  readonly segments: EntityTable<SegmentRow, 'arrival'>;
  readonly behind: EntityTable<UnprojectedSegmentRow, 'arrival'>;
}

/** Describes the database; it opens by itself. Every write is `strict`: settled means handed to the disk, not to a cache. */
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
  // What lies in `ops` and `receipts` stays there: both places are read.
  database.version(4).stores({ segments: '&arrival, *docKeys', behind: '&arrival' });
  return database;
}
