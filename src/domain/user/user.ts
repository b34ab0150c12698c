import { z } from 'zod';
import { canonicalJson } from '../canonical';
import { geoPointSchema } from '../position/geo-point';
import type { PersonId } from '../ids';
import type { Json, JsonObject } from '../json';
import { isObject } from '../json';
import type { RecordDefinition } from '../record';
import { isBlank } from './rules';

/** The first name that stands for a missing one (2§3); it opens the profile form (3§4). */
export const ANONYMOUS_FIRST_NAME = 'Anonymous';

const placeSchema = z.looseObject({
  id: z.string().nullish(),
  value: z.string().nullish(),
  name: z.string().nullish(),
  country: z.string().nullish(),
  _geoloc: geoPointSchema.nullish().catch(null),
});

const extraFieldSchema = z.looseObject({ fieldId: z.string().optional(), fieldLabel: z.string().optional() });

/**
 * A person (1§3 "User", 2§3 "User profile", 3§3 "User") in the one shape that is written. Records of the other shapes
 * become it through {@link readUser}. Unknown fields survive.
 */
export const userSchema = z.looseObject({
  uid: z.string(),
  email: z.string().nullish(),
  name: z.looseObject({ first: z.string(), last: z.string() }),
  loc: placeSchema.nullish(),
  org: z.looseObject({ handle: z.string(), name: z.string().nullish() }).nullish(),
  /** 2§9: "Profile opt-in default true." */
  optin: z.boolean().default(true),
  /** By the id of an admin-defined extra field (2§3). */
  additionalInfo: z
    .record(z.string(), z.union([extraFieldSchema, z.string(), z.number(), z.boolean(), z.null()]))
    .nullish()
    .catch(null),
  hostname: z.string().nullish(),
  /** True for a person whom the cloud has not confirmed. */
  pending: z.boolean().nullish(),
  lastSync: z.string().nullish(),
  isDeleted: z.boolean().default(false),
  deletedAt: z.string().nullish(),
  createdAt: z.string().optional(),
  updatedAt: z.string().optional(),
  meta: z.looseObject({ analysis: z.looseObject({ total: z.number() }).optional() }).nullish(),
  // Set by servers alone.
  admin: z.boolean().default(false),
  isExpert: z.boolean().default(false),
  verified: z.boolean().default(false),
  domains: z.array(z.string()).default([]),
  isEmailVerified: z.boolean().nullish(),
  lastLoginAt: z.string().nullish(),
  since: z.string().nullish(),
  photoURL: z.string().nullish(),
});
export type User = z.infer<typeof userSchema>;

/**
 * Where a record of a person comes from. In a `document` (the fold of operations) roles count only where the server set
 * them, at the top; what a client wrote under `data` counts for nothing. A `record` (an import, a server's own table) is
 * trusted, and its roles may stand under `data` (3§3).
 */
export type UserSource = 'document' | 'record';

const ROLES = ['admin', 'isExpert', 'verified', 'domains'] as const;

/**
 * Reads a person in any shape that the specifications show: flat (1§3), with `data` (3§3), as a profile (2§3); the name
 * as one string or as first and last; the place as a string or an object. A missing name becomes "Anonymous".
 *
 * @throws z.ZodError when there is no uid
 */
export function readUser(value: unknown, source: UserSource): User {
  return userSchema.parse(normaliseUser(value, source));
}

/** A person from the fold of operations, in whichever shape it was written. */
export const userDocumentSchema = z.preprocess((value) => normaliseUser(value, 'document'), userSchema);

export const USER: RecordDefinition<typeof userDocumentSchema> = {
  version: 1,
  migrations: [],
  schema: userDocumentSchema,
};

function normaliseUser(value: unknown, source: UserSource): unknown {
  if (!isObject(value)) return value;
  const { data: held, ...flat } = value;
  const data = isObject(held) ? held : {};
  const { loc: dataLoc, meta: dataMeta, ...dataRest } = data;
  const unknownData = Object.fromEntries(
    Object.entries(dataRest).filter(([field]) => !(ROLES as readonly string[]).includes(field)),
  );
  const roles = Object.fromEntries(
    ROLES.map((role) => [role, roleOf(role, source === 'record' ? (flat[role] ?? data[role]) : flat[role])]),
  );
  return {
    ...flat,
    ...(Object.keys(unknownData).length > 0 ? { data: unknownData } : {}),
    ...roles,
    name: readName(value['name']),
    loc: readPlace(flat['loc'] ?? dataLoc),
    org: readOrganisation(flat['org']),
    optin: typeof flat['optin'] === 'boolean' ? flat['optin'] : true,
    ...(isObject(flat['meta'] ?? dataMeta) ? { meta: flat['meta'] ?? dataMeta } : {}),
  };
}

