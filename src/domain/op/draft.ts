import { canonicalJson } from '../canonical';
import type { Folded } from '../fold/fold';
import { fold } from '../fold/fold';
import type { OpId, PersonId, Sha256 } from '../ids';
import type { Json, JsonObject } from '../json';
import { LIMITS } from '../limits';
import type { Op, OpKind } from './op';
import { WHOLE } from './op';
import { foldableBody } from './server-owned';

/** Fields that an operation sets, with the writes each replaces. */
export type Over = Readonly<Record<string, readonly OpId[]>>;

/** Operation without number and hash; `sealOp` adds them in the transaction that stores it. */
export type OpDraft = Omit<Op, 'opId' | 'sha256'>;

/** State of a document that its author saw; the only base for edits, settlements, deletes and restores. */
export interface DocumentState {
  readonly kind: OpKind;
  readonly docId: string;
  readonly folded: Folded;
  /** Greatest `lc` of the operations seen, see {@link greatestLc}; 0 without any. */
  readonly lc: number;
}

/** Author, device time and schema version of a write. */
export interface DraftFacts {
  readonly by?: PersonId;
  /** ISO 8601 UTC with milliseconds. */
  readonly madeAt: string;
  readonly schema: number;
}

/** State of a document from all operations on this device. */
export function documentStateOf(kind: OpKind, docId: string, ops: Iterable<Op>): DocumentState {
  const ownOps = [...ops];
  return { kind, docId, folded: fold(ownOps), lc: greatestLc(ownOps) };
}

/**
 * Greatest `lc` of some operations (absent counts as 1); 0 without any. One above the ceiling does not count: otherwise
 * a single operation would leave no number for the next edit (protocol, "Ceilings").
 */
export function greatestLc(ops: Iterable<Pick<Op, 'lc'>>): number {
  let greatest = 0;
  for (const { lc = 1 } of ops) if (lc <= LIMITS.lcMax) greatest = Math.max(greatest, lc);
  return greatest;
}

/**
 * `lc` of the next operation of a document. At the ceiling it no longer grows; an edit still wins, since it names the
 * writes that it replaces.
 *
 * @param greatest see {@link greatestLc}
 */
export function nextLc(greatest: number): number {
  return Math.min(LIMITS.lcMax, greatest + 1);
}

/** Live writes of a field that equal the value shown, which an edit replaces. Other live writes remain conflicts. */
export function shownWrites(folded: Folded, field: string): readonly OpId[] {
  const differing = new Set(
    folded.conflicts.filter((conflict) => conflict.field === field).map((conflict) => conflict.opId),
  );
  return liveWrites(folded, field).filter((opId) => !differing.has(opId));
}

/**
 * Builds `over` for an edit: each changed field with every live write that equals the value shown (protocol, "Fold").
 * Unchanged and server-owned fields are omitted. An analysis is one field: `changes` is the whole new record and `over`
 * names `*`.
 */
export function overFor(kind: OpKind, folded: Folded, changes: JsonObject): Over {
  const wanted = foldableBody(kind, changes);
  if (kind === 'analysis') {
    const same = canonicalJson({ isDeleted: false, ...wanted }) === canonicalJson({ isDeleted: false, ...folded.doc });
    return same && liveWrites(folded, WHOLE).length > 0 ? {} : { [WHOLE]: shownWrites(folded, WHOLE) };
  }
  const changed = Object.entries(wanted).filter(
    ([field, value]) => !Object.hasOwn(folded.doc, field) || canonicalJson(value) !== canonicalJson(folded.doc[field]),
  );
  return Object.fromEntries(changed.map(([field]) => [field, shownWrites(folded, field)]));
}

/** Builds `over` for a settlement: all live writes of the field, so that one value remains (protocol, "Fold"). */
export function settleOver(folded: Folded, field: string): Over {
  return { [field]: liveWrites(folded, field) };
}

/** First operation of a document: sets every field of `body`, replaces nothing. */
export function draftFirst(kind: OpKind, body: JsonObject, facts: DraftFacts): OpDraft {
  const docId = body[idFieldOf(kind)];
  if (typeof docId !== 'string') throw new TypeError(`a ${kind} needs its ${idFieldOf(kind)} before it can be written`);
  return { ...envelope({ kind, docId, lc: 0 }, facts), body };
}

/**
 * Edits some fields; null empties one.
 *
 * @returns undefined if nothing changes, so no operation is written
 */
