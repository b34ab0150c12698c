import { z } from 'zod';
import { idSchema } from '../domain/ids';

/** Reference data with revocations, which boxes get from their bridge. For boxes only. */
export const REVOCATIONS = 'revocations';

/** Roles in a token for a box. */
export const TOKEN_ROLES = ['admin', 'isExpert', 'verified'] as const;
export type TokenRole = (typeof TOKEN_ROLES)[number];

const count = z.int().min(1);

/**
 * - `people`: revoked sign-ins: the account was disabled, or they signed out everywhere. `ended` counts revocations; a
 * token contains the count at its issue. A token without it is compared by time (`before`, ISO 8601 UTC);
 * - `roles`: people who lost a role, `taken` times: an older token grants only the roles they still have (`has`);
 * - `devices`: revoked tablets;
 * - `boxes`: revoked boxes.
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

/** Issue time and revocation counts in a token. */
interface TokenIssuance {
  /** Cloud time in whole seconds, as ms since 1970; absent counts as oldest. */
  readonly signedAt?: number | undefined;
  /** Number of session and role revocations at issue: a second is too coarse to order them. */
  readonly ended?: number | undefined;
  readonly taken?: number | undefined;
}

export class Revocations {
  readonly #people: ReadonlyMap<string, RevocationList['people'][number]>;
  readonly #roles: ReadonlyMap<string, RevocationList['roles'][number]>;
  readonly #devices: ReadonlySet<string>;
  /** Revoked boxes, by node. */
  readonly boxes: ReadonlySet<string>;

  constructor({ people, roles, devices, boxes }: RevocationList) {
    this.#people = new Map(people.map((one) => [one.uid, one]));
    this.#roles = new Map(roles.map((one) => [one.uid, one]));
    this.#devices = new Set(devices);
    this.boxes = new Set(boxes);
  }

  /** True if a person's sign-in was revoked. @param made of its token */
  revokesPerson(uid: string, made: TokenIssuance): boolean {
    const entry = this.#people.get(uid);
    return entry !== undefined && isEarlier(made, made.ended, entry.before, entry.ended);
  }

  /** Roles of a token that the person still has. @param made of that token */
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

/** Compares counts if both exist, else times: a token of the revocation's second counts as older. */
function isEarlier(
  { signedAt = 0 }: TokenIssuance,
  counted: number | undefined,
  before: string,
  count: number | undefined,
): boolean {
  return counted === undefined || count === undefined ? signedAt < Date.parse(before) : counted < count;
}
