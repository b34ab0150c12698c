import type { CoverClass, CoverShares } from '../results/cover';
import { COVER_CLASSES } from '../results/cover';

/** Number of cover classes, and of answers that a place can have. */
export const CLASS_COUNT = COVER_CLASSES.length;

/** Record with a value for each class. */
export const shareRecord = (of: (cover: CoverClass, index: number) => number): CoverShares => ({
  branching: of('branching', 0),
  plating: of('plating', 1),
  massive: of('massive', 2),
  other: of('other', 3),
  rubble: of('rubble', 4),
  none: of('none', 5),
  unknown: of('unknown', 6),
});

/** Position of each class in COVER_CLASSES. */
export const CLASS_INDEX: Readonly<Record<CoverClass, number>> = shareRecord((_, index) => index);

/** Order of ids: by code units, the same on every machine. */
export const byId = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
