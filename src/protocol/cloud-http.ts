import { z } from 'zod';
import type { WireError } from '../domain/errors';
import { idSchema, sha256Schema } from '../domain/ids';
import { LIMITS } from '../domain/limits';
import { deviceSchema } from './edge-socket';
import type { PublicKey, Receipt } from './receipt';

/** Most operations of one `POST /api/ops`, and hashes of one `POST /api/have`. */
export const CLOUD_BATCH_MAX = 1000;

/**
 * `POST /api/ops` (protocol, Cloud HTTP). An item is an operation, or `{op, by}` where whoever brings it knows who wrote an
 * operation that does not say so itself, just as the change feed gives it. `{op, receipt}` shows a box's receipt for just this operation: it
 * was let in aboard, so it is taken though its writer has no part in the survey ashore yet. Each is checked by itself.
 */
export const cloudOpsSchema = z.object({ node: idSchema.optional(), ops: z.array(z.unknown()).max(CLOUD_BATCH_MAX) });

/** What came of one operation. `needs`: stored, the receipt comes when those bytes are there (in the feed, or asked again). */
export type CloudOpResult =
  | { readonly opId: string | null; readonly receipt: Receipt }
  | { readonly opId: string | null; readonly needs: readonly string[] }
  | { readonly opId: string | null; readonly error: WireError };

export interface CloudOpsReply {
  readonly ok: true;
  readonly results: readonly CloudOpResult[];
}

/** `POST /api/have`: which of these bytes the cloud does not have whole; `of: 'previews'`: of which of them it has no small picture. */
export const haveSchema = z.object({
  sha256: z.array(sha256Schema).max(CLOUD_BATCH_MAX),
  of: z.enum(['photographs', 'previews']).optional(),
});

export interface HaveReply {
  readonly ok: true;
  readonly missing: readonly string[];
}

/** Most small pictures of one `POST /api/previews`, and the size of one in bytes. */
export const PREVIEWS_MAX = 64;
export const PREVIEW_BYTES_MAX = 64 * 1024;

/**
 * `POST /api/previews`: small WebP pictures of photographs that are still aboard, ahead of their bytes. They are shown to staff
 * until the photograph comes; no receipt depends on them.
 */
export const previewsSchema = z.object({
  node: idSchema,
  previews: z
    .array(
      z.object({
        sha256: sha256Schema,
        surveyId: idSchema.nullable(),
        /** When the record was made, ISO 8601 UTC. */
        madeAt: z.iso.datetime(),
        /** WebP in base64. */
        picture: z.base64().max(Math.ceil(PREVIEW_BYTES_MAX / 3) * 4),
      }),
    )
    .min(1)
    .max(PREVIEWS_MAX),
});
export type Preview = z.infer<typeof previewsSchema>['previews'][number];

/** `POST /api/uploads`: announces bytes; the answer is a transfer, as `image:path` of the box gives it. `node`: of which box. */
export const uploadSchema = z.object({
  sha256: sha256Schema,
  bytes: z.int().min(1).max(LIMITS.imageBytesMax),
  type: z.string().max(200),
  node: idSchema.optional(),
});

export interface UploadReply {
  readonly ok: true;
  readonly uploadId: string;
  readonly offset: number;
  readonly complete: boolean;
}

/** `GET /api/keys`: `for` tells the key of receipts from the key of traces. */
export interface CloudKeysReply {
  readonly keys: readonly (PublicKey & { readonly for: 'receipt' | 'trace' })[];
}

/**
 * `POST /api/devices`: a signed-in person makes this tablet known. The credential is the device's, not the person's: it relays
 * any operation that the tablet holds, whoever is signed in, and it does not expire. `before`: the credential that the tablet has
 * already, where somebody else made it known; so the cloud knows that both use it.
 */
export const deviceRegistrationSchema = z.object({ device: deviceSchema, before: z.string().max(200).optional() });

/** `POST /api/devices/revoke`: one's own tablet; staff anybody's. */
export const deviceRevocationSchema = z.object({ device: z.object({ id: idSchema }) });

