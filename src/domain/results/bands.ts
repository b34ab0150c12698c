import { REPORT_LIMITS } from '../limits/reporting';
import type { CoverClass, CoverEstimate } from './cover';

/** Band of a cover on report maps: both upper bands say High, in two colours. */
export interface CoverBand {
  readonly label: string;
  /** Percent; `until` belongs to the band above. */
  readonly from: number;
  readonly until: number;
}

const BAND_LABELS = { low: 'Low', medium: 'Medium', 'medium-high': 'Medium-high', high: 'High' } as const;

/** Bands of 3§9 "Coral cover result bands", from low to high. */
export const COVER_BANDS: readonly CoverBand[] = REPORT_LIMITS.coralCoverBands.map(({ id, until }, i, all) => ({
  label: BAND_LABELS[id],
  from: i === 0 ? 0 : (all[i - 1]?.until ?? 0),
  until: Math.min(100, until),
}));

/** Index in {@link COVER_BANDS} of a cover in percent; an edge belongs to the band above. */
export function coverBand(percent: number): number {
  return REPORT_LIMITS.coralCoverBands.findIndex(({ until }) => percent < until);
}

/** Cover in whole percent, or with one decimal where the whole percent would be of another band: 9.6, and not 10. */
export function shownCover(percent: number): number {
  const whole = Math.round(percent);
  return coverBand(whole) === coverBand(percent) ? whole : Math.floor(10 * percent) / 10;
}

/** Widest 95% interval of each certainty, percentage points (ours: the bands are 10 to 25 points wide). */
export const CERTAINTIES = [
  { id: 'high', until: 10 },
  { id: 'medium', until: 20 },
  { id: 'low', until: 40 },
  { id: 'very-low', until: Infinity },
] as const;
type Certainty = (typeof CERTAINTIES)[number]['id'];

/** Certainty in words. */
export const CERTAINTY_TEXT: Readonly<Record<Certainty, string>> = {
  high: 'Very certain',
  medium: 'Fairly certain',
  low: 'Uncertain',
  'very-low': 'Very uncertain',
};

/** Certainty of an estimate by the width of its interval; a width of exactly 10, 20 or 40 points is the surer one. */
export function certaintyOf({ low, high }: Pick<CoverEstimate, 'low' | 'high'>): Certainty {
  return CERTAINTIES.find(({ until }) => high - low <= until)?.id ?? 'very-low';
}

/** Names of the classes in reports (3§2 "Coral Cover Analysis"; 2§3 "massive (label Boulder coral)"). */
export const CLASS_LABELS: Readonly<Record<CoverClass, string>> = {
  branching: 'Branching coral',
  plating: 'Plating coral',
  massive: 'Massive (boulder) coral',
  other: 'Other coral',
  rubble: 'Coral rubble',
  none: 'No coral',
  unknown: 'Not known',
};
