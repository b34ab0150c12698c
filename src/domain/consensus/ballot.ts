import type { FreeDrawMark } from '../analysis/free-draw/marks';
import type { Outline } from '../analysis/labelling/outline';
import type { CoverClass, CoverShares } from '../results/cover';

/** px */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Outline with the class of its label. */
export interface LabelledOutline extends Pick<Outline, 'id' | 'rings' | 'area'> {
  /** null: without a label. */
  readonly cover: CoverClass | null;
}

/** Answer of an analyst on the cover of a photograph. */
export type BallotAnswer =
  /** Labels of outlines. What no outline covers has the class of the fill, or no answer. */
  | { readonly kind: 'outlines'; readonly outlines: readonly LabelledOutline[]; readonly fill: CoverClass | null }
  /** Marks painted by hand, in order of time, on a raster of this pen width relative to the picture's width. */
  | { readonly kind: 'marks'; readonly marks: readonly FreeDrawMark[]; readonly penShare: number }
  /** Typed percentages as shares of the whole picture: no places. */
  | { readonly kind: 'shares'; readonly shares: CoverShares }
  /** The photograph cannot be used (2§3 "badimage", flags, the switch of the form). */
  | { readonly kind: 'bad' };

/** One analysis of a photograph as it counts in the consensus. */
export interface Ballot {
  readonly kind: 'ballot';
  /** Id of the analysis; of a model its directory. */
  readonly analysisId: string;
  /** Id of the person, or {@link MODEL_ANALYST}. */
  readonly analyst: string;
  /** By the record: answers of experts are known truth when skill is estimated. */
  readonly isExpert: boolean;
  /** Version of the record; null for a model. */
  readonly version: number | null;
  /** Size of the picture that was analysed, px; null for percentages and some flags. */
  readonly size: PictureSize | null;
  readonly answer: BallotAnswer;
  /** Parts of the record that do not count, each with the reason; the other parts do. */
  readonly ignored: readonly string[];
}

/** Analysis that cannot be counted. It stays stored; the others of the photograph count. */
export interface UnreadableBallot {
  readonly kind: 'unreadable';
  readonly analysisId: string;
  readonly analyst: string;
  /** Sentence part such as "its version 9 is unknown". */
  readonly reason: string;
}

/** Analyst of a model's own labels. */
export const MODEL_ANALYST = 'model';

/** Answer of a record, or the reason why it cannot be read. */
export type ReadAnswer =
  | {
      readonly kind: 'answer';
      readonly answer: BallotAnswer;
      readonly size: PictureSize | null;
      readonly ignored: readonly string[];
    }
  | { readonly kind: 'unreadable'; readonly reason: string };
