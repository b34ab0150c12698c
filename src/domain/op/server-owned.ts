import type { JsonObject } from '../json';
import { isObject } from '../json';
import type { OpKind } from './op';

/**
 * Fields that only a server sets, by kind of record. They are ignored in clients' operations and joined in on reading
 * (protocol, "One write path"). A dotted name is a member of a container: the container stays, emptied.
 */
export const SERVER_OWNED: Readonly<Record<OpKind, readonly string[]>> = {
  profile: ['admin', 'isExpert', 'verified', 'domains', 'isEmailVerified', 'lastLoginAt', 'since'],
  survey: ['priority', 'datasets', 'meta.images'],
  image: ['token', 'url', 'color_corrected', 'ml', 'seed', 'meta.analysis', 'meta.analysis_expert'],
  analysis: [],
};

/** Left out of every body: the envelope and the times of the operations say these. */
export const ENVELOPE_FIELDS: readonly string[] = ['id', 'uid', 'createdAt', 'updatedAt', 'updated'];

/** The body as the fold sees it: without envelope fields and server-owned fields. */
export function foldableBody(kind: OpKind, body: JsonObject): JsonObject {
  const dropped = new Set([...ENVELOPE_FIELDS, ...SERVER_OWNED[kind]]);
  const dotted = SERVER_OWNED[kind].filter((name) => name.includes('.')).map((name) => name.split('.'));
  const entries = Object.entries(body)
    .filter(([field]) => !dropped.has(field))
    .map(([field, value]) => {
      const members = dotted.flatMap(([container, member]) => (container === field && member !== undefined ? [member] : []));
      if (members.length === 0 || !isObject(value)) return [field, value] as const;
      return [field, Object.fromEntries(Object.entries(value).filter(([member]) => !members.includes(member)))] as const;
    });
  return Object.fromEntries(entries) as JsonObject;
}
