import type { CoverClass, CoverShares } from '../../../domain/results/cover';
import type { FormFields } from '../../../domain/analysis/free-draw/expert-form';
import type { FreeDrawStats } from '../../../domain/analysis/free-draw/stats';
import type { AnalysisContent } from '../analysis/types';
import type { ReportImage, ReportObservable } from './types';

/** Share of a reef's pie: a class, or all living coral. */
export type ShareClass = Exclude<CoverClass, 'unknown'> | 'total';

/** Share of a reef in a dataset. */
interface ReefShare {
  readonly featureId: string;
  readonly datasetId: string;
  readonly share: ShareClass;
}

/** Photograph that makes a share of a pie. */
export interface SharePhotograph {
  readonly image: ReportImage;
  readonly surveyName: string;
  /** Cover of the class in this photograph, 0..1 of what is known of it. */
  readonly share: number;
}

/** Place of a photograph on which its analysts leave doubt. */
export interface DoubtfulPlace {
  readonly id: string;
  /** Left, top, right, bottom, normalised by the picture. */
  readonly box: readonly [number, number, number, number];
  /** Probability of each class, 0..1. */
  readonly posterior: CoverShares;
  /** Answer by the letter of the analyst; null for none. */
  readonly answers: readonly { readonly analyst: string; readonly cover: CoverClass | null }[];
}

/** Analyst of a photograph: a letter, in an order of this photograph alone. */
export interface AnalystOfPhotograph {
  readonly analyst: string;
  /** For staff; null for everyone else, and without a profile. */
  readonly name: string | null;
  /** Reason that the answer counts in no cover; null if it counts. */
  readonly unread: string | null;
  /** Address of the answer on this photograph; null if it cannot be opened. */
  readonly answerId: string | null;
}

/** Answer of an analyst on a photograph, view only. */
export interface AnswerOfPhotograph extends Omit<AnalystOfPhotograph, 'answerId'> {
  readonly imageId: string;
  readonly answerId: string;
  /** Version of the analysis; null if unknown. */
  readonly version: number | null;
  /** Share of the picture that was marked, 0..1; null for a form, and if unknown. */
  readonly coverage: number | null;
  readonly content: AnalysisContent;
  /** Percentages of an expert; null for strokes and outlines. */
  readonly form: FormFields | null;
  /** Shares that were stored with strokes which cannot be shown; null for other contents, and without them. */
  readonly storedShares: FreeDrawStats['categories'] | null;
}

/** Consensus of a photograph with the answers behind it (2§1, 2§9). */
export interface ConsensusOfPhotograph {
  readonly imageId: string;
  /** Version of the skill. */
  readonly skill: number;
  readonly shares: CoverShares;
  /** Agreement of the analysts, 0..1. */
  readonly agreement: number;
  readonly isBad: boolean;
  readonly places: readonly DoubtfulPlace[];
  readonly analysts: readonly AnalystOfPhotograph[];
}

/** Address of an answer. */
interface AnswerPlace {
  readonly imageId: string;
  readonly answerId: string;
}

/**
 * Way from a figure to the answers behind it, for the signed-in: from the cloud, offline as stored on this tablet. A
 * failure yields what was stored, or an empty list, and its cause (3§8).
 */
export interface ReefDrillRepository {
  /** Photographs with most of the class first. */
  readonly sharePhotographs: (share: ReefShare) => ReportObservable<readonly SharePhotograph[]>;
  /** At most one: empty while no answer of the photograph counts, or the user may not see it. */
  readonly consensus: (imageId: string) => ReportObservable<readonly ConsensusOfPhotograph[]>;
  /** At most one: empty if the photograph has no such answer, or the user may not see it. */
  readonly answer: (place: AnswerPlace) => ReportObservable<readonly AnswerOfPhotograph[]>;
}
