import { z } from 'zod';
import { canonicalJson } from '../domain/canonical';
import type { PersonId } from '../domain/ids';
import { idSchema } from '../domain/ids';
import type { JsonObject } from '../domain/json';
import { LIMITS } from '../domain/limits';
import { deviceKeySchema, signatureSchema } from '../domain/op/op';
import { EMAIL_PATTERN } from '../domain/user/rules';
import type { VerifySignature } from './receipt';
import { publicKeySchema } from './receipt';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Statements in one message or manifest. */
export const STATEMENTS_MAX = 1000;

/** Address in a statement, in lower case; without control characters, which no database of the cloud stores. */
export const statementEmailSchema = z
  .string()
  .max(254)
  .regex(EMAIL_PATTERN)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u);

/**
 * Statement of a box about a pending person who first signed in there: the address that they claimed, and their
 * device's key if it is proven (protocol, "Statements about people"). Signed with the box's person key.
 */
export const personStatementSchema = z.looseObject({
  v: z.literal(1),
  uid: idSchema,
  /** Proves with the person key that this box made the uid; absent for random ones. */
  nonce: z
    .string()
    .regex(/^[0-9A-Za-z_-]{22}$/)
    .optional(),
  node: idSchema,
  email: statementEmailSchema,
  /** `x` of the device's public key, base64url. */
  key: deviceKeySchema.optional(),
  /** ISO 8601 by the box's clock; later than that of any earlier statement about the person. */
  signedAt: z.iso.datetime(),
  kid: z.string().min(1).max(100),
  sig: signatureSchema,
});
export type PersonStatement = z.infer<typeof personStatementSchema>;

/** Statements of a box about its people, and the keys that signed them: the current one first. */
export const boxPeopleSchema = z.object({
  keys: z.array(publicKeySchema).max(20),
  /** Each is checked separately. */
  statements: z.array(z.unknown()).max(STATEMENTS_MAX),
});
export type BoxPeople = z.infer<typeof boxPeopleSchema>;

/** Text that a statement's signature covers: the canonical JSON of all but `sig`. */
export function signedStatementText(statement: Omit<PersonStatement, 'sig'>): string {
  const { sig: _sig, ...rest } = statement as PersonStatement;
  return canonicalJson(rest as unknown as JsonObject);
}

/** Text whose SHA-256 is the uid of a pending person; see {@link personIdOf}. */
export function personIdText(key: string, nonce: string): string {
  return `${key}.${nonce}`;
}

/**
 * Uid of a pending person: the hash modulo 62^19 as 19 digits of `0-9A-Za-z`. Random ids have 16 characters, so the
 * length tells that a uid needs its nonce.
 *
 * @param hash SHA-256 of {@link personIdText} in hex
 */
export function personIdOf(hash: string): PersonId {
  let number = BigInt(`0x${hash}`);
  let id = '';
  while (id.length < LIMITS.idLengthMax) {
    id = ALPHABET.charAt(Number(number % 62n)) + id;
    number /= 62n;
  }
  return id as PersonId;
}

/** True if a uid is the hash of a box's key: only a statement with its nonce counts. */
export function isHashedPersonId(uid: string): boolean {
  return uid.length === LIMITS.idLengthMax;
}

/**
 * Checks a statement with a key of the box that it names: its signature, and that the uid is this key's or a random
 * one.
 *
 * @param keys of the box `statement.node`
 * @param sha256 of a text, in hex
 */
export async function isOwnStatement(
  statement: PersonStatement,
  keys: BoxPeople['keys'],
  verify: VerifySignature,
  sha256: (text: string) => string | Promise<string>,
): Promise<boolean> {
  const key = keys.find(({ kid }) => kid === statement.kid);
  if (key === undefined || !(await verify(key, statement.sig, signedStatementText(statement)))) return false;
  const { uid, nonce } = statement;
  if (nonce === undefined) return !isHashedPersonId(uid);
  return uid === personIdOf(await sha256(personIdText(key.x, nonce)));
}
