import type { WireError } from '../errors';
import type { SkippedFile } from './intake';

/** Validity of a check against the box, ms. An older check is repeated while the box is reachable. */
export const CHECK_COUNTS_MS = 10 * 60_000;

/** Original that this tablet read from a card. Photographs added by other tablets belong to other cards. */
export interface CardOriginal {
  readonly id: string;
  readonly sha256: string;
  /**
   * Node of an accepted receipt for record and bytes, from the current epoch of the box that was asked; null if none.
   */
  readonly receiptNode: string | null;
  /** True if the cloud, in its current epoch, has receipted record and bytes. */
  readonly ashore: boolean;
  /** True if the box that had receipted its bytes lost them, and they are not ashore. */
  readonly isLostByBox: boolean;
  /** Reason that it is on hold. */
  readonly held: WireError | null;
  /** True if the copy on this tablet is known to be whole. */
  readonly isOnTablet: boolean;
}

/** Check of a box: asks for record and bytes of each original. */
export interface CardCheck {
  /** Box and epoch that were asked. */
  readonly nodeId: string;
  readonly storeEpoch: string;
  readonly boxName: string;
  /** `originalsKey` of the checked originals. */
  readonly of: string;
  readonly count: number;
  /** Originals that the box lacks or whose receipt is invalid. Empty: it has all. */
  readonly missing: readonly string[];
  /** ISO 8601 by this tablet's clock, for display. */
  readonly at: string;
  /**
   * Monotonic time (ms, `Clock.elapsed`); null for a check of an earlier start of the app or of a closed connection.
   */
  readonly elapsed: number | null;
}

export interface CardFacts {
  readonly originals: readonly CardOriginal[];
  /** Number of files being read in any tab. */
  readonly reading: number;
  /** Number of files never read because a tab was closed or killed. */
  readonly unread: number;
  /** Rejected files that no one has acknowledged. */
  readonly leftOut: readonly SkippedFile[];
  /** Box that answers now with its proof, and its epoch; null if none does. */
  readonly box: { readonly nodeId: string; readonly storeEpoch: string } | null;
  readonly check: CardCheck | null;
  /** `Clock.elapsed`. */
  readonly elapsed: number;
  /** True if this tablet's storage was found emptied: earlier additions are unknown. */
  readonly wiped: boolean;
}

/** Reason not to wipe the card. */
export type WipeBlocker =
  | { readonly kind: 'reading'; readonly count: number }
  | { readonly kind: 'unread'; readonly count: number }
  | { readonly kind: 'left-out'; readonly files: readonly SkippedFile[] }
  | { readonly kind: 'held'; readonly count: number; readonly reason: WireError }
  | { readonly kind: 'no-receipt'; readonly count: number }
  /** Receipted by the cloud but not by the box that answers, so the box cannot be asked for them. */
  | { readonly kind: 'ashore-alone'; readonly count: number }
  /** Receipted by another box, not by the one that answers. */
  | { readonly kind: 'other-box'; readonly count: number }
  /** Receipted by the box, but missing from it now. */
  | { readonly kind: 'gone-from-box'; readonly count: number }
  | { readonly kind: 'wiped' };

/** Check that found every original and is too old to count as now. */
interface EarlierCheck {
  readonly at: string;
  readonly boxName: string;
}

/** Verdict on a camera card. Only `safe` allows wiping it. */
export type WipeVerdict =
  /** Empty: no additions from a card. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'keep'; readonly total: number; readonly onBox: number; readonly blockers: readonly WipeBlocker[] }
  /** All have receipts; the box that answers has not been asked again. */
  | { readonly kind: 'check-now'; readonly total: number; readonly last: EarlierCheck | null }
  /** All have receipts; none that could be asked again is in reach. */
  | { readonly kind: 'check-later'; readonly total: number; readonly last: EarlierCheck | null }
  | {
      readonly kind: 'safe';
      readonly total: number;
      readonly at: string;
      readonly boxName: string;
      readonly onTablet: number;
    };

