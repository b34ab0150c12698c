import type { Json } from '../json';
import { LIMITS } from '../limits';
import type { Op } from '../op/op';

/** Ceiling of the protocol that an operation breaks; it is held, and staff can release it. */
export type CeilingCode = 'clock' | 'leap' | 'values' | 'size' | 'names';

/** Reasons of the receipts of held operations. */
export const CEILING_MESSAGES: Readonly<Record<CeilingCode, string>> = {
  clock: 'Its count is above what any record may reach. It is safe, and is released when staff release it.',
  leap: 'Its count is far above what is known of this record. It is safe, and is released when staff release it.',
  values:
    'Too many conflicting values of a field are open in this record. It is safe, and is released when staff release it.',
  size: 'The record would become too large with it. It is safe, and is released when staff release it.',
  names: 'It replaces too many writes that have not arrived. It is safe, and is released when staff release it.',
};

/** Measures of a document that its ceilings bound. */
export interface Ceilinged {
  /** See `greatestLc`. */
  readonly lc: number;
  /** Size of all live values, see {@link sizeOf}. */
  readonly chars: number;
  readonly members: number;
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

/** Size of a value: characters of its JSON, and about as many members as its objects have. */
export function sizeOf(value: Json): { readonly chars: number; readonly members: number } {
  const text = JSON.stringify(value);
  let members = 0;
  for (let at = text.indexOf('":'); at !== -1; at = text.indexOf('":', at + 2)) members += 1;
  return { chars: text.length, members };
}
