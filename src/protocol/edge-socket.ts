import { z } from 'zod';
import type { WireError } from '../domain/errors';
import { idSchema, sha256Schema } from '../domain/ids';
import type { ChangesPage } from './changes';
import type { PublicKey, Receipt } from './receipt';

/** Where the edge's socket listens. */
export const EDGE_SOCKET_PATH = '/edge/socket';

/** A name or a code that a person typed: well-formed, bounded. */
const boundedText = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => text.isWellFormed(), 'holds half a character');

export const deviceSchema = z.object({ id: idSchema, name: boundedText(80) });

/** Operations are checked by `parseOp`, which keeps the value as it came. */
const opMessage = z.object({ op: z.unknown() });

const queryName = z.enum(['meta', 'gps', 'surveys', 'locations', 'changes', 'track', 'senders']);

/** Whole numbers that add up without loss. */
const count = z.int().min(0);

/** What a client may send, by event. Unknown members are ignored, so that a newer client is understood. */
export const EDGE_MESSAGES = {
  verify: z.object({
    protocol: z.object({ min: z.int().min(0), max: z.int().min(0) }),
    app: z.object({ version: boundedText(80) }),
    device: deviceSchema,
    code: boundedText(32).optional(),
    token: z.string().max(8192).optional(),
    session: z.string().max(256).optional(),
  }),
  profile: opMessage,
  survey: opMessage,
  'image:path': z.object({
    surveyId: idSchema,
    imageId: idSchema,
    path: z.string().min(1),
    bytes: z.int().min(1, 'says that the file is empty'),
    sha256: sha256Schema,
    type: z.string().max(127),
  }),
  'image:binary': z.object({ uploadId: z.string().regex(/^[0-9a-zA-Z]{12,64}$/), offset: z.int().min(0) }),
  /** `receipt`: the cloud's, in place of bytes that no tablet has any more. */
  'image:record': opMessage.extend({ receipt: z.unknown().optional() }),
  analysis: opMessage,
  query: z.object({
    name: queryName,
    params: z.record(z.string(), z.unknown()).optional(),
    subscribe: z.boolean().optional(),
  }),
  unsubscribe: z.object({ name: queryName }),
  /**
   * What this tablet still has for the box, told after `verify` and when it changes, at most every two seconds: a hint for
   * the crew, on which nothing depends. `survey` is the one that is being sent.
   */
  owing: z.object({ records: count, photographs: count, bytes: count, survey: idSchema.optional() }),
} as const;

export type EdgeEvent = keyof typeof EDGE_MESSAGES;
export type EdgeMessage<Event extends EdgeEvent> = z.infer<(typeof EDGE_MESSAGES)[Event]>;
export type QueryName = EdgeMessage<'query'>['name'];

/** The person of a session as the edge knows them; `uid` is the personId. */
export interface EdgeUser {
  readonly uid: string;
  readonly email: string;
  readonly name: { readonly first: string; readonly last: string };
  /** True for a person whom the cloud has not confirmed: the address is a claim. */
  readonly pending: boolean;
  /** When the cloud made the token that this sign-in rests on, ms since 1970. */
  readonly signedAt?: number;
  /** How often their sign-ins had been ended by then, and roles been taken from them; see `TokenMade`. */
  readonly ended?: number;
  readonly taken?: number;
  readonly [field: string]: unknown;
}

export interface EdgeLimits {
  readonly chunkBytes: number;
  readonly imageBytes: number;
  readonly imagePixels: number;
  readonly freeBytes: number;
}

/** What the edge answers, by event (beside `ok: true`). */
export interface EdgeReplies {
  verify: {
    readonly protocol: number;
    readonly edge: { readonly id: string; readonly name: string; readonly storeEpoch: string };
    readonly session: string;
    readonly serverTime: string;
    readonly user: EdgeUser | null;
    /** Why a sign-in was ended from shore, in words. Answers to other events carry it too, once, while the socket is open. */
    readonly notice?: string;
    readonly publicKey: PublicKey;
    readonly cloudKeys?: readonly PublicKey[];
    /** Where this box's cloud answers, where it knows that (`CLOUD_URL`). */
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

/** Answers of the queries (1§3 "Edge stats": meta totals, gps, surveys, locations; the vessel's track; who sends). */
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
  /** Operations that the cloud has not receipted. */
  readonly owed: number;
  /** Bytes of the photographs on the box that the cloud has not receipted, each file once. A box of an earlier version does not say. */
  readonly owedBytes?: number;
  /** Bytes. */
  readonly disk: {
    readonly free: number;
    readonly size: number;
    /** At the present use; null while that is unknown. */ readonly daysUntilFull?: number | null;
  };
  readonly time: string;
  readonly version: string;
  /** The box's name as people say it. */
  readonly name?: string;
  /** The vessel's GPS: no receiver set up, it does not answer, it has no fix, it has one. */
  readonly gps?: 'none' | 'away' | 'no-fix' | 'fix';
  /** Names of the reference data that the box keeps: a tablet asks for what is there. A box that does not say is asked for all. */
  readonly references?: readonly string[];
}

/** A fix of the vessel: degrees; `age` in ms; `speed` in knots; `heading` in degrees true. */
export interface EdgeGps {
  readonly lat: number;
  readonly lng: number;
  readonly time: string;
  readonly age: number;
  readonly speed?: number;
  readonly heading?: number;
  /** Of which the fix was made, where the receiver says so. */
  readonly satellites?: number;
  readonly source: string;
}

/** The span of a `track` query: ISO 8601 times, `to` by default now and `from` a day before it. */
export const trackParamsSchema = z.object({
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
});

/** Where the vessel was: degrees; `time` ISO 8601 UTC. */
export interface EdgeTrackFix {
  readonly time: string;
  readonly lat: number;
  readonly lng: number;
}

/**
 * The stored track over a span, in the order of time, thinned to at most 2000 fixes so that a position interpolated by
 * time errs least; the first and the last stored fix of the span are always there.
 */
export interface EdgeTrack {
  readonly fixes: readonly EdgeTrackFix[];
}

/** A tablet as the box knows it. */
export interface EdgeSender {
  readonly deviceId: string;
  readonly name: string;
  /** Who is signed in on it, as people say their name; null: nobody. */
  readonly person: string | null;
  readonly connected: boolean;
  /** When the box last heard from it, ISO 8601 UTC. */
  readonly seenAt: string;
  /** What it still had for the box when it last said so; null: it never did. */
  readonly owed: { readonly records: number; readonly photographs: number; readonly bytes: number } | null;
  /** The survey that it sends, or sent last. */
  readonly survey: { readonly id: string; readonly name: string } | null;
  /** Bytes of photographs a second, as the box receives them; null while none come. */
  readonly rate: number | null;
}

export interface EdgeSurvey {
  readonly id: string;
  readonly name: string;
  readonly date: string;
  readonly loc: unknown;
  readonly user: unknown;
  /** `total` records, of which `here` have their bytes on the box and `ashore` a cloud receipt; `freed` of those here were freed on its word. */
  readonly images: { readonly total: number; readonly here: number; readonly ashore: number; readonly freed?: number };
}

export interface EdgeLocation {
  readonly id: string;
  readonly name: string;
  readonly lat: number | null;
  readonly lng: number | null;
  readonly surveys: number;
  readonly images: number;
}

/** Every acknowledgement. */
export type Ack<Reply> = ({ readonly ok: true } & Reply) | { readonly ok: false; readonly error: WireError };

/** What the edge emits by itself, after `query` with `subscribe: true`. */
export interface EdgeUpdate {
  readonly name: QueryName;
  readonly data: QueryData[QueryName];
}