/**
 * Rule for "Safe to wipe the camera card" (screens: "said only when every original has a receipt from the box, checked
 * again now"). All of these must hold:
 *
 * - every file added to the survey on this tablet was read, in every tab, and no rejected file awaits acknowledgement;
 * - each original, removed ones included, has an accepted receipt for record and bytes from the current epoch of the
 * box that answers now;
 * - that box was asked for exactly these originals over the current connection, at most {@link CHECK_COUNTS_MS} ago by
 * a monotonic clock, and had all of them;
 * - this tablet's storage was not emptied, so no addition is forgotten.
 *
 * Otherwise the last result is shown with its time ("Safe as of 19:05"), and the card is not wiped until the box is
 * asked again.
 */
export function wipeVerdict(facts: CardFacts): WipeVerdict {
  const { originals, reading, unread, leftOut, box, check, elapsed, wiped } = facts;
  const total = originals.length;
  if (total === 0 && reading === 0 && unread === 0 && leftOut.length === 0) return { kind: 'nothing' };

  const held = originals.filter((original) => original.held !== null && original.receiptNode === null);
  const unheld = originals.filter((original) => original.receiptNode === null && original.held === null);
  const owed = unheld.filter(({ isLostByBox }) => !isLostByBox);
  // A check of other originals or another epoch proves nothing.
  const isSameOriginals = check !== null && check.of === originalsKey(originals);
  const foundMissing =
    isSameOriginals && box !== null && check.nodeId === box.nodeId && check.storeEpoch === box.storeEpoch
      ? check.missing
      : [];
  const reportedLost = unheld.flatMap(({ id, isLostByBox }) => (isLostByBox ? [id] : []));
  const goneFromBox = new Set([...foundMissing, ...reportedLost]).size;
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
  if (box === null) return { kind: 'check-later', total, last: isSameOriginals ? earlierCheck(check) : null };

  // A box that did not issue the receipts is first sent everything automatically.
  const others = originals.filter(({ receiptNode }) => receiptNode !== box.nodeId);
  if (others.length > 0)
    return { kind: 'keep', total, onBox: total - others.length, blockers: missingReceipts(others) };
  const isSameEpoch = isSameOriginals && check.nodeId === box.nodeId && check.storeEpoch === box.storeEpoch;
  const isNow =
    isSameEpoch && check.elapsed !== null && elapsed >= check.elapsed && elapsed - check.elapsed < CHECK_COUNTS_MS;
  if (!isNow || check.count !== total)
    return { kind: 'check-now', total, last: isSameEpoch ? earlierCheck(check) : null };
  return {
    kind: 'safe',
    total,
    at: check.at,
    boxName: check.boxName,
    onTablet: originals.filter(({ isOnTablet }) => isOnTablet).length,
  };
}

function earlierCheck({ at, boxName, missing }: CardCheck): EarlierCheck | null {
  return missing.length === 0 ? { at, boxName } : null;
}

/** Reasons for which a photograph may have no copy besides this tablet and the card. */
const ONE_COPY: readonly WipeBlocker['kind'][] = ['wiped', 'reading', 'unread', 'held', 'no-receipt', 'gone-from-box'];

/** Urgency of a card, 0 first: photographs with one copy, other reasons to keep it, not asked again, safe. */
export function verdictUrgency(verdict: WipeVerdict): 0 | 1 | 2 | 3 {
  switch (verdict.kind) {
    case 'keep':
      return verdict.blockers.some(({ kind }) => ONE_COPY.includes(kind)) ? 0 : 1;
    case 'check-now':
    case 'check-later':
      return 2;
    case 'safe':
    case 'nothing':
      return 3;
  }
}

/** Counts originals without a receipt from the effective store, by where they are instead. */
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

/** Key of a set of originals; any other photograph or hash changes it. Cached per list. */
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
