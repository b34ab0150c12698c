import { canonicalJson } from '../canonical';
import type { Folded } from '../fold/fold';
import { fold } from '../fold/fold';
import type { OpId, PersonId, Sha256 } from '../ids';
import type { Json, JsonObject } from '../json';
import type { Op, OpKind } from './op';
import { WHOLE } from './op';
import { foldableBody } from './server-owned';

/** The fields that an operation sets, each naming the writes that it replaces. */
export type Over = Readonly<Record<string, readonly OpId[]>>;

/** An operation before its number and hash are known; `sealOp` adds them in the transaction that stores it. */
export type OpDraft = Omit<Op, 'opId' | 'sha256'>;

/** A document as its writer saw it; edits, settlements, deletes and restores are made from this and nothing else. */
export interface DocumentState {
  readonly kind: OpKind;
  readonly docId: string;
  readonly folded: Folded;
  /** The greatest `lc` among the operations seen; 0 for none. */
  readonly lc: number;
}

/** Who writes, when by the device's clock, and under which version of the record's schema. */
export interface DraftFacts {
  readonly by?: PersonId;
  /** ISO 8601 UTC with milliseconds. */
  readonly madeAt: string;
  readonly schema: number;
}

/** What a device sees of a document, from all the operations it holds for it. */
export function documentStateOf(kind: OpKind, docId: string, ops: Iterable<Op>): DocumentState {
  const ownOps = [...ops];
  return { kind, docId, folded: fold(ownOps), lc: greatestLc(ownOps) };
}

/** The greatest `lc` of some operations (absent counts as 1); 0 where there are none. */
export function greatestLc(ops: Iterable<Op>): number {
  let greatest = 0;
  for (const op of ops) greatest = Math.max(greatest, op.lc ?? 1);
  return greatest;
}

/** The live writes of a field that equal the value shown: what an edit of it replaces. Other live writes stay conflicts. */
export function shownWrites(folded: Folded, field: string): readonly OpId[] {
  const differing = new Set(
    folded.conflicts.filter((conflict) => conflict.field === field).map((conflict) => conflict.opId),
  );
  return liveWrites(folded, field).filter((opId) => !differing.has(opId));
}

/**
 * What an edit puts into `over`: each field whose value changes, naming every live write that equals the value shown
 * (protocol, "Fold"). Fields that keep their value are left out, and so are those that only a server sets. An analysis
 * is one field: `changes` is the whole new record, and `over` names `*`.
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

/** What settling a field puts into `over`: all its live writes, so that one value stands (protocol, "Fold"). */
export function settleOver(folded: Folded, field: string): Over {
  return { [field]: liveWrites(folded, field) };
}

/** The first operation of a document: sets every field of `body`, replaces nothing. */
export function draftFirst(kind: OpKind, body: JsonObject, facts: DraftFacts): OpDraft {
  const docId = body[idFieldOf(kind)];
  if (typeof docId !== 'string') throw new TypeError(`a ${kind} needs its ${idFieldOf(kind)} before it can be written`);
  return { ...envelope({ kind, docId, lc: 0 }, facts), body };
}

/**
 * An edit of some fields; a field is emptied by writing null.
 *
 * @returns undefined where nothing changes, so that no operation is written
 */
export function draftEdit(state: DocumentState, changes: JsonObject, facts: DraftFacts): OpDraft | undefined {
  const over = overFor(state.kind, state.folded, changes);
  if (Object.keys(over).length === 0) return undefined;
  return { ...envelope(state, facts), over, body: bodyWith(state, foldableBody(state.kind, changes)) };
}

/** Settles the conflict of a field: `value` (one of those shown, or a third) replaces every live write of it. */
export function draftSettle(state: DocumentState, field: string, value: Json, facts: DraftFacts): OpDraft {
  const changes = field === WHOLE ? foldableBody(state.kind, value as JsonObject) : { [field]: value };
  return { ...envelope(state, facts), over: settleOver(state.folded, field), body: bodyWith(state, changes) };
}

/**
 * Deletes a document softly (1§4: "Deleting an item sets isDeleted and deletedAt"). It writes every field it saw and
 * replaces all their live writes, conflicting ones included: an edit that came unseen keeps the document.
 */
export function draftDelete(state: DocumentState, facts: DraftFacts): OpDraft {
  const marks = { isDeleted: true, deletedAt: facts.madeAt };
  const fields = state.kind === 'analysis' ? [WHOLE] : [...Object.keys(state.folded.live), ...Object.keys(marks)];
  const over = Object.fromEntries(fields.map((field) => [field, liveWrites(state.folded, field)]));
  return { ...envelope(state, facts), over, body: bodyWith(state, marks) };
}

/**
 * Brings a deleted document back, or confirms one that an unseen edit kept. It writes every field it saw; conflicts stay
 * open for a person, except those about the deletion itself.
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

/** Completes a draft. `sha256` is the hash of the canonical JSON of `draft.body`. */
export function sealOp(draft: OpDraft, opId: OpId, sha256: Sha256): Op {
  return { ...draft, opId, sha256 };
}

/** The member of a body that holds the document's id: `uid` in a profile, `id` elsewhere. */
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
    lc: state.lc + 1,
    madeAt,
    schema,
  };
}

/**
 * The whole document as its writer saw it, with the changes. `isDeleted` is what the screen said (`deleted`), not what
 * the field holds: an edit of a document that outlived its deletion must not count as one of the delete's own writes,
 * or settling its last conflict would make it vanish.
 */
function bodyWith({ kind, docId, folded }: DocumentState, changes: JsonObject): JsonObject {
  const base = kind === 'analysis' && !isMarksOnly(changes) ? {} : folded.doc;
  return { ...base, isDeleted: folded.deleted, ...changes, [idFieldOf(kind)]: docId };
}

/** Delete and restore change the marks of an analysis; an edit of it is the whole record. */
function isMarksOnly(changes: JsonObject): boolean {
  return Object.keys(changes).every((field) => field === 'isDeleted' || field === 'deletedAt');
}

function liveWrites(folded: Folded, field: string): readonly OpId[] {
  return Object.hasOwn(folded.live, field) ? (folded.live[field] ?? []) : [];
}
