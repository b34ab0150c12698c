import type { WireError } from '../errors';
import type { SkippedFile } from './intake';

/** For how long a check against the box counts as "now", ms. After that it is made again, while the box is in reach. */
export const CHECK_COUNTS_MS = 10 * 60_000;

/** An original that this tablet read from a card for a survey. Photographs that other tablets added are of other cards. */
export interface CardOriginal {
  readonly id: string;
  readonly sha256: string;
  /** A receipt for record and bytes that counts: of the box that was asked, in its present life, accepted. Its node, or null. */
  readonly receiptNode: string | null;
  /** The cloud, in its present life, gave a receipt for record and bytes, whichever store is asked now. */
  readonly ashore: boolean;
  /** A person has to look at it. */
  readonly held: WireError | null;
  /** The copy on this tablet is whole, as far as is known. */
  readonly isOnTablet: boolean;
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
  readonly originals: readonly CardOriginal[];
  /** Files that a tab is reading now. */
  readonly reading: number;
  /** Files that were given and never read: a tab was closed or killed in the middle. */
  readonly unread: number;
  /** Files that were refused and that nobody has looked at. */
  readonly leftOut: readonly SkippedFile[];
  /** The box that answers now with its proof, in which life; null: none does. */
  readonly box: { readonly nodeId: string; readonly storeEpoch: string } | null;
  readonly check: CardCheck | null;
  /** `Clock.elapsed`. */
  readonly elapsed: number;
  /** This tablet's storage was found emptied: what had been added before is not known any more. */
  readonly wiped: boolean;
}

/** Why the card may not be wiped yet. */
export type WipeBlocker =
  | { readonly kind: 'reading'; readonly count: number }
  | { readonly kind: 'unread'; readonly count: number }
  | { readonly kind: 'left-out'; readonly files: readonly SkippedFile[] }
  | { readonly kind: 'held'; readonly count: number; readonly reason: WireError }
  | { readonly kind: 'no-receipt'; readonly count: number }
  /** The shore signed for them, and the box that answers now did not: it cannot be asked for them. */
  | { readonly kind: 'ashore-alone'; readonly count: number }
  /** Another box signed for them, and the one that answers now did not. */
  | { readonly kind: 'other-box'; readonly count: number }
  /** The box gave receipts and does not have them now. */
  | { readonly kind: 'gone-from-box'; readonly count: number }
  | { readonly kind: 'wiped' };

/** What is said of a camera card. Only `safe` lets a person wipe it. */
export type WipeVerdict =
  /** Nothing was added from a card here. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'keep'; readonly total: number; readonly onBox: number; readonly blockers: readonly WipeBlocker[] }
  /** All have receipts; the box was not asked again yet. */
  | { readonly kind: 'check-now'; readonly total: number }
  /** All have receipts and were there when the box was last asked; it cannot be asked now. */
  | {
      readonly kind: 'check-later';
      readonly total: number;
      readonly last: { readonly at: string; readonly boxName: string } | null;
    }
  | {
      readonly kind: 'safe';
      readonly total: number;
      readonly at: string;
      readonly boxName: string;
      readonly onTablet: number;
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
export function wipeVerdict(facts: CardFacts): WipeVerdict {
  const { originals, reading, unread, leftOut, box, check, elapsed, wiped } = facts;
  const total = originals.length;
  if (total === 0 && reading === 0 && unread === 0 && leftOut.length === 0) return { kind: 'nothing' };

  const held = originals.filter((original) => original.held !== null && original.receiptNode === null);
  const owed = originals.filter((original) => original.receiptNode === null && original.held === null);
  // A check of other originals, or of another life of the box, says nothing of these.
  const isSameOriginals = check !== null && check.of === originalsKey(originals);
  const goneFromBox =
    isSameOriginals && box !== null && check.nodeId === box.nodeId && check.storeEpoch === box.storeEpoch
      ? check.missing.length
      : 0;
  const firstHeld = held[0]?.held;
  const blockers: WipeBlocker[] = [
    ...(wiped ? [{ kind: 'wiped' } as const] : []),
    ...(reading > 0 ? [{ kind: 'reading', count: reading } as const] : []),
    ...(unread > 0 ? [{ kind: 'unread', count: unread } as const] : []),
    ...(leftOut.length > 0 ? [{ kind: 'left-out', files: leftOut } as const] : []),
    ...(firstHeld === undefined || firstHeld === null
      ? []
      : [{ kind: 'held', count: held.length, reason: firstHeld } as const]),
    ...missingReceipts(owed),
    ...(goneFromBox > 0 ? [{ kind: 'gone-from-box', count: goneFromBox } as const] : []),
  ];
  if (blockers.length > 0)
    return { kind: 'keep', total, onBox: total - held.length - owed.length - goneFromBox, blockers };
  if (box === null)
    return {
      kind: 'check-later',
      total,
      last: isSameOriginals && check.missing.length === 0 ? { at: check.at, boxName: check.boxName } : null,
    };

  // A box that is not the one which gave the receipts is sent everything itself first.
  const others = originals.filter(({ receiptNode }) => receiptNode !== box.nodeId);
  if (others.length > 0)
    return { kind: 'keep', total, onBox: total - others.length, blockers: missingReceipts(others) };
  const isSameEpoch = isSameOriginals && check.nodeId === box.nodeId && check.storeEpoch === box.storeEpoch;
  const isNow =
    isSameEpoch && check.elapsed !== null && elapsed >= check.elapsed && elapsed - check.elapsed < CHECK_COUNTS_MS;
  if (!isNow || check.count !== total) return { kind: 'check-now', total };
  return {
    kind: 'safe',
    total,
    at: check.at,
    boxName: check.boxName,
    onTablet: originals.filter(({ isOnTablet }) => isOnTablet).length,
  };
}

/** Originals for which the store that counts now has not signed: where they are all the same is told apart. */
function missingReceipts(originals: readonly CardOriginal[]): WipeBlocker[] {
  const ashore = originals.filter((original) => original.ashore).length;
  const aboard = originals.filter((original) => !original.ashore && original.receiptNode !== null).length;
  const nowhere = originals.length - ashore - aboard;
  return [
    ...(nowhere > 0 ? [{ kind: 'no-receipt', count: nowhere } as const] : []),
    ...(aboard > 0 ? [{ kind: 'other-box', count: aboard } as const] : []),
    ...(ashore > 0 ? [{ kind: 'ashore-alone', count: ashore } as const] : []),
  ];
}

/** What a check is of: another photograph, or other bytes, is another key. Worked out once for the same list. */
export function originalsKey(originals: readonly Pick<CardOriginal, 'id' | 'sha256'>[]): string {
  const cached = keyCache.get(originals);
  if (cached !== undefined) return cached;
  const key = originals
    .map(({ id, sha256 }) => `${id}:${sha256}`)
    .sort()
    .join(' ');
  keyCache.set(originals, key);
  return key;
}

const keyCache = new WeakMap<readonly Pick<CardOriginal, 'id' | 'sha256'>[], string>();
