import { z } from 'zod';
import { deviceSchema } from './edge-socket';
import type { EdgeUser } from './edge-socket';
import type { WireError } from '../domain/errors';
import type { Sha256 } from '../domain/ids';
import { idSchema, sha256Schema } from '../domain/ids';
import { LIMITS } from '../domain/limits';
import { VALIDATION_MESSAGES } from '../domain/messages';
import { EMAIL_PATTERN, isBlank } from '../domain/user/rules';
import type { BridgeReport } from './cloud-http';
import { bridgeReportSchema } from './cloud-http';
import type { Receipt } from './receipt';

const personName = z
  .string()
  .trim()
  .max(80)
  .refine((text) => text.isWellFormed(), 'holds half a character');

/** 1§5: "email must look like {email}". */
const emailSchema = z.string().trim().max(254).regex(EMAIL_PATTERN, VALIDATION_MESSAGES.emailInvalid);

const nameSchema = z.object({
  first: personName.refine((first) => !isBlank(first), VALIDATION_MESSAGES.firstNameRequired),
  last: personName.default(''),
});

/** `POST /edge/sign-in`: the edge's own sign-in (protocol, Edge HTTP). */
export const signInSchema = z.object({
  email: emailSchema,
  name: nameSchema,
  device: deviceSchema,
  code: z.string().min(1).max(32).optional(),
});

/** `POST /edge/profile`: corrects what the person of the session said of themselves at the edge's sign-in. */
export const profileUpdateSchema = z.object({ email: emailSchema.optional(), name: nameSchema.optional() });

export interface SignInReply {
  readonly ok: true;
  readonly session: string;
  readonly user: EdgeUser;
}

/** Names of reference data: `regions`, `events`, `jwks`, `cloud-keys`… */
export const referenceNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'is not a name of small letters, digits and hyphens');

/** `POST /edge/ops`: operations, `{op, receipt}` pairs and cloud receipts that the bridge brings. Each is checked by itself. */
export const opsSchema = z.object({
  node: idSchema.optional(),
  ops: z.array(z.unknown()).max(1000).default([]),
  receipts: z.array(z.unknown()).max(1000).default([]),
});

/** What came of one operation; one bad op never stops the next. */
export type OpResult =
  | { readonly opId: string | null; readonly receipt: Receipt }
  | { readonly opId: string | null; readonly error: WireError };

export interface OpsReply {
  readonly ok: true;
  readonly results: readonly OpResult[];
  /** How many receipts were new to the box, and what was wrong with others. */
  readonly receipts: {
    readonly added: number;
    readonly errors: readonly { readonly opId: string | null; readonly error: WireError }[];
  };
}

/** `POST /edge/bridge`: what the bridge should do; kept, so that it holds over restarts. With `report` the bridge tells of its work. */
export const bridgeSchema = z.object({
  action: z.enum(['pause', 'resume', 'verify', 'status', 'report']),
  report: bridgeReportSchema.optional(),
});

export interface BridgeState {
  readonly paused: boolean;
  /** When someone asked that everything ashore be verified again; null: never. */
  readonly verifyRequestedAt: string | null;
  /** There are photographs that the box may free once the cloud was asked (`POST /edge/freeing`); an older box does not say. */
  readonly freeing?: boolean;
}

/** `GET /edge/bridge`: what the bridge should do, and what it last said of its work. */
export interface BridgeStatusReply extends BridgeState {
  readonly ok: true;
  readonly report: BridgeReport | null;
}

/**
 * `POST /edge/freeing` (protocol, "Freeing"): without an answer the box says for which photographs the cloud is to be asked; with one
 * it hears what the cloud said: which store it was, its time, and which of them it does not have.
 */
export const freeingSchema = z.object({
  answer: z
    .object({
      id: idSchema,
      /** Of the cloud, read after it had answered. */
      storeEpoch: idSchema,
      /** The cloud's clock, ISO 8601 UTC. */
      time: z.iso.datetime(),
      missing: z.array(sha256Schema).max(LIMITS.freeAtOnce),
    })
    .optional(),
});
export type FreeingAnswer = NonNullable<z.infer<typeof freeingSchema>['answer']>;

/** What the cloud is to be asked for; the answer names the id. */
export interface FreeingQuestion {
  readonly id: string;
  readonly sha256: readonly Sha256[];
}

export interface FreeingReply {
  readonly ok: true;
  /** What the answer came to; null where none was given. */
  readonly freed: { readonly photographs: number; readonly bytes: number } | null;
  /** The next question; null where nothing may go, and beside an answer. */
  readonly ask: FreeingQuestion | null;
}
