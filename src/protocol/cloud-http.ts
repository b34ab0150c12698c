import { z } from 'zod';
import type { WireError } from '../domain/errors';
import { idSchema, sha256Schema } from '../domain/ids';
import { LIMITS } from '../domain/limits';
import { deviceSchema } from './edge-socket';
import type { PublicKey, Receipt } from './receipt';

/** Most operations of one `POST /api/ops`, and hashes of one `POST /api/have`. */
export const CLOUD_BATCH_MAX = 1000;

/**
 * `POST /api/ops` (protocol, Cloud HTTP). An item is an operation, or `{op, by}` if only the submitter knows its
 * author, as in the change feed. `{op, receipt}` presents a box's receipt for exactly this operation: it was admitted
 * aboard, so it is accepted even if its author is not a participant yet. Each item is checked separately.
 */
export const cloudOpsSchema = z.object({ node: idSchema.optional(), ops: z.array(z.unknown()).max(CLOUD_BATCH_MAX) });

/**
 * Result of one operation. `needs`: stored; the receipt follows once those bytes arrive (in the feed, or on request).
 */
export type CloudOpResult =
  | { readonly opId: string | null; readonly receipt: Receipt }
  | { readonly opId: string | null; readonly needs: readonly string[] }
  | { readonly opId: string | null; readonly error: WireError };

export interface CloudOpsReply {
  readonly ok: true;
  readonly results: readonly CloudOpResult[];
}

/** `POST /api/have`: returns the hashes whose bytes the cloud lacks; `of: 'previews'`: whose small picture it lacks. */
export const haveSchema = z.object({
  sha256: z.array(sha256Schema).max(CLOUD_BATCH_MAX),
  of: z.enum(['photographs', 'previews']).optional(),
});

export interface HaveReply {
  readonly ok: true;
  readonly missing: readonly string[];
  /** Set for a tablet that was revoked: it delivers, and reads nothing. */
  readonly ended?: 'revoked' | undefined;
}

/** Most pictures of one `POST /api/previews`, and the largest size of one, bytes. */
export const PREVIEWS_MAX = 64;
export const PREVIEW_BYTES_MAX = 64 * 1024;

/**
 * `POST /api/previews`: small WebP pictures of photographs still aboard, sent ahead of their bytes. Shown to staff
 * until the photograph arrives; no receipt depends on them.
 */
export const previewsSchema = z.object({
  node: idSchema,
  previews: z
    .array(
      z.object({
        sha256: sha256Schema,
        surveyId: idSchema.nullable(),
        /** Creation time of the record, ISO 8601 UTC. */
        madeAt: z.iso.datetime(),
        /** WebP in base64. */
        picture: z.base64().max(Math.ceil(PREVIEW_BYTES_MAX / 3) * 4),
      }),
    )
    .min(1)
    .max(PREVIEWS_MAX),
});
export type Preview = z.infer<typeof previewsSchema>['previews'][number];

/** `POST /api/uploads`: announces bytes; the reply is a transfer, as in the box's `image:path`. `node`: source box. */
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

/** `GET /api/keys`: `for` is the purpose of a key. */
export interface CloudKeysReply {
  readonly keys: readonly (PublicKey & { readonly for: 'receipt' | 'trace' })[];
}

/**
 * `POST /api/devices`: a signed-in person registers this tablet. The credential is the device's: it relays any
 * operation on the tablet, for any user, and does not expire. `before`: the credential from another person's
 * registration, so that the cloud knows both use the tablet.
 */
export const deviceRegistrationSchema = z.object({ device: deviceSchema, before: z.string().max(200).optional() });

/** `POST /api/devices/revoke`: own tablets; staff any. */
export const deviceRevocationSchema = z.object({ device: z.object({ id: idSchema }) });

export interface DeviceRegistration {
  readonly ok: true;
  readonly credential: string;
  readonly cloud: { readonly id: string; readonly storeEpoch: string };
  readonly receiptKeys: readonly PublicKey[];
  readonly traceKeys: readonly PublicKey[];
  readonly limits: { readonly chunkBytes: number; readonly imageBytes: number };
}

/** Report of a box, sent when its bridge connects: `POST /api/fleet/report`. */
export const fleetReportSchema = z.looseObject({
  node: idSchema,
  name: z.string().max(80),
  storeEpoch: idSchema,
  version: z.string().max(40),
  /** Records and bytes without a cloud receipt. */
  owed: z.object({ ops: z.int().min(0), images: z.int().min(0), bytes: z.number().min(0) }),
  /** ISO 8601 UTC; null if nothing is owed. */
  oldestUnsentAt: z.string().nullable(),
  disk: z.object({ free: z.number(), size: z.number() }).nullable(),
  /** Box clock minus cloud clock as the bridge measured it, ms. */
  clockDriftMs: z.number().nullable(),
  /** Reason that nothing is sent. */
  paused: z.string().max(400).nullable(),
});
export type FleetReport = z.infer<typeof fleetReportSchema>;

