import type { ChangesPage } from '../../../src/protocol/changes';
import type {
  BridgeReport,
  CloudKeysReply,
  CloudOpResult,
  FleetReport,
  Preview,
  UploadReply,
} from '../../../src/protocol/cloud-http';
import type { PublicKey } from '../../../src/protocol/receipt';
import type {
  BridgeState as BridgeOrders,
  FreeingReply,
  FreeingAnswer,
  OpsReply,
} from '../../../src/protocol/edge-http';

/** Who a node says it is: its trace. */
export interface NodeFacts {
  readonly node: string;
  readonly storeEpoch: string;
  /** Its own clock, ISO 8601 UTC. */
  readonly time: string;
}

/** Pieces of a photograph, in order. A piece is the reader's until the next one is asked for: its memory may be used again. */
export type ByteSource = AsyncIterable<Uint8Array>;

/** What the box says of itself, beside its feed (`GET /edge/meta`). */
export interface EdgeFacts {
  readonly name: string;
  readonly version: string;
  readonly disk: { readonly free: number; readonly size: number } | null;
  /** Operations without the cloud's receipt, and bytes of photographs without one. */
  readonly owed: { readonly ops: number; readonly bytes: number };
}

/** A box's public keys by what it signs with them. */
export interface OwnKeys {
  readonly bundle: readonly PublicKey[];
  readonly receipt: readonly PublicKey[];
}

/**
 * The box as the bridge reaches it. Every method throws ReefError: one of the box's own, or `disconnected` and `timeout`
 * where there was no answer.
 */
export interface EdgeApi {
  /** `GET /edge/trace` */
  identity(signal?: AbortSignal): Promise<NodeFacts>;
  /** `GET /edge/meta` */
  facts(signal?: AbortSignal): Promise<EdgeFacts>;
  /** `GET /edge/changes`: the whole feed of the box. */
  changes(query: { since: number; limit: number }, signal?: AbortSignal): Promise<ChangesPage>;
  /** `GET /edge/blobs/<sha256>` from `start` to `end`, which is held too. @throws ReefError `not-found` while it is read */
  bytes(sha256: string, range: { start: number; end: number }, signal?: AbortSignal): ByteSource;
  /** `GET /edge/keys`: what it signs sealed bundles with, and receipts. */
  ownKeys(signal?: AbortSignal): Promise<OwnKeys>;
  /** `POST /edge/ops` */
  postOps(brought: { ops: readonly unknown[]; receipts: readonly unknown[] }, signal?: AbortSignal): Promise<OpsReply>;
  /** `PUT /edge/reference/<name>` */
  putReference(name: string, value: unknown, signal?: AbortSignal): Promise<void>;
  /** `POST /edge/bridge` {action: 'status'}: what the console wants. */
  commands(signal?: AbortSignal): Promise<BridgeOrders>;
  /** `POST /edge/freeing`: the box's question, or with an answer of the cloud what it freed. */
  freeing(answer: FreeingAnswer | null, signal?: AbortSignal): Promise<FreeingReply>;
  /** `POST /edge/bridge` {action: 'report'} */
  report(report: BridgeReport, signal?: AbortSignal): Promise<void>;
}

/** The cloud as the bridge reaches it, with the credential of its box. Errors as at {@link EdgeApi}. */
export interface CloudApi {
  /** `GET /trace` */
  identity(signal?: AbortSignal): Promise<NodeFacts>;
  /** `POST /api/ops`: a result for each item, in their order. */
  postOps(batch: { node: string; ops: readonly unknown[] }, signal?: AbortSignal): Promise<readonly CloudOpResult[]>;
  /** `POST /api/have`: which of these the cloud does not have whole. */
  findMissing(sha256: readonly string[], signal?: AbortSignal): Promise<readonly string[]>;
  /** `POST /api/uploads` */
  announce(
    blob: { sha256: string; bytes: number; type: string; node: string },
    signal?: AbortSignal,
  ): Promise<UploadReply>;
  /**
   * `PATCH /api/uploads/<id>`: gives the new offset once those bytes are durable. An error of `source` is thrown as it is.
   *
   * @throws ReefError `offset-mismatch` {offset}, `hash-mismatch` {offset: 0}
   */
  upload(
    chunk: { uploadId: string; offset: number; length: number; source: ByteSource; timeoutMs: number },
    signal?: AbortSignal,
  ): Promise<number>;
  /** `GET /api/changes`: what this box may see. */
  changes(query: { since: number; limit: number; node: string }, signal?: AbortSignal): Promise<ChangesPage>;
  /** `GET /api/keys` */
  keys(signal?: AbortSignal): Promise<CloudKeysReply>;
  /** `GET /api/auth/jwks`; null where the cloud has none. */
  jwks(signal?: AbortSignal): Promise<unknown>;
  /** `GET /api/reference/<name>`; null where there is none by that name or it is as `etag` says. */
  reference(
    name: string,
    etag: string | null,
    signal?: AbortSignal,
  ): Promise<{ readonly value: unknown; readonly etag: string | null } | null>;
  /** `POST /api/fleet/keys`: what a box signs its bundles and receipts with. @throws ReefError `forbidden` where staff ashore must look first */
  boxKeys(
    box: { node: string; keys: readonly PublicKey[]; receiptKeys: readonly PublicKey[] },
    signal?: AbortSignal,
  ): Promise<void>;
  /** `POST /api/fleet/report` */
  report(report: FleetReport, signal?: AbortSignal): Promise<void>;
}

/** The ways of small pictures that go ahead of their photographs. Errors as at {@link EdgeApi}. */
export interface PreviewApi {
  /** `GET /edge/blobs/<sha256>/preview`: WebP. @throws ReefError `unsupported-media`, `too-large` where none can be made */
  picture(sha256: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** `POST /api/have` {of: 'previews'}: of which of these the cloud has none. */
  missing(sha256: readonly string[], signal?: AbortSignal): Promise<readonly string[]>;
  /** `POST /api/previews` @throws ReefError `not-found` at a cloud that keeps none */
  send(batch: { node: string; previews: readonly Preview[] }, signal?: AbortSignal): Promise<void>;
}
