import type { WireError } from '../errors';
import type { LeftOut } from './intake';

/** For how long a check against the box counts as "now", ms. After that it is made again, while the box is in reach. */
export const CHECK_COUNTS_MS = 10 * 60_000;

/** An original that this tablet read from a card for a survey. Photographs that other tablets added are of other cards. */
export interface Original {
  readonly id: string;
  readonly sha256: string;
  /** A receipt for record and bytes that counts: of the box that was asked, in its present life, accepted. Its node, or null. */
  readonly receiptOf: string | null;
  /** The cloud, in its present life, gave a receipt for record and bytes, whichever store is asked now. */
  readonly ashore: boolean;
  /** A person has to look at it. */
  readonly held: WireError | null;
  /** The copy on this tablet is whole, as far as is known. */
  readonly here: boolean;
}

/** A check of the originals against a box that was asked, one by one, whether it has record and bytes. */
export interface CardCheck {
  /** The box that was asked, in which life. */
  readonly nodeId: string;
  readonly storeEpoch: string;
  readonly boxName: string;
  /** `originalsKey` of what was asked for. */
  readonly of: string;
  readonly count: number;
  /** Originals that the box did not have, or whose receipt did not hold. Empty: it has them all. */
  readonly missing: readonly string[];
  /** ISO 8601 by this tablet's clock, to show. */
  readonly at: string;
  /** By a clock that nobody sets (ms, `Clock.elapsed`); null for a check of an earlier start of the app, or over a connection that ended since. */
  readonly elapsed: number | null;
}

/** What the rule looks at. */
export interface CardFacts {
  readonly originals: readonly Original[];
  /** Files that a tab is reading now. */
  readonly reading: number;
  /** Files that were given and never read: a tab was closed or killed in the middle. */
  readonly unread: number;
  /** Files that were refused and that nobody has looked at. */
  readonly leftOut: readonly LeftOut[];
  /** The box that answers now with its proof, in which life; null: none does. */
  readonly box: { readonly nodeId: string; readonly storeEpoch: string } | null;
  readonly check: CardCheck | null;
  /** `Clock.elapsed`. */
  readonly elapsed: number;
  /** This tablet's storage was found emptied: what had been added before is not known any more. */
  readonly wiped: boolean;
}

/** Why the card may not be wiped yet. */
export type Missing =
  | { readonly what: 'reading'; readonly count: number }
  | { readonly what: 'unread'; readonly count: number }
  | { readonly what: 'left-out'; readonly files: readonly LeftOut[] }
  | { readonly what: 'held'; readonly count: number; readonly reason: WireError }
  | { readonly what: 'no-receipt'; readonly count: number }
  /** The shore signed for them, and the box that answers now did not: it cannot be asked for them. */
  | { readonly what: 'ashore-alone'; readonly count: number }
  /** Another box signed for them, and the one that answers now did not. */
  | { readonly what: 'other-box'; readonly count: number }
  /** The box gave receipts and does not have them now. */
  | { readonly what: 'gone-from-box'; readonly count: number }
  | { readonly what: 'wiped' };

/** What is said of a camera card. Only `safe` lets a person wipe it. */
export type Verdict =
  /** Nothing was added from a card here. */
  | { readonly say: 'nothing' }
  | { readonly say: 'keep'; readonly total: number; readonly onBox: number; readonly why: readonly Missing[] }
  /** All have receipts; the box was not asked again yet. */
  | { readonly say: 'check-now'; readonly total: number }
  /** All have receipts and were there when the box was last asked; it cannot be asked now. */
  | {
      readonly say: 'check-later';
      readonly total: number;
      readonly last: { readonly at: string; readonly boxName: string } | null;
    }
  | {
      readonly say: 'safe';
      readonly total: number;
      readonly at: string;
      readonly boxName: string;
      readonly here: number;
    };