/** Box as staff see it: `GET /api/fleet`. */
export interface FleetBox {
  readonly node: string;
  readonly name: string;
  readonly firstSeenAt: string;
  readonly lastSeenAt: string | null;
  readonly revokedAt: string | null;
  readonly report: FleetReport | null;
  readonly warnings: readonly string[];
}

/**
 * `POST /api/fleet/boxes`: staff register a box; the reply shows its token only once. `node`: restricts it to that box.
 */
export const boxRegistrationSchema = z.object({ name: z.string().trim().min(1).max(80), node: idSchema.optional() });

const brief = z.string().max(400).nullish();

/** `POST /api/log`: the fields of an error report (3§7 "Error logging") without the email, its app's version, no others. */
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
  version: z.string().max(40).nullish(),
});
export type ErrorLog = z.infer<typeof errorLogSchema>;

/** Reports with the same title and version of the app: `GET /api/errors`. */
export interface ErrorGroup {
  readonly id: string;
  /** First line of the message, numbers removed. */
  readonly title: string;
  /** Version of the app; empty if none was reported. */
  readonly version: string;
  readonly count: number;
  /** ISO 8601 UTC, by the cloud's clock. */
  readonly firstAt: string;
  readonly lastAt: string;
  readonly closedAt: string | null;
  /** Latest report of the group. */
  readonly example: ErrorLog;
}

/** `GET /api/errors`: open groups, or closed ones, the latest first. */
export const errorGroupsParamsSchema = z.object({ closed: z.literal('true').optional() });

/** `POST /api/errors/close`. `count`: reports that staff saw; a group with more of them stays open. */
export const closeErrorGroupSchema = z.object({
  id: z.string().regex(/^\d{1,18}$/, 'is not the id of a group'),
  count: z.coerce.number().int().min(1),
});

/** Most events of one `POST /api/analytics`, and its longest body, bytes. */
export const USAGE_EVENTS_MAX = 100;
export const USAGE_BYTES_MAX = 64 * 1024;

/** Text that the database can store. */
const plainText = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[^\u0000]*$/, 'holds a character that no text has');

/** Event of use (2§7 "Analytics events") with a few plain values. */
export const usageEventSchema = z.object({
  name: z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,79}$/, 'is not the name of an event'),
  /** Time by the app's clock, ISO 8601 UTC: events of a voyage arrive later. */
  at: z.iso.datetime().optional(),
  params: z.record(plainText(40), z.union([plainText(200), z.number(), z.boolean(), z.null()])).optional(),
});
export type UsageEvent = z.infer<typeof usageEventSchema>;

/** `POST /api/analytics`, `POST /edge/analytics`: one event, or those that an app stored while it was offline. */
export const analyticsSchema = z.union([
  z.object({ events: z.array(usageEventSchema).min(1).max(USAGE_EVENTS_MAX) }),
  usageEventSchema,
]);

/** Events of a body. */
export function usageEventsOf(body: z.infer<typeof analyticsSchema>): readonly UsageEvent[] {
  return 'events' in body ? body.events : [body];
}

/** Bridge's report to the box: stored aboard, shown on the console (`POST /edge/bridge` {action: 'report'}). */
export const bridgeReportSchema = z.looseObject({
  /** ISO 8601 UTC, by the bridge's clock. */
  at: z.string().max(40),
  state: z.enum(['sending', 'idle', 'paused', 'no-link', 'refused']),
  /** Text for the crew: current work, or the reason for waiting. */
  words: z.string().max(400),
  owed: z.object({ ops: z.int().min(0), images: z.int().min(0), bytes: z.number().min(0) }),
  sentToday: z.number().min(0),
  dailyLimit: z.number().min(0).nullable(),
  /** ISO 8601 UTC of the expected end at the current rate; null if unknown. */
  doneAt: z.string().nullable(),
  /** Cloud clock minus box clock, ms. */
  clockDriftMs: z.number().nullable(),
  /** Cloud's last answer to "verify": photographs asked about, and missing ones. */
  verified: z.object({ at: z.string(), asked: z.int(), missing: z.int() }).nullable(),
});
export type BridgeReport = z.infer<typeof bridgeReportSchema>;