export function draftEdit(state: DocumentState, changes: JsonObject, facts: DraftFacts): OpDraft | undefined {
  const over = overFor(state.kind, state.folded, changes);
  if (Object.keys(over).length === 0) return undefined;
  return { ...envelope(state, facts), over, body: bodyWith(state, foldableBody(state.kind, changes)) };
}

/**
 * Settles a conflict: `value` (one of those shown, or a third) replaces every live write of the field. Settling
 * `isDeleted` deletes the document or lets it stand: its field alone decides neither (protocol, "Fold").
 */
export function draftSettle(state: DocumentState, field: string, value: Json, facts: DraftFacts): OpDraft {
  if (field === 'isDeleted') return value === true ? draftDelete(state, facts) : draftKeep(state, facts);
  const changes = field === WHOLE ? foldableBody(state.kind, value as JsonObject) : { [field]: value };
  return { ...envelope(state, facts), over: settleOver(state.folded, field), body: bodyWith(state, changes) };
}

/**
 * Soft-deletes a document (1§4: "Deleting an item sets isDeleted and deletedAt"). Writes every field that was seen and
 * replaces all their live writes, conflicting ones included; a concurrent edit keeps the document.
 */
export function draftDelete(state: DocumentState, facts: DraftFacts): OpDraft {
  const marks = { isDeleted: true, deletedAt: facts.madeAt };
  const fields = state.kind === 'analysis' ? [WHOLE] : [...Object.keys(state.folded.live), ...Object.keys(marks)];
  const over = Object.fromEntries(fields.map((field) => [field, liveWrites(state.folded, field)]));
  return { ...envelope(state, facts), over, body: bodyWith(state, marks) };
}

/**
 * Restores a deleted document, or confirms one that a concurrent edit preserved. Writes every field that was seen; only
 * conflicts about the deletion itself are settled.
 */
export function draftRestore(state: DocumentState, facts: DraftFacts): OpDraft {
  const marks = { isDeleted: false, deletedAt: null };
  const { folded } = state;
  const stateFields = state.kind === 'analysis' ? [WHOLE] : Object.keys(folded.live);
  const over = Object.fromEntries([
    ...stateFields.map((field) => [field, shownWrites(folded, field)]),
    ...(state.kind === 'analysis' ? [] : Object.keys(marks).map((field) => [field, liveWrites(folded, field)])),
  ]) as Over;
  return { ...envelope(state, facts), over, body: bodyWith(state, marks) };
}

/** Settles that a document is not deleted: the marks alone, since a conflict about them shows the document already. */
function draftKeep(state: DocumentState, facts: DraftFacts): OpDraft {
  const { folded } = state;
  const over = { ...settleOver(folded, 'isDeleted'), ...settleOver(folded, 'deletedAt') };
  return { ...envelope(state, facts), over, body: bodyWith(state, { isDeleted: false, deletedAt: null }) };
}

/** Completes a draft. `sha256` is the hash of the canonical JSON of `draft.body`. */
export function sealOp(draft: OpDraft, opId: OpId, sha256: Sha256): Op {
  return { ...draft, opId, sha256 };
}

/** Name of the body's id member: `uid` in a profile, `id` elsewhere. */
export function idFieldOf(kind: OpKind): 'id' | 'uid' {
  return kind === 'profile' ? 'uid' : 'id';
}

function envelope(
  state: Pick<DocumentState, 'kind' | 'docId' | 'lc'>,
  { by, madeAt, schema }: DraftFacts,
): Omit<OpDraft, 'body'> {
  return {
    v: 1,
    kind: state.kind,
    docId: state.docId,
    ...(by === undefined ? {} : { by }),
    lc: nextLc(state.lc),
    madeAt,
    schema,
  };
}

/**
 * Full document with the changes. `isDeleted` is the state shown (`deleted`), not the field: otherwise an edit of a
 * document that survived its deletion would count as the delete's own write, and settling the last conflict would make
 * the document vanish.
 */
function bodyWith({ kind, docId, folded }: DocumentState, changes: JsonObject): JsonObject {
  const base = kind === 'analysis' && !isMarksOnly(changes) ? {} : folded.doc;
  return { ...base, isDeleted: folded.deleted, ...changes, [idFieldOf(kind)]: docId };
}

/** True for a delete or restore, which changes only the marks of an analysis; an edit is the whole record. */
function isMarksOnly(changes: JsonObject): boolean {
  return Object.keys(changes).every((field) => field === 'isDeleted' || field === 'deletedAt');
}

function liveWrites(folded: Folded, field: string): readonly OpId[] {
  return Object.hasOwn(folded.live, field) ? (folded.live[field] ?? []) : [];
}