export interface DeviceRegistration {
  readonly ok: true;
  /** Bearer token of the device. */
  readonly credential: string;
  readonly cloud: { readonly id: string; readonly storeEpoch: string };
  readonly receiptKeys: readonly PublicKey[];
  readonly traceKeys: readonly PublicKey[];
  readonly limits: { readonly chunkBytes: number; readonly imageBytes: number };
}

/** What a box says of itself when its bridge comes by: `POST /api/fleet/report`. */
export const fleetReportSchema = z.looseObject({
  node: idSchema,
  name: z.string().max(80),
  storeEpoch: idSchema,
  version: z.string().max(40),
  /** Records and bytes that the cloud has not receipted. */
  owed: z.object({ ops: z.int().min(0), images: z.int().min(0), bytes: z.number().min(0) }),
  /** ISO 8601 UTC; null where nothing is owed. */
  oldestUnsentAt: z.string().nullable(),
  disk: z.object({ free: z.number(), size: z.number() }).nullable(),
  /** The box's clock minus the cloud's as the bridge measured it, ms. */
  clockDriftMs: z.number().nullable(),
  /** Why nothing moves, where nothing moves. */
  paused: z.string().max(400).nullable(),
});
export type FleetReport = z.infer<typeof fleetReportSchema>;

/** A box as staff see it: `GET /api/fleet`. */
export interface FleetBox {
  readonly node: string;
  readonly name: string;
  readonly firstSeenAt: string;
  readonly lastSeenAt: string | null;
  readonly revokedAt: string | null;
  readonly report: FleetReport | null;
  readonly warnings: readonly string[];
}

/** `POST /api/fleet/boxes`: staff register a box; the answer shows its token this once. `node`: it is for that box alone. */
export const boxRegistrationSchema = z.object({ name: z.string().trim().min(1).max(80), node: idSchema.optional() });

/** `GET /api/quarantine?since=&limit=`: `since` is the `seq` of the last item of the page before. */
export const quarantineParamsSchema = z.object({
  since: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

const brief = z.string().max(400).nullish();

/** `POST /api/log`: the fields of an error report (3§7 "Error logging") and no others. */
export const errorLogSchema = z.object({
  method: brief,
  timestamp: brief,
  message: z.string().max(4000),
  url: z.string().max(2000).nullish(),
  browser: brief,
  screen: brief,
  viewport: brief,
  language: brief,
  device: brief,
  host: brief,
  timeZone: brief,
  uid: brief,
  email: brief,
});
export type ErrorLog = z.infer<typeof errorLogSchema>;

/** `POST /api/analytics`: an event of 2§9 ("Analytics events") with a few plain values. */
export const analyticsSchema = z.object({
  name: z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,79}$/, 'is not the name of an event'),
  params: z.record(z.string().max(40), z.union([z.string().max(200), z.number(), z.boolean(), z.null()])).optional(),
});

/** What a bridge tells the box of its work: kept aboard, shown on the console (`POST /edge/bridge` {action: 'report'}). */
export const bridgeReportSchema = z.looseObject({
  /** ISO 8601 UTC, by the bridge's clock. */
  at: z.string().max(40),
  state: z.enum(['sending', 'idle', 'paused', 'no-link', 'refused']),
  /** In words for the crew: why it waits, or what it does. */
  words: z.string().max(400),
  owed: z.object({ ops: z.int().min(0), images: z.int().min(0), bytes: z.number().min(0) }),
  sentToday: z.number().min(0),
  dailyLimit: z.number().min(0).nullable(),
  /** ISO 8601 UTC of when all of it should be ashore at the present rate; null where nobody can say. */
  doneAt: z.string().nullable(),
  /** The cloud's time minus the box's, ms. */
  clockDriftMs: z.number().nullable(),
  /** What the cloud answered last to "verify": how many photographs it was asked for, how many it does not have. */
  verified: z.object({ at: z.string(), asked: z.int(), missing: z.int() }).nullable(),
});
export type BridgeReport = z.infer<typeof bridgeReportSchema>;
