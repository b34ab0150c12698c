import type { Conflict, Folded, FoldState, LiveWrite } from '../../domain/fold/fold';
import { addToFold, FoldCollector, foldSteps } from '../../domain/fold/fold';
import type { Ceilinged } from '../../domain/fold/ceilings';
import { ceilingCode, CEILING_MESSAGES, membersAtLeast, sizeOfWrite } from '../../domain/fold/ceilings';
import type { Json, JsonObject } from '../../domain/json';
import { greatestLc } from '../../domain/op/draft';
import { LIMITS } from '../../domain/limits';
import type { Op, OpKind } from '../../domain/op/op';
import { WHOLE } from '../../domain/op/op';
import type { ClaimedRole } from '../../domain/policy/claimed-roles';
import { authorField } from '../../domain/policy/claimed-roles';
import type { AcceptedOp, DocumentRow, FoldBasis } from './document-row';
import { rowOfFold } from './document-row';

/**
 * Size of live values above which a document is not even folded to see whether an operation makes it smaller: only an
 * earlier version or staff can have made it so large. Staff release what settles it.
 */
export const FOLD_CHARS_MAX = 2 * LIMITS.documentCharsMax;

/** Fold of a document as a store has it. */
interface StoredFold {
  readonly folded: Folded;
  readonly basis: FoldBasis;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Builds the row of a document from its accepted operations in seq order. Only confirmed roles count. */
export function documentRow(kind: OpKind, docId: string, accepted: readonly AcceptedOp[]): DocumentRow {
  return DocumentFold.of(kind, docId, accepted).row();
}

/**
 * Document of a store to which operations are added. A further operation costs no more than itself and the live values,
 * however long the document's history is.
 */
export class DocumentFold {
  readonly #kind: OpKind;
  readonly #docId: string;
  #state: FoldState = { live: new Map(), awaited: new Map() };
  #by: string | null = null;
  #lc = 0;
  #size = { chars: 0, members: 0 };
  #createdAt: string | undefined;
  #updatedAt = '';
  /** Confirmed roles by operation, where there are any. */
  readonly #roles = new Map<string, readonly ClaimedRole[]>();
  /** Conflicts of the stored fold by field; those of a field written since are dropped. */
  #conflicts = new Map<string, readonly Conflict[]>();

  constructor(kind: OpKind, docId: string) {
    this.#kind = kind;
    this.#docId = docId;
  }

  /** Document of all its accepted operations in seq order. */
  static of(kind: OpKind, docId: string, accepted: readonly AcceptedOp[]): DocumentFold {
    return toEnd(DocumentFold.steps(kind, docId, accepted));
  }

