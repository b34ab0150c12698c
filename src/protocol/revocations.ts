import { z } from 'zod';
import { idSchema } from '../domain/ids';

/** The name of the reference data that says what was ended from shore. Boxes get it from their bridge; it is nobody else's to read. */
export const REVOCATIONS = 'revocations';

/** The roles that a token for a box names. */
export const TOKEN_ROLES = ['admin', 'isExpert', 'verified'] as const;
export type TokenRole = (typeof TOKEN_ROLES)[number];

const count = z.int().min(1);

/**
 * - `people`: sign-ins of a person that were ended: the account was disabled, or they signed out everywhere. `ended` is how often that was;
 *   a token says how often it had been when it was made. One that does not say was made before a time (ISO 8601 UTC) or later;
 * - `roles`: people from whom a role was taken, `taken` times: a token from before gives no more than what they still are (`has`);
 * - `devices`: tablets that were lost;
 * - `boxes`: boxes that were shut out.
 */
export const revocationsSchema = z.object({
  people: z.array(z.object({ uid: idSchema, before: z.iso.datetime(), ended: count.optional() })),
  roles: z
    .array(z.object({ uid: idSchema, before: z.iso.datetime(), taken: count, has: z.array(z.string().max(64)) }))
    .default([]),
  devices: z.array(idSchema),
  boxes: z.array(z.string().max(64)),
});
export type RevocationList = z.infer<typeof revocationsSchema>;

/** What a token says of when it was made. */
export interface TokenIssuance {
  /** By the cloud's clock, in whole seconds given as ms since 1970; one that does not say is as old as can be. */
  readonly signedAt?: number | undefined;
  /** How often the person's sign-ins had been ended, and roles been taken from them: a second is too coarse to tell before from after. */
  readonly ended?: number | undefined;
  readonly taken?: number | undefined;
}

/** Looks things up in a {@link RevocationList}. */
export class Revocations {
  readonly #people: ReadonlyMap<string, RevocationList['people'][number]>;
  readonly #roles: ReadonlyMap<string, RevocationList['roles'][number]>;
  readonly #devices: ReadonlySet<string>;
  /** Boxes that were shut out, by node. */
  readonly boxes: ReadonlySet<string>;

  constructor({ people, roles, devices, boxes }: RevocationList) {
    this.#people = new Map(people.map((one) => [one.uid, one]));
    this.#roles = new Map(roles.map((one) => [one.uid, one]));
    this.#devices = new Set(devices);
    this.boxes = new Set(boxes);
  }

  /** Whether a person's sign-in was ended. @param made of the token that it rests on */
  revokesPerson(uid: string, made: TokenIssuance): boolean {
    const entry = this.#people.get(uid);
    return entry !== undefined && isEarlier(made, made.ended, entry.before, entry.ended);
  }

  /** What a person still is of what a token says of them. @param made of that token */
  remainingRoles(uid: string, said: readonly TokenRole[], made: TokenIssuance): readonly TokenRole[] {
    const entry = this.#roles.get(uid);
    return entry === undefined || !isEarlier(made, made.taken, entry.before, entry.taken)
      ? said
      : said.filter((role) => entry.has.includes(role));
  }

  revokesDevice(id: string): boolean {
    return this.#devices.has(id);
  }
}

/** Counts decide where both sides have one, else the clock: a token of the same second as the end counts as made before it. */
function isEarlier(
  { signedAt = 0 }: TokenIssuance,
  counted: number | undefined,
  before: string,
  count: number | undefined,
): boolean {
  return counted === undefined || count === undefined ? signedAt < Date.parse(before) : counted < count;
}
