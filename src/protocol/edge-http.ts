import { z } from 'zod';
import { deviceSchema } from './edge-socket';
import type { EdgeUser } from './edge-socket';
import type { WireError } from '../domain/errors';
import type { Sha256 } from '../domain/ids';
import { idSchema, sha256Schema } from '../domain/ids';
import { LIMITS } from '../domain/limits';
import { VALIDATION_MESSAGES } from '../domain/messages';
import { EMAIL_PATTERN, isBlank } from '../domain/user/rules';
import type { BridgeReport, ErrorLog, UsageEvent } from './cloud-http';
import { bridgeReportSchema, errorLogSchema } from './cloud-http';
import type { Receipt } from './receipt';

/** @param missing sentence for a name that is not a text */
const personName = (missing?: string) =>
  z
    .string(missing)
    .trim()
    .max(80)
    .refine((text) => text.isWellFormed(), 'holds half a character');

/** 1§5: "email must look like {email}". */
const emailSchema = z
  .string(VALIDATION_MESSAGES.emailInvalid)
  .trim()
  .max(254)
  .regex(EMAIL_PATTERN, VALIDATION_MESSAGES.emailInvalid);

const nameSchema = z.object({
  first: personName(VALIDATION_MESSAGES.firstNameRequired).refine(
    (first) => !isBlank(first),
    VALIDATION_MESSAGES.firstNameRequired,
  ),
  last: personName().default(''),
});

/** `POST /edge/sign-in`: the edge's own sign-in (protocol, Edge HTTP). */
export const signInSchema = z.object({
  email: emailSchema,
  name: nameSchema,
  device: deviceSchema,
  code: z.string().min(1).max(32).optional(),
});

/** `POST /edge/profile`: corrects the person's details from the edge's sign-in. */
export const profileUpdateSchema = z.object({ email: emailSchema.optional(), name: nameSchema.optional() });

export interface SignInReply {
  readonly ok: true;
  readonly session: string;
  readonly user: EdgeUser;
}

/** Session of a tablet, as `GET /edge/sessions` lists it. Ids of tablets are left out. */
const edgeSessionSchema = z.looseObject({
  id: z.string().regex(/^[0-9A-Za-z_-]{16}$/),
  /** Name of the tablet. */
  tablet: z.string(),
  /** Name of the signed-in person. */
  person: z.string().nullable(),
  createdAt: z.string(),
  usedAt: z.string(),
  /** Reason for which it ended: it delivers and reads nothing. */
  ended: z.string().nullable(),
  /** True for the session that asks. */
  current: z.boolean(),
});
export type EdgeSession = z.infer<typeof edgeSessionSchema>;

/** `all`: the caller sees and ends the sessions of everyone, unpairs tablets and renews the code. */
export const sessionsReplySchema = z.looseObject({ all: z.boolean(), sessions: z.array(edgeSessionSchema) });
export type SessionsReply = z.infer<typeof sessionsReplySchema>;

/** `POST /edge/sessions/end`; `unpair` ends all sessions of that session's tablet. */
export const endSessionSchema = z.object({ id: edgeSessionSchema.shape.id, unpair: z.boolean().optional() });

/** Names of reference data: `regions`, `events`, `jwks`, `cloud-keys`… */
export const referenceNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'is not a name of small letters, digits and hyphens');

/**
 * `POST /edge/ops`: operations, `{op, receipt}` pairs and cloud receipts from the bridge. Each is checked separately.
 */
export const opsSchema = z.object({
  node: idSchema.optional(),
  ops: z.array(z.unknown()).max(1000).default([]),
  receipts: z.array(z.unknown()).max(1000).default([]),
});

/** Result of one operation; a bad op does not stop the next. */
export type OpResult =
  | { readonly opId: string | null; readonly receipt: Receipt }
  | { readonly opId: string | null; readonly error: WireError };