  /**
   * Same as {@link DocumentFold.of} in steps, for a document with a long history. Yields the work of a step in
   * characters.
   *
   * @param accepted with the length of the operation's JSON, where the caller parses it
   */
  static *steps(
    kind: OpKind,
    docId: string,
    accepted: Iterable<AcceptedOp & { readonly chars?: number }>,
  ): Generator<number, DocumentFold> {
    const made = new DocumentFold(kind, docId);
    const collector = new FoldCollector();
    for (const taken of accepted) {
      if (!collector.add(taken.op)) continue;
      made.#note(taken);
      yield taken.chars ?? 0;
    }
    made.#state = yield* collector.steps();
    for (const [field, writes] of made.#state.live)
      for (const { value } of writes) {
        yield made.#resize(field, value, 1);
      }
    made.#conflictsOf(yield* foldSteps(made.#state));
    return made;
  }

  /** Continues a stored fold. @returns undefined if its basis does not fit it: it must be computed again */
  static resume(
    kind: OpKind,
    docId: string,
    { folded, basis, createdAt, updatedAt }: StoredFold,
  ): DocumentFold | undefined {
    const state = stateOf(folded, basis);
    if (state === undefined) return undefined;
    const made = new DocumentFold(kind, docId);
    made.#state = state;
    made.#by = basis.by;
    made.#lc = basis.lc;
    made.#size = { chars: basis.chars, members: basis.members };
    made.#createdAt = createdAt;
    made.#updatedAt = updatedAt;
    for (const [opId, roles] of Object.entries(basis.roles ?? {})) made.#roles.set(opId, roles);
    made.#conflictsOf(folded);
    return made;
  }

  /** Size of the live writes, characters of JSON. */
  get chars(): number {
    return this.#size.chars;
  }

  /**
   * Adds an operation that the document does not contain yet.
   *
   * @param ceilings `keep`: not if it breaks a ceiling
   * @returns the reason in words why it was not added
   */
  add(taken: AcceptedOp, ceilings: 'keep' | 'ignore'): string | undefined {
    const { op } = taken;
    const membersMax = Math.max(LIMITS.documentMembersMax, this.#size.members);
    if (ceilings === 'keep' && membersAtLeast(op, membersMax) > membersMax) return CEILING_MESSAGES.size;
    const next = addToFold(this.#state, op);
    const before = this.#measures(this.#state, op);
    const sizeBefore = this.#size;
    const touched = touchedFields(this.#state, next);
    for (const field of touched) {
      const had = new Set(this.#state.live.get(field));
      for (const write of next.live.get(field) ?? []) if (!had.delete(write)) this.#resize(field, write.value, 1);
      for (const { value } of had) this.#resize(field, value, -1);
    }
    if (ceilings === 'keep') {
      const code = ceilingCode(op, before, this.#measures(next, op));
      if (code !== undefined) {
        this.#size = sizeBefore;
        return CEILING_MESSAGES[code];
      }
    }
    for (const field of touched) this.#conflicts.delete(field);
    this.#state = next;
    this.#note(taken);
    return undefined;
  }

  /** Row of the document. */
  row(): DocumentRow {
    return toEnd(this.rowSteps());
  }

  /** Row of the document in steps; yields the work of a step in characters. */
  *rowSteps(): Generator<number, DocumentRow> {
    const folded = yield* foldSteps(this.#state, (field) => this.#conflicts.get(field));
    // The last of the live writes is shown.
    const shownBy = folded.live[authorField(this.#kind)]?.at(-1);
    return rowOfFold({
      kind: this.#kind,
      docId: this.#docId,
      folded,
      basis: this.#basis(folded.doc),
      createdAt: this.#createdAt ?? '',
      updatedAt: this.#updatedAt,
      roles: (shownBy === undefined ? undefined : this.#roles.get(shownBy)) ?? [],
    });
  }

  #note({ op, by, roles }: AcceptedOp): void {
    if (this.#createdAt === undefined) this.#by = by;
    this.#lc = Math.max(this.#lc, greatestLc([op]));
    if (this.#createdAt === undefined || op.madeAt < this.#createdAt) this.#createdAt = op.madeAt;
    if (op.madeAt > this.#updatedAt) this.#updatedAt = op.madeAt;
    if (roles.length > 0) this.#roles.set(op.opId, roles);
  }

  /** Takes over the conflicts of a fold, so that they are compared again only where a field is written. */
  #conflictsOf({ live, conflicts }: Pick<Folded, 'live' | 'conflicts'>): void {
    const known = new Map<string, Conflict[]>();
    for (const [field, opIds] of Object.entries(live)) if (opIds.length > 1) known.set(field, []);
    for (const conflict of conflicts) known.get(conflict.field)?.push(conflict);
    this.#conflicts = known;
  }

  /** @returns characters of the write */
  #resize(field: string, value: Json, sign: 1 | -1): number {
    const { chars, members } = sizeOfWrite(this.#kind, field, value);
    this.#size = { chars: this.#size.chars + sign * chars, members: this.#size.members + sign * members };
    return chars;
  }

  #measures(state: FoldState, op: Op): Ceilinged {
    return {
      lc: this.#lc,
      ...this.#size,
      awaited: [...state.awaited.values()].reduce((sum, names) => sum + names.size, 0),
      liveOf: (field) => state.live.get(field)?.length ?? 0,
      fields: op.kind === 'analysis' ? [WHOLE] : Object.keys(op.over ?? op.body),
    };
  }

  #basis(doc: JsonObject): FoldBasis {
    const { live, awaited } = this.#state;
    const writes: Record<string, readonly [number, 0 | 1]> = {};
    for (const list of live.values()) for (const { opId, lc, deletes } of list) writes[opId] = [lc, deletes ? 1 : 0];
    const roles = [...this.#roles].filter(([opId]) => Object.hasOwn(writes, opId));
    const values = this.#kind === 'analysis' || !live.has(WHOLE) ? [] : this.#valuesBeside(doc);
    return {
      by: this.#by,
      lc: this.#lc,
      ...this.#size,
      writes,
      ...(awaited.size === 0
        ? {}
        : { awaited: Object.fromEntries([...awaited].map(([field, names]) => [field, [...names]])) }),
      ...(roles.length === 0 ? {} : { roles: Object.fromEntries(roles) }),
      ...(values.length === 0 ? {} : { values: Object.fromEntries(values) }),
    };
  }

  /** Shown values that the document does not contain under the name of their field. */
  #valuesBeside(doc: JsonObject): [string, Json][] {
    return [...this.#state.live].flatMap(([field, writes]): [string, Json][] => {
      const shown = writes.at(-1);
      return shown === undefined || doc[field] === shown.value ? [] : [[field, shown.value]];
    });
  }
}

/** Fields whose live writes differ between two states. */
function touchedFields(before: FoldState, after: FoldState): string[] {
  const fields: string[] = [];
  for (const [field, writes] of after.live) if (before.live.get(field) !== writes) fields.push(field);
  for (const field of before.live.keys()) if (!after.live.has(field)) fields.push(field);
  return fields;
}

/** Live writes of a stored fold; undefined if the basis does not fit. */
function stateOf(folded: Folded, basis: FoldBasis): FoldState | undefined {
  const conflicts = new Map<string, Json>();
  for (const { field, opId, value } of folded.conflicts) conflicts.set(`${opId} ${field}`, value);
  const live = new Map<string, readonly LiveWrite[]>();
  for (const [field, opIds] of Object.entries(folded.live)) {
    const shown = shownValue(folded, basis, field);
    if (shown === undefined) return undefined;
    const writes: LiveWrite[] = [];
    for (const opId of opIds) {
      const facts = basis.writes[opId];
      if (facts === undefined) return undefined;
      const differing = conflicts.get(`${opId} ${field}`);
      // A value may be null.
      writes.push({ opId, lc: facts[0], deletes: facts[1] === 1, value: differing === undefined ? shown : differing });
    }
    live.set(field, writes);
  }
  const awaited = Object.entries(basis.awaited ?? {}).map(([field, names]) => [field, new Set(names)] as const);
  return { live, awaited: new Map(awaited) };
}

function shownValue({ doc }: Folded, { values = {} }: FoldBasis, field: string): Json | undefined {
  if (Object.hasOwn(values, field)) return values[field];
  if (field === WHOLE) return doc;
  return Object.hasOwn(doc, field) ? doc[field] : undefined;
}

function toEnd<Result>(steps: Generator<number, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Work of one turn of the event loop, characters: a few milliseconds. */
const TURN_CHARS = 256 * 1024;

/** Runs steps to their end and lets others work in between. */
export async function inTurns<Result>(steps: Generator<number, Result>): Promise<Result> {
  let chars = 0;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    chars += step.value;
    if (chars < TURN_CHARS) continue;
    chars = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
