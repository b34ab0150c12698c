import { equalJson } from '../canonical';
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

/** Write of a field that no other write replaces. */
export interface LiveWrite {
  readonly opId: OpId;
  readonly lc: number;
  readonly value: Json;
  /** True if the body of its operation has `isDeleted: true`. */
  readonly deletes: boolean;
}

/** State that a fold continues from, so that a further operation costs no more than itself and the live writes. */
export interface FoldState {
  /** Live writes of each field in order of (lc, opId); no field is empty. */
  readonly live: ReadonlyMap<string, readonly LiveWrite[]>;
  /** Names in `over`, by field, whose writes have not arrived: they are dead on arrival. */
  readonly awaited: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Work of one step of {@link foldSteps}, as characters. */
const STEP_CHARS = 64 * 1024;
/** Work of comparing a number, a text or a container, as characters. */
const VALUE_CHARS = 8;
/** Work of sorting one live write, as characters. */
const WRITE_CHARS = 64;

/**
 * Computes a document from its operations. Pure; order and duplicates of `ops` do not matter, so all nodes with the
 * same set show the same document (protocol, "Fold").
 *
 * @param ops all operations of one document
 */
export function fold(ops: Iterable<Op>): Folded {
  return foldOf(foldState(ops));
}

/** Live writes and awaited names of all operations of one document. */
export function foldState(ops: Iterable<Op>): FoldState {
  const collector = new FoldCollector();
  for (const op of ops) collector.add(op);
  const steps = collector.steps();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Collects operations of one document in any order; linear in their number, unlike {@link addToFold} for each. */
export class FoldCollector {
  readonly #known = new Set<string>();
  readonly #writes = new Map<string, LiveWrite[]>();
  readonly #replaced = new Map<string, Set<string>>();

  /** @returns false for one that is here already */
  add(op: Op): boolean {
    if (this.#known.has(op.opId)) return false;
    this.#known.add(op.opId);
    for (const [field, value] of writesOf(op)) {
      const list = this.#writes.get(field);
      const write = liveWriteOf(op, value);
      if (list) list.push(write);
      else this.#writes.set(field, [write]);
    }
    for (const [field, opIds] of Object.entries(op.over ?? {})) {
      const set = this.#replaced.get(field) ?? new Set<string>();
      for (const opId of opIds) set.add(opId);
      this.#replaced.set(field, set);
    }
    return true;
  }

  /** State of all of them, one field a step. Yields the work of a step in characters. */
  *steps(): Generator<number, FoldState> {
    const live = new Map<string, readonly LiveWrite[]>();
    for (const [field, all] of this.#writes) {
      const replacedIds = this.#replaced.get(field);
      const liveWrites = all.filter((write) => replacedIds?.has(write.opId) !== true).sort(byClock);
      // Only a circle of writes that replace each other leaves none.
      if (liveWrites.length > 0) live.set(field, liveWrites);
      yield all.length * WRITE_CHARS;
    }
    const awaited = new Map<string, ReadonlySet<string>>();
    for (const [field, opIds] of this.#replaced) {
      const missing = new Set([...opIds].filter((opId) => !this.#known.has(opId)));
      if (missing.size > 0) awaited.set(field, missing);
    }
    return { live, awaited };
  }
}

/** Adds an operation that the state does not contain yet; equals the state of all operations together. */
export function addToFold({ live: before, awaited: awaitedBefore }: FoldState, op: Op): FoldState {
  const live = new Map(before);
  const awaited = new Map(awaitedBefore);
  for (const [field, opIds] of Object.entries(op.over ?? {})) {
    const named = new Set<string>(opIds);
    const left: LiveWrite[] = [];
    for (const write of live.get(field) ?? []) if (!named.delete(write.opId)) left.push(write);
    if (left.length > 0) live.set(field, left);
    else live.delete(field);
    if (named.size > 0) awaited.set(field, new Set([...(awaited.get(field) ?? []), ...named]));
  }
  for (const [field, value] of writesOf(op)) {
    const missing = awaited.get(field);
    if (missing?.has(op.opId) === true) {
      const others = new Set([...missing].filter((opId) => opId !== op.opId));
      if (others.size > 0) awaited.set(field, others);
      else awaited.delete(field);
    } else {
      live.set(field, [...(live.get(field) ?? []), liveWriteOf(op, value)].sort(byClock));
    }
  }
  return { live, awaited };
}

/** Document of a state. */
export function foldOf(state: FoldState): Folded {
  const steps = foldSteps(state);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Document of a state in steps, so that a large one holds up nothing else: each compares some {@link STEP_CHARS}
 * characters, or one value, and yields about how many.
 *
 * @param conflictsBefore conflicts of a field whose live writes are unchanged since they were computed; undefined:
 * compare them
 */
export function* foldSteps(
  { live: writes }: FoldState,
  conflictsBefore: (field: string) => readonly Conflict[] | undefined = () => undefined,
): Generator<number, Folded> {
  const doc: [string, Json][] = [];
  const live: [string, OpId[]][] = [];
  const conflicts: Conflict[] = [];
  let allFromDeletes = true;
  const work = { values: 0 };

  for (const field of [...writes.keys()].sort()) {
    const liveWrites = writes.get(field) ?? [];
    const shown = liveWrites.at(-1);
    if (shown === undefined) continue;
    live.push([field, liveWrites.map((write) => write.opId)]);
    // One by one: arguments have a limit.
    if (field === WHOLE) for (const entry of Object.entries((shown.value ?? {}) as JsonObject)) doc.push(entry);
    else doc.push([field, shown.value]);
    for (const write of liveWrites) allFromDeletes &&= write.deletes;
    // Fast path: nearly every field has one live write and no conflict; comparing values is the main cost of a fold.
    if (liveWrites.length === 1) continue;
    const known = conflictsBefore(field);
    if (known !== undefined) {
      conflicts.push(...known);
      continue;
    }
    for (const write of liveWrites) {
      if (!equalJson(write.value, shown.value, work)) conflicts.push({ field, opId: write.opId, value: write.value });
      if (work.values * VALUE_CHARS < STEP_CHARS) continue;
      yield work.values * VALUE_CHARS;
      work.values = 0;
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

function liveWriteOf(op: Op, value: Json): LiveWrite {
  return { opId: op.opId, lc: op.lc ?? 1, value, deletes: op.body['isDeleted'] === true };
}

/** Fields that an op writes: all of the body, or those in `over`; an analysis is written as a whole. */
function writesOf(op: Op): [string, Json][] {
  const body = foldableBody(op.kind, op.body);
  if (op.kind === 'analysis') return op.over === undefined || Object.hasOwn(op.over, WHOLE) ? [[WHOLE, body]] : [];
  const { over } = op;
  return Object.entries(body).filter(([field]) => over === undefined || Object.hasOwn(over, field));
}

function byClock(a: LiveWrite, b: LiveWrite): number {
  return a.lc - b.lc || byCodeUnit(a.opId, b.opId);
}

function byCodeUnit(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
