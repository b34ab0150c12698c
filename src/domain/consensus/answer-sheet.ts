import type { CoverShares } from '../results/cover';

/** Index into COVER_CLASSES, or {@link NO_ANSWER}. */
type AnswerIndex = number;
/** Value for a place without an answer. */
export const NO_ANSWER = -1;

/** Place of a photograph with one judgement: an outline, or a tile of the common grid. */
export type SheetPlace =
  | { readonly kind: 'outline'; readonly id: string; readonly box: PlaceBox }
  | { readonly kind: 'tile'; readonly id: string; readonly box: PlaceBox }
  /** Area that no outline covers, where analysts filled it. */
  | { readonly kind: 'rest'; readonly id: string; readonly box: PlaceBox };

/** Left, top, right, bottom, normalised 0 to 1 by width and height. */
export type PlaceBox = readonly [left: number, top: number, right: number, bottom: number];

/** Equal answers of all analysts, with the summed area of the pixels where they were given. */
export interface AnswerPattern {
  /** One per analyst of the sheet, in its order. */
  readonly answers: readonly AnswerIndex[];
  /** Fraction of the picture, 0 to 1. */
  readonly area: number;
}

/** Part of a place where one pattern was given. */
export interface SheetCell {
  /** Index into `places`. */
  readonly place: number;
  /** Index into `patterns`. */
  readonly pattern: number;
  /** Fraction of the picture. */
  readonly area: number;
}

/**
 * All answers on one photograph in the form that is counted: plain JSON, the same in any order of arrival. Made by
 * `answerSheet` of `src/imaging/consensus`.
 */
export interface AnswerSheet {
  /** Sorted ids of all analysts whose analysis counts, also of those who call the photograph bad. */
  readonly analysts: readonly string[];
  /** By analyst: their answers are known truth for skill. */
  readonly isExpert: readonly boolean[];
  /** By analyst: calls the photograph bad. */
  readonly saysBad: readonly boolean[];
  readonly places: readonly SheetPlace[];
  readonly patterns: readonly AnswerPattern[];
  readonly cells: readonly SheetCell[];
  /** Area without an answer, fractions of the picture: no coral if no one outlined it, unknown if no one painted it. */
  readonly unanswered: { readonly none: number; readonly unknown: number };
  /** Typed percentages, by index of the analyst. */
  readonly compositions: readonly { readonly analyst: number; readonly shares: CoverShares }[];
}