export interface OpsReply {
  readonly ok: true;
  readonly results: readonly OpResult[];
  /** Receipts new to the box, and errors of others. */
  readonly receipts: {
    readonly added: number;
    readonly errors: readonly { readonly opId: string | null; readonly error: WireError }[];
  };
}

/** `POST /edge/bridge`: command for the bridge, stored across restarts. With `report` the bridge reports its work. */
export const bridgeSchema = z.object({
  action: z.enum(['pause', 'resume', 'verify', 'status', 'report']),
  report: bridgeReportSchema.optional(),
});

export interface BridgeState {
  readonly paused: boolean;
  /** Time of the last request to verify everything ashore; null: never. */
  readonly verifyRequestedAt: string | null;
  /** True if the box may free photographs after asking the cloud (`POST /edge/freeing`); absent from older boxes. */
  readonly freeing?: boolean;
}

/** `GET /edge/bridge`: command for the bridge, and its last report. */
export interface BridgeStatusReply extends BridgeState {
  readonly ok: true;
  readonly report: BridgeReport | null;
}

/**
 * `POST /edge/freeing` (protocol, "Freeing"): without an answer, returns the photographs to ask the cloud about; with
 * one, takes the cloud's epoch, time and missing hashes.
 */
export const freeingSchema = z.object({
  answer: z
    .object({
      id: idSchema,
      /** Cloud epoch, read after its answer. */
      storeEpoch: idSchema,
      /** Cloud time, ISO 8601 UTC. */
      time: z.iso.datetime(),
      missing: z.array(sha256Schema).max(LIMITS.freeAtOnce),
    })
    .optional(),
});
export type FreeingAnswer = NonNullable<z.infer<typeof freeingSchema>['answer']>;

/** Question for the cloud; the answer repeats the id. */
export interface FreeingQuestion {
  readonly id: string;
  readonly sha256: readonly Sha256[];
}

export interface FreeingReply {
  readonly ok: true;
  /** Result of the answer; null without one. */
  readonly freed: { readonly photographs: number; readonly bytes: number } | null;
  /** Next question; null if nothing may be freed, or after an answer. */
  readonly ask: FreeingQuestion | null;
}

/** `POST /edge/log`: a tablet's error report, which the bridge carries ashore. */
export const edgeLogSchema = errorLogSchema;

/** `GET /edge/log`: error reports that wait aboard, the oldest first. */
export interface WaitingReports {
  readonly ok: true;
  readonly reports: readonly { readonly n: number; readonly report: ErrorLog }[];
}

/** `GET /edge/analytics`: events of use that wait aboard, the oldest first. */
export interface WaitingUsage {
  readonly ok: true;
  readonly events: readonly { readonly n: number; readonly event: UsageEvent }[];
}

/** `POST /edge/log/sent`, `POST /edge/analytics/sent`: what has a number up to `n` is ashore. */
export const reportsSentSchema = z.object({ n: z.int().min(0) });

/** `GET /edge/outlines`: photographs ashore, by their ids after `after`. */
export const wantedOutlinesParamsSchema = z.object({ after: idSchema.optional() });

/** Photograph whose outlines the box lacks, with the sizes of its region. */
export interface WantedOutlines {
  readonly surveyId: string;
  readonly imageId: string;
  /** Fractions of the picture. */
  readonly polygonThreshold: number;
  readonly maxPolygonThreshold: number;
}

/** `GET /edge/outlines`: a page of photographs that are ashore and have no outlines aboard. */
export interface WantedOutlinesReply {
  readonly ok: true;
  readonly wanted: readonly WantedOutlines[];
  /** Continues as `after`; null: the end. */
  readonly next: string | null;
}

/** Size of a picture that a server makes, px of its longer side at most. */
export type ServedSize = 800 | 2000 | 4000;

/**
 * Header with the size of a picture: smaller than asked for if the server has the bytes no longer. Version 1 has none,
 * and sends 800 px to a tablet.
 */
export const PICTURE_SIZE_HEADER = 'Picture-Size';
