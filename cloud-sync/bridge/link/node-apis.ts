import type { ReefError } from '../../../src/domain/errors';
import type { ChangesPage } from '../../../src/protocol/changes';
import type {
  BridgeReport,
  CloudKeysReply,
  CloudOpResult,
  ErrorLog,
  FleetReport,
  Preview,
  UploadReply,
  UsageEvent,
} from '../../../src/protocol/cloud-http';
import type { MapFile, WantedMapFile } from '../../../src/protocol/map-files';
import type { BoxPeople } from '../../../src/protocol/person-statement';
import type { PublicKey } from '../../../src/protocol/receipt';
import type {
  BridgeState as BridgeOrders,
  FreeingReply,
  FreeingAnswer,
  OpsReply,
  WaitingReports,
  WaitingUsage,
  WantedOutlines,
} from '../../../src/protocol/edge-http';

/** Identity of a node, from its trace. */
export interface NodeFacts {
  readonly node: string;
  readonly storeEpoch: string;
  /** The node's own clock, ISO 8601 UTC. */
  readonly time: string;
}

/** Ordered pieces of a photograph. A piece is valid until the next one is requested: its buffer may be reused. */
export type ByteSource = AsyncIterable<Uint8Array>;

/** The box's own status, apart from its feed (`GET /edge/meta`). */
export interface EdgeFacts {
  readonly name: string;
  readonly version: string;
  readonly disk: { readonly free: number; readonly size: number } | null;
  /** Operations without the cloud's receipt, and bytes of photographs without one. */
  readonly owed: { readonly ops: number; readonly bytes: number };
}

/** Public keys of a box by purpose. */
export interface OwnKeys {
  readonly bundle: readonly PublicKey[];
  readonly receipt: readonly PublicKey[];
}

/** The box, for the bridge. Every method throws ReefError: the box's own, or `disconnected` and `timeout`. */
export interface EdgeApi {
  /** `GET /edge/trace` */
  identity(signal?: AbortSignal): Promise<NodeFacts>;
  /** `GET /edge/meta` */
  facts(signal?: AbortSignal): Promise<EdgeFacts>;
  /** `GET /edge/changes`: the box's whole feed. */
  changes(query: { since: number; limit: number }, signal?: AbortSignal): Promise<ChangesPage>;
  /** `GET /edge/blobs/<sha256>`, `start` to `end` inclusive. @throws ReefError `not-found` while it is read */
  bytes(sha256: string, range: { start: number; end: number }, signal?: AbortSignal): ByteSource;
  /** `GET /edge/keys`: the public keys for sealed bundles and receipts. */
  ownKeys(signal?: AbortSignal): Promise<OwnKeys>;
  /** `GET /edge/people`: statements about the box's people; none from a box that makes none. */
  people(signal?: AbortSignal): Promise<BoxPeople>;
  /** `POST /edge/ops` */
  postOps(brought: { ops: readonly unknown[]; receipts: readonly unknown[] }, signal?: AbortSignal): Promise<OpsReply>;
  /** `PUT /edge/reference/<name>` */
  putReference(name: string, value: unknown, signal?: AbortSignal): Promise<void>;
  /** `POST /edge/bridge` {action: 'status'}: the console's commands. */
  commands(signal?: AbortSignal): Promise<BridgeOrders>;
  /** `POST /edge/freeing`: the box's question; with an answer, what it freed. */
  freeing(answer: FreeingAnswer | null, signal?: AbortSignal): Promise<FreeingReply>;
  /** `POST /edge/bridge` {action: 'report'} */
  report(report: BridgeReport, signal?: AbortSignal): Promise<void>;
}

/** The cloud, for the bridge, with the box's credential. Errors as in {@link EdgeApi}. */
export interface CloudApi {
  /** `GET /trace` */
  identity(signal?: AbortSignal): Promise<NodeFacts>;
  /** `POST /api/ops`: one result per item, in order. */
  postOps(batch: { node: string; ops: readonly unknown[] }, signal?: AbortSignal): Promise<readonly CloudOpResult[]>;
  /** `POST /api/have`: the hashes that the cloud does not have complete. */
  findMissing(sha256: readonly string[], signal?: AbortSignal): Promise<readonly string[]>;
  /** `POST /api/uploads` */
  announce(
    blob: { sha256: string; bytes: number; type: string; node: string },
    signal?: AbortSignal,
  ): Promise<UploadReply>;
  /**
   * `PATCH /api/uploads/<id>`: returns the new offset once the bytes are durable. An error of `source` is rethrown
   * unchanged.
   *
   * @throws ReefError `offset-mismatch` {offset}, `hash-mismatch` {offset: 0}
   */
  upload(
    chunk: { uploadId: string; offset: number; length: number; source: ByteSource; timeoutMs: number },
    signal?: AbortSignal,
  ): Promise<number>;
  /** `GET /api/changes`: the entries that this box may see. */
  changes(query: { since: number; limit: number; node: string }, signal?: AbortSignal): Promise<ChangesPage>;
  /** `GET /api/keys` */
  keys(signal?: AbortSignal): Promise<CloudKeysReply>;
  /** `GET /api/auth/jwks`; null if the cloud has none. */
  jwks(signal?: AbortSignal): Promise<unknown>;
  /** `GET /api/reference/<name>`; null if it does not exist or is unchanged since `etag`. */
  reference(
    name: string,
    etag: string | null,
    signal?: AbortSignal,
  ): Promise<{ readonly value: unknown; readonly etag: string | null } | null>;
  /**
   * `POST /api/fleet/keys`: the keys with which a box signs bundles and receipts. @throws ReefError `forbidden` if
   * staff must confirm them first
   */
  boxKeys(
    box: { node: string; keys: readonly PublicKey[]; receiptKeys: readonly PublicKey[] },
    signal?: AbortSignal,
  ): Promise<void>;
  /** `POST /api/fleet/keys` {people}; returns false for a cloud that takes no statements. */
  people(box: { node: string; people: BoxPeople }, signal?: AbortSignal): Promise<boolean>;
  /** `POST /api/fleet/report` */
  report(report: FleetReport, signal?: AbortSignal): Promise<void>;
}

