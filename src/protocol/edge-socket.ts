import { z } from 'zod';
import type { WireError } from '../domain/errors';
import { idSchema, requiredId, sha256Schema } from '../domain/ids';
import { VALIDATION_MESSAGES } from '../domain/messages';
import { deviceKeySchema, signatureSchema } from '../domain/op/op';
import type { ChangesPage } from './changes';
import type { EdgeMaps } from './map-files';
import type { PublicKey, Receipt } from './receipt';

export const EDGE_SOCKET_PATH = '/edge/socket';

/** Typed name or code: well-formed and bounded. */
const boundedText = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => text.isWellFormed(), 'holds half a character');

export const deviceSchema = z.object({ id: idSchema, name: boundedText(80) });

/** Operations are checked by `parseOp`, which does not copy them. */
const opMessage = z.object({ op: z.unknown() });

const queryName = z.enum(['meta', 'gps', 'surveys', 'locations', 'changes', 'track', 'senders']);

/** Safe whole numbers. */
const count = z.int().min(0);

/** Client messages by event. Unknown members are ignored, for newer clients. */
export const EDGE_MESSAGES = {
  verify: z.object({
    protocol: z.object({ min: z.int().min(0), max: z.int().min(0) }),
    app: z.object({ version: boundedText(80) }),
    device: deviceSchema,
    code: boundedText(32).optional(),
    token: z.string().max(8192).optional(),
    session: z.string().max(256).optional(),
    /** `x` of the device's public key. Without `answer` the box replies `unauthorised` {challenge}. */
    key: deviceKeySchema.optional(),
    /** Signature of `deviceAnswerText` for that challenge. */
    answer: signatureSchema.optional(),
  }),
  profile: opMessage,
  survey: opMessage,
  'image:path': z.object({
    surveyId: requiredId(VALIDATION_MESSAGES.surveyIdRequired),
    imageId: idSchema,
    path: z.string().min(1),
    bytes: z.int().min(1, 'says that the file is empty'),
    sha256: sha256Schema,
    type: z.string().max(127),
  }),
  'image:binary': z.object({ uploadId: z.string().regex(/^[0-9a-zA-Z]{12,64}$/), offset: z.int().min(0) }),
  /** `receipt`: the cloud's, in place of bytes that no tablet has. */
  'image:record': opMessage.extend({ receipt: z.unknown().optional() }),
  analysis: opMessage,
  query: z.object({
    name: queryName,
    params: z.record(z.string(), z.unknown()).optional(),
    subscribe: z.boolean().optional(),
  }),
  unsubscribe: z.object({ name: queryName }),
  /**
   * Number of items this tablet still has to send, reported after `verify` and on change, at most every two seconds: a
   * hint for the crew. `survey`: the one being sent.
   */
  owing: z.object({ records: count, photographs: count, bytes: count, survey: idSchema.optional() }),
} as const;

export type EdgeEvent = keyof typeof EDGE_MESSAGES;
export type EdgeMessage<Event extends EdgeEvent> = z.infer<(typeof EDGE_MESSAGES)[Event]>;
export type QueryName = EdgeMessage<'query'>['name'];

/** Person of a session at the edge; `uid` is the personId. */
export interface EdgeUser {
  readonly uid: string;
  readonly email: string;
  readonly name: { readonly first: string; readonly last: string };
  /** True if the cloud has not confirmed the person: the address is a claim. */
  readonly pending: boolean;
  /** Time the cloud issued the sign-in's token, ms since 1970. */
  readonly signedAt?: number;
  /** Number of earlier session and role revocations; see `TokenIssuance`. */
  readonly ended?: number;
  readonly taken?: number;
  /** Device key that the sign-in's token names. */
  readonly key?: string;
  readonly [field: string]: unknown;
}

export interface EdgeLimits {
  readonly chunkBytes: number;
  readonly imageBytes: number;
  readonly imagePixels: number;
  readonly freeBytes: number;
}

export interface EdgeReplies {
  verify: {
    readonly protocol: number;
    readonly edge: { readonly id: string; readonly name: string; readonly storeEpoch: string };
    readonly session: string;
    readonly serverTime: string;
    readonly user: EdgeUser | null;
    /** Reason that the cloud revoked a sign-in. Sent once with any reply while the socket is open. */
    readonly notice?: string;
    /** Set if the tablet's access ended, or it proved no key: it delivers and reads nothing. */
    readonly ended?: string;
    readonly publicKey: PublicKey;
    readonly cloudKeys?: readonly PublicKey[];
    /** URL of the box's cloud, if known (`CLOUD_URL`). */
    readonly cloudUrl?: string;
    readonly limits: EdgeLimits;
    readonly binary: readonly ('socket' | 'http')[];
  };
  profile: { readonly receipt: Receipt };
  survey: { readonly receipt: Receipt };
  'image:path': { readonly uploadId: string; readonly offset: number; readonly complete: boolean };
  'image:binary': { readonly offset: number };
  'image:record': { readonly receipt: Receipt };
  analysis: { readonly receipt: Receipt };
  query: { readonly data: QueryData[QueryName] };
  unsubscribe: Record<never, never>;
  owing: Record<never, never>;
}