/** A role is held only by what is exactly that: `admin: "no"` makes nobody an administrator. */
function roleOf(role: (typeof ROLES)[number], value: unknown): boolean | string[] {
  if (role === 'domains') return Array.isArray(value) ? value.filter((domain) => typeof domain === 'string') : [];
  return value === true;
}

/** A name from one string ("Ana de la Cruz": first "Ana") or from first and last. */
export function readName(value: unknown): { first: string; last: string } {
  if (typeof value === 'string' && value.trim() !== '') {
    const [first = '', ...rest] = value.trim().split(/\s+/);
    return { first, last: rest.join(' ') };
  }
  if (!isObject(value)) return { first: ANONYMOUS_FIRST_NAME, last: '' };
  const { first, last } = value;
  return { ...value, first: typeof first === 'string' ? first : '', last: typeof last === 'string' ? last : '' };
}

function readPlace(value: unknown): unknown {
  if (typeof value === 'string') return value === '' ? null : { value, name: value };
  return isObject(value) ? value : null;
}

function readOrganisation(value: unknown): unknown {
  if (typeof value === 'string') return value === '' ? null : { handle: value };
  return isObject(value) && typeof value['handle'] === 'string' ? value : null;
}

/** What a new profile needs; ids and times come in as arguments. */
export interface NewProfile {
  readonly uid: PersonId;
  readonly email: string;
  readonly name: { readonly first: string; readonly last: string };
  readonly org?: { readonly handle: string; readonly name?: string } | null;
  readonly loc?: JsonObject | null;
  readonly optin?: boolean;
  readonly additionalInfo?: Readonly<Record<string, Json>>;
  /** True for a person who signed in aboard, whom the cloud has not confirmed. */
  readonly pending?: boolean;
  readonly hostname?: string;
}

/** How a profile reads where nobody said anything. */
const DEFAULT_FIELDS: JsonObject = { email: '', org: null, loc: null, optin: true, additionalInfo: {} };

/**
 * What somebody says of themselves, of all fields of a form. What nobody ever said and stays unsaid is no write: two tablets on which one
 * person begins at once write no empty place over each other's, and only what differs and was meant is shown as written twice.
 *
 * @param existing the profile as the form saw it; none for a first one
 */
export function statedFields(fields: JsonObject, existing: JsonObject = {}): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([field, value]) =>
        Object.hasOwn(existing, field) ||
        !Object.hasOwn(DEFAULT_FIELDS, field) ||
        canonicalJson(value) !== canonicalJson(DEFAULT_FIELDS[field]),
    ),
  );
}

/** The body of a profile's first operation: the one shape, what was said alone, without anything that a server sets. */
export function newProfile(given: NewProfile): JsonObject & { readonly uid: PersonId } {
  const { org } = given;
  const stated = statedFields({
    email: given.email.trim(),
    name: { first: given.name.first.trim(), last: given.name.last.trim() },
    org: org ? { handle: org.handle, ...(org.name === undefined ? {} : { name: org.name }) } : null,
    loc: given.loc ?? null,
    optin: given.optin ?? true,
    additionalInfo: given.additionalInfo ?? {},
    isDeleted: false,
    ...(given.pending === undefined ? {} : { pending: given.pending }),
    ...(given.hostname === undefined ? {} : { hostname: given.hostname }),
  });
  return { ...stated, uid: given.uid };
}

/** The domains a new person starts with: "the initial value derives from the email domain" (1§3). */
export function initialDomains(email: string): string[] {
  const domain = email.trim().split('@').at(-1)?.toLowerCase() ?? '';
  return email.includes('@') && domain !== '' ? [domain] : [];
}

/** True when the profile form must be shown: no first name, or the stand-in (3§4). */
export function needsName({ name }: Pick<User, 'name'>): boolean {
  return isBlank(name.first) || name.first === ANONYMOUS_FIRST_NAME;
}