/**
 * The rule for "Safe to wipe the camera card" (screens: "said only when every original has a receipt from the box, checked
 * again now"). It is said when all of these hold, and nothing else is ever taken for it:
 *
 * - everything that was given to the survey on this tablet was read to its end, in whichever tab, and nothing refused waits
 *   to be looked at;
 * - each original that was added here, removed ones among them, has an accepted receipt for record and bytes of the box
 *   that answers now, in its present life;
 * - that box was asked for each of just these originals, over the connection that stands, no longer than {@link CHECK_COUNTS_MS} ago by a clock that nobody
 *   can set, and had them all;
 * - the storage of this tablet was not emptied, so that nothing added is forgotten.
 *
 * A box out of reach cannot be asked: then only what was last found is told, with its time, and the card is to be kept.
 */
export function verdictOf(facts: CardFacts): Verdict {
  const { originals, reading, unread, leftOut, box, check, elapsed, wiped } = facts;
  const total = originals.length;
  if (total === 0 && reading === 0 && unread === 0 && leftOut.length === 0) return { say: 'nothing' };

  const held = originals.filter((original) => original.held !== null && original.receiptOf === null);
  const owed = originals.filter((original) => original.receiptOf === null && original.held === null);
  // A check of other originals, or of another life of the box, says nothing of these.
  const fits = check !== null && check.of === originalsKey(originals);
  const gone =
    fits && box !== null && check.nodeId === box.nodeId && check.storeEpoch === box.storeEpoch
      ? check.missing.length
      : 0;
  const firstHeld = held[0]?.held;
  const why: Missing[] = [
    ...(wiped ? [{ what: 'wiped' } as const] : []),
    ...(reading > 0 ? [{ what: 'reading', count: reading } as const] : []),
    ...(unread > 0 ? [{ what: 'unread', count: unread } as const] : []),
    ...(leftOut.length > 0 ? [{ what: 'left-out', files: leftOut } as const] : []),
    ...(firstHeld === undefined || firstHeld === null
      ? []
      : [{ what: 'held', count: held.length, reason: firstHeld } as const]),
    ...unsigned(owed),
    ...(gone > 0 ? [{ what: 'gone-from-box', count: gone } as const] : []),
  ];
  if (why.length > 0) return { say: 'keep', total, onBox: total - held.length - owed.length - gone, why };
  if (box === null)
    return {
      say: 'check-later',
      total,
      last: fits && check.missing.length === 0 ? { at: check.at, boxName: check.boxName } : null,
    };

  // A box that is not the one which gave the receipts is sent everything itself first.
  const others = originals.filter(({ receiptOf }) => receiptOf !== box.nodeId);
  if (others.length > 0) return { say: 'keep', total, onBox: total - others.length, why: unsigned(others) };
  const ofThisLife = fits && check.nodeId === box.nodeId && check.storeEpoch === box.storeEpoch;
  const isNow =
    ofThisLife && check.elapsed !== null && elapsed >= check.elapsed && elapsed - check.elapsed < CHECK_COUNTS_MS;
  if (!isNow || check.count !== total) return { say: 'check-now', total };
  return {
    say: 'safe',
    total,
    at: check.at,
    boxName: check.boxName,
    here: originals.filter(({ here }) => here).length,
  };
}

/** Originals for which the store that counts now has not signed: where they are all the same is told apart. */
function unsigned(originals: readonly Original[]): Missing[] {
  const ashore = originals.filter((original) => original.ashore).length;
  const aboard = originals.filter((original) => !original.ashore && original.receiptOf !== null).length;
  const nowhere = originals.length - ashore - aboard;
  return [
    ...(nowhere > 0 ? [{ what: 'no-receipt', count: nowhere } as const] : []),
    ...(aboard > 0 ? [{ what: 'other-box', count: aboard } as const] : []),
    ...(ashore > 0 ? [{ what: 'ashore-alone', count: ashore } as const] : []),
  ];
}

/** What a check is of: another photograph, or other bytes, is another key. Worked out once for the same list. */
export function originalsKey(originals: readonly Pick<Original, 'id' | 'sha256'>[]): string {
  const known = keys.get(originals);
  if (known !== undefined) return known;
  const key = originals
    .map(({ id, sha256 }) => `${id}:${sha256}`)
    .sort()
    .join(' ');
  keys.set(originals, key);
  return key;
}

const keys = new WeakMap<readonly Pick<Original, 'id' | 'sha256'>[], string>();