/** Query replies (1§3 "Edge stats": meta totals, gps, surveys, locations; track; senders). */
export interface QueryData {
  meta: EdgeMeta;
  gps: EdgeGps | null;
  surveys: readonly EdgeSurvey[];
  locations: readonly EdgeLocation[];
  changes: ChangesPage;
  track: EdgeTrack;
  senders: readonly EdgeSender[];
}

export interface EdgeMeta {
  readonly totals: {
    readonly surveys: number;
    readonly images: number;
    readonly bytes: number;
    readonly analyses: number;
    readonly people: number;
  };
  /** Operations without a cloud receipt. */
  readonly owed: number;
  /** Bytes of the box's photographs without a cloud receipt, each file once. Absent from older boxes. */
  readonly owedBytes?: number;
  /** Bytes. */
  readonly disk: {
    readonly free: number;
    readonly size: number;
    /** At the current rate; null if unknown. */ readonly daysUntilFull?: number | null;
  };
  readonly time: string;
  readonly version: string;
  /** Display name of the box. */
  readonly name?: string;
  /** GPS of the vessel: not set up, not answering, no fix, fix. */
  readonly gps?: 'none' | 'away' | 'no-fix' | 'fix';
  /** Names of the reference data on the box, which a tablet fetches. If absent, the tablet asks for all. */
  readonly references?: readonly string[];
  /** State of the public map aboard. Absent from older boxes. */
  readonly maps?: EdgeMaps;
}

/** Vessel's fix: degrees; `age` in ms; `speed` in knots; `heading` in degrees true. */
export interface EdgeGps {
  readonly lat: number;
  readonly lng: number;
  readonly time: string;
  readonly age: number;
  readonly speed?: number;
  readonly heading?: number;
  /** Number of satellites, if reported. */
  readonly satellites?: number;
  readonly source: string;
}

/** Span of a `track` query: ISO 8601; `to` defaults to now, `from` to a day earlier. */
export const trackParamsSchema = z.object({
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
});

/** Position on the track: degrees; `time` ISO 8601 UTC. */
export interface EdgeTrackFix {
  readonly time: string;
  readonly lat: number;
  readonly lng: number;
}

/**
 * Stored track over a span in time order, thinned to at most 2000 fixes with the least interpolation error; the span's
 * first and last stored fixes are always included.
 */
export interface EdgeTrack {
  readonly fixes: readonly EdgeTrackFix[];
}

export interface EdgeSender {
  /** The caller's own id; of other tablets a name that stays the same at this box. */
  readonly deviceId: string;
  readonly name: string;
  /** Display name of the signed-in person; null if none. */
  readonly person: string | null;
  readonly connected: boolean;
  /** Last contact, ISO 8601 UTC. */
  readonly seenAt: string;
  /** Last reported unsent work; null: never reported. */
  readonly owed: { readonly records: number; readonly photographs: number; readonly bytes: number } | null;
  readonly survey: { readonly id: string; readonly name: string } | null;
  /** Bytes of photographs received per second; null if idle. */
  readonly rate: number | null;
}

export interface EdgeSurvey {
  readonly id: string;
  readonly name: string;
  readonly date: string;
  readonly loc: unknown;
  readonly user: unknown;
  /**
   * `total` records; `here` have their bytes on the box, `ashore` a cloud receipt; `freed` of `here` were freed on the
   * cloud's proof.
   */
  readonly images: { readonly total: number; readonly here: number; readonly ashore: number; readonly freed?: number };
  /**
   * True while the survey or one of its photographs is not ashore, so that no public figure counts it. Absent from older
   * boxes.
   */
  readonly isNotYetPublic?: boolean;
  /** True for a survey that its author keeps private. */
  readonly private?: boolean;
}

/** Survey of a reef, as its card shows it (`GET /edge/surveys?featureId=`): members of the record as they were sent. */
export interface EdgeSurveyCard extends EdgeSurvey {
  readonly type?: unknown;
  readonly timeIn?: unknown;
  readonly timeofday?: unknown;
  readonly duration?: unknown;
  readonly camera?: unknown;
  readonly site?: unknown;
  readonly experience?: unknown;
}

/** Photograph of a survey aboard (`GET /edge/images?surveyId=`): members of the record as they were sent. */
export interface EdgeImage {
  readonly id: string;
  readonly survey?: unknown;
  readonly path?: unknown;
  readonly meta?: unknown;
  readonly copyright?: unknown;
}

export interface EdgeLocation {
  readonly id: string;
  readonly name: string;
  readonly lat: number | null;
  readonly lng: number | null;
  readonly surveys: number;
  readonly images: number;
  /** Number of `surveys` that no public figure counts yet. Absent from older boxes. */
  readonly notYetPublic?: number;
}

/** Acknowledgement of any event. */
export type Ack<Reply> = ({ readonly ok: true } & Reply) | { readonly ok: false; readonly error: WireError };

/** Update that the edge emits after `query` with `subscribe: true`. */
export interface EdgeUpdate {
  readonly name: QueryName;
  readonly data: QueryData[QueryName];
}
