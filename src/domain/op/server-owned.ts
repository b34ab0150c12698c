import type { JsonObject } from '../json';
import { isObject } from '../json';
import type { OpKind } from './op';

/**
 * Fields that only a server sets, by kind of record. They are ignored in clients' operations and joined in on reading
 * (protocol, "One write path"). A dotted name is a member of a container: the container stays, emptied.
 */
export const SERVER_OWNED: Readonly<Record<OpKind, readonly string[]>> = {
  profile: ['admin', 'isExpert', 'verified', 'domains', 'isEmailVerified', 'lastLoginAt', 'since', 'photoURL'],
  survey: ['priority', 'datasets', 'meta.images'],
  image: ['token', 'url', 'color_corrected', 'ml', 'seed', 'meta.analysis', 'meta.analysis_expert'],
  analysis: [],
};

/** Left out of every body: the envelope and the times of the operations say these. */
export const ENVELOPE_FIELDS: readonly string[] = ['id', 'uid', 'createdAt', 'updatedAt', 'updated'];

interface Dropped {
  /** Fields that go whole. */
  readonly fields: ReadonlySet<string>;
  /** Members that are taken out of a container. */
  readonly members: ReadonlyMap<string, ReadonlySet<string>>;
}

function droppedOf(owned: readonly string[]): Dropped {
  const members = new Map<string, Set<string>>();
  for (const [container = '', member] of owned.map((name) => name.split('.'))) {
    if (member !== undefined) members.set(container, (members.get(container) ?? new Set()).add(member));
  }
  return { fields: new Set([...ENVELOPE_FIELDS, ...owned]), members };
}

/** Looked up for every operation of a fold, so made once. */
const DROPPED: Readonly<Record<OpKind, Dropped>> = {
  profile: droppedOf(SERVER_OWNED.profile),
  survey: droppedOf(SERVER_OWNED.survey),
  image: droppedOf(SERVER_OWNED.image),
  analysis: droppedOf(SERVER_OWNED.analysis),
};

/** The body as the fold sees it: without envelope fields and server-owned fields. */
export function foldableBody(kind: OpKind, body: JsonObject): JsonObject {
  const { fields, members } = DROPPED[kind];
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
