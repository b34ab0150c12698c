/**
 * Classes of a cover. `unknown` is what no one painted or could identify (water, shade): a cover is a class's share of
 * the picture less the unknown.
 */
export const COVER_CLASSES = ['branching', 'plating', 'massive', 'other', 'rubble', 'none', 'unknown'] as const;
export type CoverClass = (typeof COVER_CLASSES)[number];

/** Classes of living coral, in the order of the report (3§2 "Coral Cover Analysis"). */
export const CORAL_CLASSES = ['branching', 'plating', 'massive', 'other'] as const satisfies readonly CoverClass[];
export type CoralClass = (typeof CORAL_CLASSES)[number];

/** Share of a picture's area by class, 0..1; the sum is 1. */
export type CoverShares = Readonly<Record<CoverClass, number>>;

/** Published estimate with its 95% interval, percent 0..100. */
export interface CoverEstimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}
