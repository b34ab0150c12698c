import { canonicalJson } from '../canonical';
import type { OpId } from '../ids';
import type { Json, JsonObject } from '../json';
import type { Op } from '../op/op';
import { WHOLE } from '../op/op';
import { foldableBody } from '../op/server-owned';

/** Concurrent value of a field; a person settles it. */
export interface Conflict {
  readonly field: string;
  readonly opId: OpId;
  readonly value: Json;
}

/** Document computed from its operations. */
export interface Folded {
  /** Value of each field; `isDeleted` as written (the projection sets it to `deleted`). */
  readonly doc: JsonObject;
  readonly deleted: boolean;
  /** Ordered by field, then (lc, opId). */
  readonly conflicts: readonly Conflict[];
  /** Live writes of each field, which no other write replaces, in order of (lc, opId); an edit lists them in `over`. */
  readonly live: Readonly<Record<string, readonly OpId[]>>;
}

interface Write {
  readonly op: Op;
  readonly lc: number;
  readonly value: Json;
}

/**
 * Computes a document from its operations. Pure; order and duplicates of `ops` do not matter, so all nodes with the
 * same set show the same document (protocol, "Fold").
 *
 * @param ops all operations of one document
 */
export function fold(ops: Iterable<Op>): Folded {
  const byId = new Map<string, Op>();
  for (const op of ops) if (!byId.has(op.opId)) byId.set(op.opId, op);

  const { writes, replaced } = collect(byId.values());
  const doc: [string, Json][] = [];
  const live: [string, OpId[]][] = [];
  const conflicts: Conflict[] = [];
  let allFromDeletes = true;

  for (const field of [...writes.keys()].sort()) {
    const replacedIds = replaced.get(field);
    const liveWrites = (writes.get(field) ?? [])
      .filter((write) => replacedIds?.has(write.op.opId) !== true)
      .sort(byClock);
    const shown = liveWrites.at(-1);
    if (shown === undefined) continue; // only a circle of writes that replace each other leaves none
    live.push([field, liveWrites.map((write) => write.op.opId)]);
    if (field === WHOLE) doc.push(...Object.entries(shown.value as JsonObject));
    else doc.push([field, shown.value]);
    for (const write of liveWrites) allFromDeletes &&= write.op.body['isDeleted'] === true;
    // Fast path: nearly every field has one live write and no conflict; comparing texts is the main cost of a fold.
    if (liveWrites.length === 1) continue;
    const shownText = canonicalJson(shown.value);
    for (const write of liveWrites) {
      if (canonicalJson(write.value) !== shownText) conflicts.push({ field, opId: write.op.opId, value: write.value });
    }
  }

  const values = Object.fromEntries(doc);
  return {
    doc: values,
    deleted: allFromDeletes && Object.hasOwn(values, 'isDeleted') && values['isDeleted'] === true,
    conflicts,
    live: Object.fromEntries(live),
  };
}

function collect(ops: Iterable<Op>): { writes: Map<string, Write[]>; replaced: Map<string, Set<string>> } {
  const writes = new Map<string, Write[]>();
  const replaced = new Map<string, Set<string>>();
  for (const op of ops) {
    for (const [field, value] of writesOf(op)) {
      const list = writes.get(field);
      const write = { op, lc: op.lc ?? 1, value };
      if (list) list.push(write);
      else writes.set(field, [write]);
    }
    for (const [field, opIds] of Object.entries(op.over ?? {})) {
      const set = replaced.get(field) ?? new Set<string>();
      for (const opId of opIds) set.add(opId);
      replaced.set(field, set);
    }
  }
  return { writes, replaced };
}

/** Fields that an op writes: all of the body, or those in `over`; an analysis is written as a whole. */
function writesOf(op: Op): [string, Json][] {
  const body = foldableBody(op.kind, op.body);
  if (op.kind === 'analysis') return op.over === undefined || Object.hasOwn(op.over, WHOLE) ? [[WHOLE, body]] : [];
  const { over } = op;
  return Object.entries(body).filter(([field]) => over === undefined || Object.hasOwn(over, field));
}

function byClock(a: Write, b: Write): number {
  return a.lc - b.lc || byCodeUnit(a.op.opId, b.op.opId);
}

function byCodeUnit(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
