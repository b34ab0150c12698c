import type { Json, JsonObject } from '../json';
import { LIMITS } from '../limits';
import type { Op, OpKind } from '../op/op';
import { WHOLE } from '../op/op';
import { isFoldedWhole } from '../op/server-owned';

/** Ceiling of the protocol that an operation breaks; it is held, and staff can release it. */
type CeilingCode = 'clock' | 'leap' | 'values' | 'size' | 'names';

/** Reasons of the receipts of held operations. */
export const CEILING_MESSAGES: Readonly<Record<CeilingCode, string>> = {
  clock: 'Its count is above what any record may reach. It is safe, and is released when staff release it.',
  leap: 'Its count is far above what is known of this record. It is safe, and is released when staff release it.',
  values:
    'Too many conflicting values of a field are open in this record. It is safe, and is released when staff release it.',
  size: 'The record would become too large with it. It is safe, and is released when staff release it.',
  names: 'It replaces too many writes that have not arrived. It is safe, and is released when staff release it.',
};

/** Measures of a document that its ceilings bound; `chars` and `members` of all live writes, see {@link sizeOfWrite}. */
export interface Ceilinged extends Size {
  /** See `greatestLc`. */
  readonly lc: number;
  /** Names whose writes have not arrived. */
  readonly awaited: number;
  /** Number of live writes of a field. */
  readonly liveOf: (field: string) => number;
  /** Fields that the operation writes. */
  readonly fields: readonly string[];
}

/**
 * Returns the ceiling that an operation breaks (protocol, "Ceilings"); undefined for none. An operation that leaves a
 * document no larger than it was may always join it: so a document above a ceiling can be settled and deleted.
 *
 * @param before the document without the operation
 * @param after the document with it
 */
export function ceilingCode({ lc = 1 }: Pick<Op, 'lc'>, before: Ceilinged, after: Ceilinged): CeilingCode | undefined {
  if (lc > LIMITS.lcMax) return 'clock';
  if (lc > before.lc + LIMITS.lcLeapMax) return 'leap';
  const breaks = (ceiling: number, measure: (of: Ceilinged) => number): boolean =>
    measure(after) > ceiling && measure(after) > measure(before);
  if (breaks(LIMITS.documentCharsMax, ({ chars }) => chars)) return 'size';
  if (breaks(LIMITS.documentMembersMax, ({ members }) => members)) return 'size';
  if (breaks(LIMITS.awaitedMax, ({ awaited }) => awaited)) return 'names';
  return after.fields.some((field) => breaks(LIMITS.liveValuesMax, ({ liveOf }) => liveOf(field)))
    ? 'values'
    : undefined;
}

/** Size of live writes. */
interface Size {
  /** Characters of JSON. */
  readonly chars: number;
  readonly members: number;
}

/** Members that a live write counts as: fold and row handle each by name, operation and value. */
export const WRITE_MEMBERS = 4;

/** Size of a live write: characters of its field and value as JSON, and what costs about as much as a member to parse. */
export function sizeOfWrite(kind: OpKind, field: string, value: Json): Size {
  const chars = JSON.stringify(value).length + field.length;
  return { chars, members: WRITE_MEMBERS + membersOf(value) + spreadOf(kind, field, value) };
}

/**
 * Number of members that all writes of an operation have together at least: cheap for one that has far too many.
 *
 * @param most the count ends above it
 */
export function membersAtLeast({ kind, body, over }: Pick<Op, 'kind' | 'body' | 'over'>, most: number): number {
  const isWhole = kind === 'analysis';
  let members = 0;
  for (const field of Object.keys(isWhole ? body : (over ?? body))) {
    if (!isFoldedWhole(kind, field)) continue;
    members += (isWhole ? 1 : WRITE_MEMBERS) + membersOf(body[field] ?? null, most - members);
    if (members > most) break;
  }
  return members;
}

/** Members of objects, and arrays and objects within arrays. The count ends above `most`. */
function membersOf(value: Json, most = Infinity): number {
  if (typeof value !== 'object' || value === null) return 0;
  const isList = Array.isArray(value);
  const items: readonly Json[] = isList ? value : Object.values(value as JsonObject);
  let members = isList ? 0 : items.length;
  for (const item of items) {
    if (typeof item !== 'object' || item === null) continue;
    if (members > most) break;
    members += (isList ? 1 : 0) + membersOf(item, most - members);
  }
  return members;
}

/** Members that a text or a list becomes in a document that it is the whole of: only an attacker writes such. */
function spreadOf(kind: OpKind, field: string, value: Json): number {
  if (kind === 'analysis' || field !== WHOLE) return 0;
  return typeof value === 'string' || Array.isArray(value) ? value.length : 0;
}
