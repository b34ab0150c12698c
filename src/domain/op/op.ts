import { z } from 'zod';
import { ReefError } from '../errors';
import type { OpId, PersonId, Sha256 } from '../ids';
import { idSchema, opIdSchema, sha256Schema } from '../ids';
import type { JsonObject } from '../json';
import { checkJson, isObject } from '../json';
import { VALIDATION_MESSAGES } from '../messages';

/** Kinds of record that operations write, in the order of sending. A node keeps to the kinds it knows. */
export const OP_KINDS = ['profile', 'survey', 'image', 'analysis'] as const;
export type OpKind = (typeof OP_KINDS)[number];

/** Key of a document among those of all kinds. */
export function docKeyOf(kind: OpKind, docId: string): string {
  return `${kind}/${docId}`;
}

/**
 * Operation: one write of one document by one device, the same on every wire and in every store (protocol, "One write
 * path"). The set of operations is the truth; `fold` computes documents from it.
 */
export interface Op {
  readonly v: 1;
  readonly opId: OpId;
  readonly kind: OpKind;
  readonly docId: string;
  /** Author; absent: the person of the submitting session. */
  readonly by?: PersonId;
  /** 1 + the greatest `lc` that the device had seen for the document; absent: 1. */
  readonly lc?: number;
  /** Fields this op sets, with the writes each replaces; absent: sets all, replaces none. */
  readonly over?: Readonly<Record<string, readonly OpId[]>>;
  /** Device time, ISO 8601 UTC with milliseconds; displayed, never used for order. */
  readonly madeAt: string;
  readonly schema: number;
  readonly body: JsonObject;
  /** SHA-256 over the canonical JSON of `body`. */
  readonly sha256: Sha256;
  /** Signature by the device that wrote it; absent from version 1. */
  readonly sig?: OpSignature;
}

/** Ed25519 signature over the operation without `sig`. */
interface OpSignature {
  /** `x` of the device's public key, base64url. */
  readonly key: string;
  /** base64url. */
  readonly value: string;
}

/** Single field of an analysis: the whole record. */
export const WHOLE = '*';

/** `x` of an Ed25519 public key: 32 bytes in base64url. */
export const deviceKeySchema = z.string().regex(/^[0-9A-Za-z_-]{43}$/, 'is not a public key');
/** Ed25519 signature: 64 bytes in base64url. */
export const signatureSchema = z.string().regex(/^[0-9A-Za-z_-]{86}$/, 'is not a signature');

const opSignatureSchema = z.looseObject({ key: deviceKeySchema, value: signatureSchema });

const envelopeSchema = z.looseObject({
  v: z.literal(1, 'is not version 1'),
  opId: opIdSchema,
  kind: z.enum(OP_KINDS),
  docId: idSchema,
  by: idSchema.optional(),
  lc: z.int().min(1).optional(),
  over: z.record(z.string(), z.array(opIdSchema)).optional(),
  madeAt: z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/, 'is not a UTC time with milliseconds'),
  schema: z.int().min(1),
  body: z.record(z.string(), z.unknown()),
  sha256: sha256Schema,
  sig: opSignatureSchema.optional(),
});

/**
 * Checks the envelope of an external operation. Returns the value itself, not a copy, so unknown members survive.
 *
 * @param field name for errors, `op` by default
 * @throws ReefError `bad-message` with `{field}` of the member; a missing id or body of a user or survey is reported in
 * the words of 1§5
 */
export function parseOp(value: unknown, field = 'op'): Op {
  if (!isObject(value)) throw new ReefError('bad-message', { message: `${field} is not an object.`, field });
  checkJson(value, field);
  checkRequired(value, field);
  const checked = envelopeSchema.safeParse(value);
  if (!checked.success) {
    const issue = checked.error.issues[0];
    const place = [field, ...(issue?.path ?? []).map(String)].join('.');
    throw new ReefError('bad-message', { message: `${place}: ${issue?.message ?? 'is not valid'}.`, field: place });
  }
  const op = value as unknown as Op;
  checkLinks(op, field);
  return op;
}

/** 1§5: a user has an id and data, a survey an id. */
function checkRequired({ kind, body }: Readonly<Record<string, unknown>>, field: string): void {
  if (kind === 'profile' && !isObject(body))
    throw new ReefError('bad-message', { message: VALIDATION_MESSAGES.userDataRequired, field: `${field}.body` });
  if (!isObject(body)) return;
  if (kind === 'profile' && isMissing(body['uid']))
    throw new ReefError('bad-message', { message: VALIDATION_MESSAGES.userIdRequired, field: `${field}.body.uid` });
  if (kind === 'survey' && isMissing(body['id']))
    throw new ReefError('bad-message', { message: VALIDATION_MESSAGES.surveyIdRequired, field: `${field}.body.id` });
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function checkLinks(op: Op, field: string): void {
  const idField = op.kind === 'profile' ? 'uid' : 'id';
  if (op.body[idField] !== op.docId) {
    throw new ReefError('bad-message', { message: `${field}.docId is not body.${idField}.`, field: `${field}.docId` });
  }
  if (Number.isNaN(Date.parse(op.madeAt))) {
    throw new ReefError('bad-message', { message: `${field}.madeAt is not a valid time.`, field: `${field}.madeAt` });
  }
  for (const [name, replaced] of Object.entries(op.over ?? {})) {
    const has = op.kind === 'analysis' ? name === WHOLE : Object.hasOwn(op.body, name);
    if (!has) {
      throw new ReefError('bad-message', {
        message: `${field}.over names "${name.slice(0, 80)}", which the body does not set.`,
        field: `${field}.over`,
      });
    }
    if (replaced.includes(op.opId)) {
      throw new ReefError('bad-message', {
        message: `${field}.over replaces the operation itself.`,
        field: `${field}.over`,
      });
    }
  }
}
