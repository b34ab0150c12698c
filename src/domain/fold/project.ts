import type { Json, JsonObject } from '../json';
import { isObject } from '../json';
import { greatestLc, idFieldOf } from '../op/draft';
import type { Op, OpKind } from '../op/op';
import { SERVER_OWNED } from '../op/server-owned';
import type { Conflict, Folded } from './fold';
import { fold } from './fold';

/** Document as screens and servers read it. */
interface Projection {
  readonly kind: OpKind;
  readonly id: string;
  /**
   * Fields, with `id` (a profile: `uid`), times (`createdAt` and `updatedAt`; an analysis: `createdAt` and `updated`),
   * `isDeleted`, and server-owned fields.
   */
  readonly doc: JsonObject;
  readonly deleted: boolean;
  /** Concurrent values. */
  readonly conflicts: readonly Conflict[];
  /** Base of an edit. */
  readonly folded: Folded;
  /** Greatest `lc` of the operations. */
  readonly lc: number;
}

/** Fold of a document with its times, as stores hold it. */
interface FoldedRecord {
  readonly kind: OpKind;
  readonly id: string;
  readonly folded: Folded;
  /** Least and greatest `madeAt`, ISO 8601 UTC with milliseconds. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Server-owned fields, nested (`{meta: {images: …}}`); other members are ignored. */
  readonly owned?: JsonObject;
}

/**
 * Computes a document from its operations and server-owned fields; the same on tablet, edge and cloud (protocol,
 * "Fold").
 *
 * @returns undefined without operations
 */
export function project(
  kind: OpKind,
  docId: string,
  ops: Iterable<Op>,
  owned: JsonObject = {},
): Projection | undefined {
  const held = [...ops];
  const times = timesOf(held);
  if (times === undefined) return undefined;
  const folded = fold(held);
  const record: FoldedRecord = { kind, id: docId, folded, ...times, owned };
  return {
    kind,
    id: docId,
    doc: documentOf(record),
    deleted: folded.deleted,
    conflicts: folded.conflicts,
    folded,
    lc: greatestLc(held),
  };
}

/** Document of a stored fold. */
export function documentOf({ kind, id, folded, createdAt, updatedAt, owned = {} }: FoldedRecord): JsonObject {
  return {
    ...joinOwned(kind, folded.doc, owned),
    [idFieldOf(kind)]: id,
    createdAt,
    [kind === 'analysis' ? 'updated' : 'updatedAt']: updatedAt,
    isDeleted: folded.deleted,
  };
}

/** Least and greatest `madeAt`. All have one format, so text order is time order. */
function timesOf(ops: Iterable<Op>): { readonly createdAt: string; readonly updatedAt: string } | undefined {
  let least: string | undefined;
  let greatest: string | undefined;
  for (const { madeAt } of ops) {
    if (least === undefined || madeAt < least) least = madeAt;
    if (greatest === undefined || madeAt > greatest) greatest = madeAt;
  }
  return least === undefined || greatest === undefined ? undefined : { createdAt: least, updatedAt: greatest };
}

/** Merges server-owned fields into a document; a dotted name is a member of its container. */
function joinOwned(kind: OpKind, doc: JsonObject, owned: JsonObject): JsonObject {
  const joined: Record<string, Json> = { ...doc };
  for (const name of SERVER_OWNED[kind]) {
    const [field = name, member] = name.split('.');
    const value = Object.hasOwn(owned, field) ? owned[field] : undefined;
    if (value === undefined) continue;
    if (member === undefined) {
      joined[field] = value;
    } else if (isObject(value) && Object.hasOwn(value, member)) {
      const container = Object.hasOwn(joined, field) ? joined[field] : undefined;
      joined[field] = { ...(isObject(container) ? (container as JsonObject) : {}), [member]: value[member] as Json };
    }
  }
  return joined;
}
