import type { JsonObject } from '../json';
import { isObject } from '../json';
import type { OpKind } from './op';

/**
 * Server-owned fields by kind of record. Ignored in clients' operations and joined in on reading (protocol, "One write
 * path"). A dotted name is a member of a container: the container stays.
 */
export const SERVER_OWNED: Readonly<Record<OpKind, readonly string[]>> = {
  profile: ['admin', 'isExpert', 'verified', 'domains', 'isEmailVerified', 'lastLoginAt', 'since', 'photoURL'],
  survey: ['priority', 'datasets', 'meta.images'],
  image: ['token', 'url', 'color_corrected', 'ml', 'seed', 'meta.analysis', 'meta.analysis_expert'],
  analysis: [],
};

/** Fields that the envelope and the operations' times provide; never part of the fold. */
const ENVELOPE_FIELDS: readonly string[] = ['id', 'uid', 'createdAt', 'updatedAt', 'updated'];

interface ExcludedFields {
  /** Fields removed whole. */
  readonly fields: ReadonlySet<string>;
  /** Members removed from a container. */
  readonly members: ReadonlyMap<string, ReadonlySet<string>>;
}

function excludedFieldsOf(owned: readonly string[]): ExcludedFields {
  const members = new Map<string, Set<string>>();
  for (const [container = '', member] of owned.map((name) => name.split('.'))) {
    if (member !== undefined) members.set(container, (members.get(container) ?? new Set()).add(member));
  }
  return { fields: new Set([...ENVELOPE_FIELDS, ...owned]), members };
}

/** Precomputed: read for every operation of a fold. */
const EXCLUDED_FIELDS: Readonly<Record<OpKind, ExcludedFields>> = {
  profile: excludedFieldsOf(SERVER_OWNED.profile),
  survey: excludedFieldsOf(SERVER_OWNED.survey),
  image: excludedFieldsOf(SERVER_OWNED.image),
  analysis: excludedFieldsOf(SERVER_OWNED.analysis),
};

/** Body without envelope and server-owned fields, as the fold uses it. */
export function foldableBody(kind: OpKind, body: JsonObject): JsonObject {
  const { fields, members } = EXCLUDED_FIELDS[kind];
  const entries: [string, JsonObject[string]][] = [];
  for (const [field, value] of Object.entries(body)) {
    if (fields.has(field)) continue;
    const gone = members.get(field);
    const rest =
      gone === undefined || !isObject(value)
        ? value
        : Object.fromEntries(Object.entries(value).filter(([member]) => !gone.has(member)));
    entries.push([field, rest as JsonObject[string]]);
  }
  return Object.fromEntries(entries);
}

/** True for a field that the fold uses with all its members. */
export function isFoldedWhole(kind: OpKind, field: string): boolean {
  const { fields, members } = EXCLUDED_FIELDS[kind];
  return !fields.has(field) && !members.has(field);
}
