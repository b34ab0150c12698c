import { z } from 'zod';
import { canonicalJson } from '../canonical';
import { geoPointSchema } from '../position/geo-point';
import type { PersonId } from '../ids';
import type { Json, JsonObject } from '../json';
import { isObject } from '../json';
import type { RecordDefinition } from '../record';
import { isBlank } from './rules';

/** Placeholder first name (2§3); it opens the profile form (3§4). */
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
 * Person (1§3 "User", 2§3 "User profile", 3§3 "User") in the one shape that is written; {@link readUser} converts the
 * others. Unknown fields are retained.
 */
const userSchema = z.looseObject({
  uid: z.string(),
  email: z.string().nullish(),
  name: z.looseObject({ first: z.string(), last: z.string() }),
  loc: placeSchema.nullish(),
  org: z.looseObject({ handle: z.string(), name: z.string().nullish() }).nullish(),
  /** 2§9: "Profile opt-in default true." */
  optin: z.boolean().default(true),
  /** Keyed by id of an admin-defined extra field (2§3). */
  additionalInfo: z
    .record(z.string(), z.union([extraFieldSchema, z.string(), z.number(), z.boolean(), z.null()]))
    .nullish()
    .catch(null),
  hostname: z.string().nullish(),
  /** True if the cloud has not confirmed the person. */
  pending: z.boolean().nullish(),
  lastSync: z.string().nullish(),
  isDeleted: z.boolean().default(false),
  deletedAt: z.string().nullish(),
  createdAt: z.string().optional(),
  updatedAt: z.string().optional(),
  meta: z.looseObject({ analysis: z.looseObject({ total: z.number() }).optional() }).nullish(),
  // Server-owned.
  admin: z.boolean().default(false),
  isExpert: z.boolean().default(false),
  verified: z.boolean().default(false),
  domains: z.array(z.string()).default([]),
  isEmailVerified: z.boolean().nullish(),
  lastLoginAt: z.string().nullish(),
  since: z.string().nullish(),
  photoURL: z.string().nullish(),
});
type User = z.infer<typeof userSchema>;

/**
 * Source of a person's record. In a `document` (a fold) only roles set by the server at the top count; those under
 * `data` are a client's. A `record` (an import, a server's table) is trusted, roles under `data` included (3§3).
 */
type UserSource = 'document' | 'record';

const ROLES = ['admin', 'isExpert', 'verified', 'domains'] as const;

/**
 * Reads a person in any specified shape: flat (1§3), with `data` (3§3), as a profile (2§3); name and place as string or
 * object. A missing name becomes "Anonymous".
 *
 * @throws z.ZodError without a uid
 */
export function readUser(value: unknown, source: UserSource): User {
  return userSchema.parse(normaliseUser(value, source));
}

/** Schema for a person from a fold, in any shape. */
const userDocumentSchema = z.preprocess((value) => normaliseUser(value, 'document'), userSchema);

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

/** Accepts only the exact type: `admin: "no"` does not make an administrator. */
function roleOf(role: (typeof ROLES)[number], value: unknown): boolean | string[] {
  if (role === 'domains') return Array.isArray(value) ? value.filter((domain) => typeof domain === 'string') : [];
  return value === true;
}

/** Reads a name from one string ("Ana de la Cruz": first "Ana") or from first and last. */
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

interface NewProfile {
  readonly uid: PersonId;
  readonly email: string;
  readonly name: { readonly first: string; readonly last: string };
  readonly org?: { readonly handle: string; readonly name?: string } | null;
  readonly loc?: JsonObject | null;
  readonly optin?: boolean;
  readonly additionalInfo?: Readonly<Record<string, Json>>;
  /** True for a person signed in aboard whom the cloud has not confirmed. */
  readonly pending?: boolean;
  /** Host on which the person first used the app. Only for an id that no other tablet can begin a profile of. */
  readonly hostname?: string | null;
}

/** Defaults of a profile. */
const DEFAULT_FIELDS: JsonObject = { email: '', org: null, loc: null, optin: true, additionalInfo: {} };

/**
 * Fields worth writing: omits defaults that were never set. Otherwise two tablets creating one profile would overwrite
 * each other with empty values and show false conflicts.
 *
 * @param existing profile as the form saw it; absent for a first one
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

/** Body of a profile's first operation: the one shape, only fields that were set, without server-owned ones. */
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
    ...(given.hostname === undefined || given.hostname === null ? {} : { hostname: given.hostname }),
  });
  return { ...stated, uid: given.uid };
}

/** Initial domains of a person: "the initial value derives from the email domain" (1§3). */
export function initialDomains(email: string): string[] {
  const domain = email.trim().split('@').at(-1)?.toLowerCase() ?? '';
  return email.includes('@') && domain !== '' ? [domain] : [];
}

/** True if the profile form must be shown: no first name, or the placeholder (3§4). */
export function needsName({ name }: Pick<User, 'name'>): boolean {
  return isBlank(name.first) || name.first === ANONYMOUS_FIRST_NAME;
}
