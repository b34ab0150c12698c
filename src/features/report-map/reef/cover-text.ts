import { formatCount } from '../../../base/plural';
import {
  CERTAINTY_TEXT,
  certaintyOf,
  CLASS_LABELS,
  COVER_BANDS,
  coverBand,
  shownCover,
  type CoverBand,
} from '../../../domain/results/bands';
import type { CoralClass, CoverEstimate } from '../../../domain/results/cover';
import { PHOTOGRAPHS_MIN, type ReefResult } from '../../../domain/results/reef-result';
import { formatDay } from '../../../domain/survey/day';

/** 3§2 "Coral Cover Analysis": for a figure that is missing. */
export const NOT_AVAILABLE = 'Not available';

/** Short names of the classes, for pie and list (3§2). */
const SHORT_NAMES: Readonly<Record<CoralClass, string>> = {
  branching: 'Branching',
  plating: 'Plating',
  massive: 'Massive',
  other: 'Other coral',
};

/** `under 10%`, `10 to 30%`, `over 75%` */
export function bandRange({ from, until }: CoverBand): string {
  return from === 0 ? `under ${until}%` : until === 100 ? `over ${from}%` : `${from} to ${until}%`;
}

/** `Medium-high`; "Not available" without a cover. */
export function bandText(result: ReefResult | null): string {
  const covers = result?.covers ?? null;
  return covers === null ? NOT_AVAILABLE : bandOf(covers.totalCoralCover.value);
}

/** Band of a cover in percent: `Medium-high`. */
export function bandOf(cover: number): string {
  return COVER_BANDS[coverBand(cover)]?.label ?? NOT_AVAILABLE;
}

/** `34%`, or `under 1%` for what rounds to none of it. */
export function percentText(value: number): string {
  return value > 0 && value < 0.5 ? 'under 1%' : `${Math.round(value)}%`;
}

/** Cover of a reef beside its band: `34%`. */
export function coverText(value: number): string {
  return value > 0 && value < 0.5 ? percentText(value) : `${shownCover(value)}%`;
}

/** `28 to 41%` */
export function rangeText({ low, high }: Pick<CoverEstimate, 'low' | 'high'>): string {
  const [from, to] = [Math.round(low), Math.round(high)];
  return from === to ? `${from}%` : `${from} to ${to}%`;
}

/** Certainty of a cover in words: `Fairly certain: 95% likely between 28 and 41%`. */
export function certaintyText(estimate: CoverEstimate): string {
  const [low, high] = [Math.round(estimate.low), Math.round(estimate.high)];
  return `${CERTAINTY_TEXT[certaintyOf(estimate)]}: 95% likely between ${low} and ${high}%`;
}

/** Certainty of a result, or why it has no cover. */
export function resultText(result: ReefResult): string {
  if (result.covers !== null) return certaintyText(result.covers.totalCoralCover);
  if (result.photographs === 0)
    return 'No photograph of it counts yet: none is analysed, or those that are are bad or show too little';
  const missing = PHOTOGRAPHS_MIN - result.photographs;
  return missing > 0
    ? `${formatCount(missing, 'more analysed photograph')} ${missing === 1 ? 'is' : 'are'} needed for a cover`
    : 'Its photographs show too little for a cover';
}

export function dominantText({ dominantCoral }: Pick<ReefResult, 'dominantCoral'>): string {
  return dominantCoral === null ? NOT_AVAILABLE : SHORT_NAMES[dominantCoral];
}

export function lastSurveyedText({ lastSurveyed }: Pick<ReefResult, 'lastSurveyed'>): string {
  return lastSurveyed === null ? NOT_AVAILABLE : formatDay(lastSurveyed);
}

/** `214 photographs by 87 people in 7 surveys` */
export function basisText({
  photographs,
  analysts,
  surveys,
}: Pick<ReefResult, 'photographs' | 'analysts' | 'surveys'>): string {
  if (photographs === 0) return 'No photograph that counts';
  return `${formatCount(photographs, 'photograph')} by ${formatCount(analysts, 'person', 'people')} in ${formatCount(surveys, 'survey')}`;
}

/** `Release 2, skill 3, method 1`, or that the figure is preliminary. */
export function versionText({ versions: { release, skill, pipeline } }: Pick<ReefResult, 'versions'>): string {
  const of = `skill ${skill}, method ${pipeline}`;
  return release === null ? `Preliminary, ${of}` : `Release ${release}, ${of}`;
}

/** Shares of the pie, percent: classes in order, then no coral (3§9: "100 minus total coral cover"). */
export function pieShares(
  covers: NonNullable<ReefResult['covers']>,
): readonly { readonly key: CoralClass | 'none'; readonly name: string; readonly estimate: CoverEstimate }[] {
  const { branchingCoralCover, platingCoralCover, massiveCoralCover, otherCoralCover, totalCoralCover } = covers;
  return [
    { key: 'branching', name: SHORT_NAMES.branching, estimate: branchingCoralCover },
    { key: 'plating', name: SHORT_NAMES.plating, estimate: platingCoralCover },
    { key: 'massive', name: SHORT_NAMES.massive, estimate: massiveCoralCover },
    { key: 'other', name: SHORT_NAMES.other, estimate: otherCoralCover },
    {
      key: 'none',
      name: CLASS_LABELS.none,
      estimate: {
        value: 100 - totalCoralCover.value,
        low: 100 - totalCoralCover.high,
        high: 100 - totalCoralCover.low,
      },
    },
  ];
}
