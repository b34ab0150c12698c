import { z } from 'zod';
import type { WireError } from '../domain/errors';
import { idSchema, sha256Schema } from '../domain/ids';
import type { ChangesPage } from './changes';
import type { PublicKey, Receipt } from './receipt';

/** Where the edge's socket listens. */
export const EDGE_SOCKET_PATH = '/edge/socket';

/** A name or a code that a person typed: well-formed, bounded. */
const words = (max: number) => z.string().min(1).max(max).refine((text) => text.isWellFormed(), 'holds half a character');

export const deviceSchema = z.object({ id: idSchema, name: words(80) });

/** Operations are checked by `parseOp`, which keeps the value as it came. */
const opMessage = z.object({ op: z.unknown() });

/** What a client may send, by event. Unknown members are ignored, so that a newer client is understood. */
export const EDGE_MESSAGES = {
  verify: z.object({
    protocol: z.object({ min: z.int().min(0), max: z.int().min(0) }),
    app: z.object({ version: words(80) }),
    device: deviceSchema,
    code: words(32).optional(),
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
  'image:record': opMessage,
  analysis: opMessage,
  query: z.object({
    name: z.enum(['meta', 'gps', 'surveys', 'locations', 'changes']),
    params: z.record(z.string(), z.unknown()).optional(),
    subscribe: z.boolean().optional(),
  }),
  unsubscribe: z.object({ name: z.enum(['meta', 'gps', 'surveys', 'locations', 'changes']) }),
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
    readonly publicKey: PublicKey;
    readonly cloudKeys?: readonly PublicKey[];
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
}

/** Answers of the queries (1§3 "Edge stats": meta totals, gps, surveys, locations). */
export interface QueryData {
  meta: EdgeMeta;
  gps: EdgeGps | null;
  surveys: readonly EdgeSurvey[];
  locations: readonly EdgeLocation[];
  changes: ChangesPage;
}

export interface EdgeMeta {
  readonly totals: { readonly surveys: number; readonly images: number; readonly bytes: number; readonly analyses: number; readonly people: number };
  /** Operations that the cloud has not receipted. */
  readonly owed: number;
  /** Bytes. */
  readonly disk: { readonly free: number; readonly size: number };
  readonly time: string;
  readonly version: string;
}

/** A fix of the vessel: degrees; `age` in ms; `speed` in knots; `heading` in degrees true. */
export interface EdgeGps {
  readonly lat: number;
  readonly lng: number;
  readonly time: string;
  readonly age: number;
  readonly speed?: number;
  readonly heading?: number;
  readonly source: string;
}

export interface EdgeSurvey {
  readonly id: string;
  readonly name: string;
  readonly date: string;
  readonly loc: unknown;
  readonly user: unknown;
  /** `total` records, of which `here` have their bytes on the box and `ashore` a cloud receipt. */
  readonly images: { readonly total: number; readonly here: number; readonly ashore: number };
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