/** Endpoints for previews that go ahead of their photographs. Errors as in {@link EdgeApi}. */
export interface PreviewApi {
  /**
   * `GET /edge/blobs/<sha256>/preview`: WebP. @throws ReefError `unsupported-media`, `too-large` if none can be made
   */
  picture(sha256: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** `POST /api/have` {of: 'previews'}: the hashes without a preview in the cloud. */
  missing(sha256: readonly string[], signal?: AbortSignal): Promise<readonly string[]>;
  /** `POST /api/previews` @throws ReefError `not-found` from a cloud that stores none */
  send(batch: { node: string; previews: readonly Preview[] }, signal?: AbortSignal): Promise<void>;
}

/** Piece of a map file in its travelling form. */
export interface MapPiece {
  readonly bytes: Uint8Array;
  /** Length of the whole travelling form, bytes. */
  readonly length: number;
  /** Set if the link broke after these bytes. */
  readonly cut?: ReefError;
}

/** Endpoints that bring the public map to the box. Errors as in {@link EdgeApi}. */
export interface MapApi {
  /** `GET /api/map-files`; null if it is unchanged since `etag`, or from a cloud that has no map. */
  list(
    etag: string | null,
    signal?: AbortSignal,
  ): Promise<{ readonly files: readonly MapFile[]; readonly etag: string | null } | null>;
  /** `PUT /edge/map-files`: what the box lacks; null from a box that takes no map. */
  wanted(files: readonly MapFile[], signal?: AbortSignal): Promise<readonly WantedMapFile[] | null>;
  /** `GET /api/map-files/<sha256>`; null if the cloud no longer has this content. */
  piece(
    file: MapFile,
    range: { readonly offset: number; readonly bytes: number },
    signal?: AbortSignal,
  ): Promise<MapPiece | null>;
  /** `PATCH /edge/map-files/<sha256>` @throws ReefError `storage-full`, `hash-mismatch`, `offset-mismatch` */
  append(
    sha256: string,
    piece: { readonly offset: number; readonly length: number; readonly bytes: Uint8Array },
    signal?: AbortSignal,
  ): Promise<{ readonly offset: number; readonly complete: boolean }>;
}

/** Endpoints for the error reports of tablets. Errors as in {@link EdgeApi}. */
export interface ErrorReportApi {
  /** `GET /edge/log`: the oldest reports; none from a box that takes none. */
  waiting(signal?: AbortSignal): Promise<WaitingReports['reports']>;
  /** `POST /api/log` @throws ReefError `rate-limited` */
  send(report: ErrorLog, signal?: AbortSignal): Promise<void>;
  /** `POST /edge/log/sent`: reports up to number `n` are ashore. */
  markSent(n: number, signal?: AbortSignal): Promise<void>;
}

/** Endpoints for the events of use of tablets. Errors as in {@link EdgeApi}. */
export interface UsageApi {
  /** `GET /edge/analytics`: the oldest events; none from a box that takes none. */
  waiting(signal?: AbortSignal): Promise<WaitingUsage['events']>;
  /** `POST /api/analytics` @throws ReefError `rate-limited` */
  send(events: readonly UsageEvent[], signal?: AbortSignal): Promise<void>;
  /** `POST /edge/analytics/sent`: events up to number `n` are ashore. */
  markSent(n: number, signal?: AbortSignal): Promise<void>;
}

/** Endpoints for outlines of photographs. Errors as in {@link EdgeApi}. */
export interface OutlineApi {
  /** `GET /edge/outlines`: photographs that lack them; null from a box that stores none. */
  wanted(
    after: string | null,
    signal?: AbortSignal,
  ): Promise<{ readonly wanted: readonly WantedOutlines[]; readonly next: string | null } | null>;
  /** `GET /mlRequestJson` of the cloud: a collection as it came, with its bytes on the link; null if there is none. */
  fetch(
    photograph: WantedOutlines,
    signal?: AbortSignal,
  ): Promise<{ readonly collection: unknown; readonly bytes: number } | null>;
  /** `PUT /edge/outlines/<imageId>` @throws ReefError `storage-full`, `bad-message` */
  store(photograph: WantedOutlines, collection: unknown, signal?: AbortSignal): Promise<void>;
}
