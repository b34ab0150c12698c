import { categoryType } from '../../../../domain/analysis/free-draw/categories';
import type { FreeDrawStats } from '../../../../domain/analysis/free-draw/stats';
import { ANALYSIS_LIMITS } from '../../../../domain/limits';
import { formatCover } from '../../canvas/cover';
import { typeName } from '../../learning/learning-text';

/** Facts of a saved analysis. */
interface SavedFacts {
  readonly stats: FreeDrawStats;
  /** Number of photographs this person has analysed, with this one; null if it was analysed before. */
  readonly own: number | null;
  /** Number of people who analysed this photograph, with this person; null if this tablet cannot know. */
  readonly readings: number | null;
}

const SHOWN_MAX = 2;
const WORDS = ['First', 'Second', 'Third', 'Fourth', 'Fifth'] as const;

/** "Your 3rd photograph. 93% sand, 6% branching coral. Second of five readings." */
export function savedText({ stats, own, readings }: SavedFacts): string {
  return [
    own === null ? null : `Your ${formatOrdinal(own)} photograph.`,
    coverText(stats),
    readings === null ? null : readingsText(readings),
  ]
    .filter((sentence) => sentence !== null)
    .join(' ');
}

/**
 * Readings of a census photograph, with this person's.
 *
 * @param analyses ashore when it was offered; undefined if the cloud did not say
 * @param isFirst this person had not analysed it then
 */
export function readingsAshore(analyses: number | undefined, isFirst: boolean): number | null {
  if (analyses === undefined) return null;
  return isFirst ? analyses + 1 : Math.max(analyses, 1);
}

function coverText({ categories }: FreeDrawStats): string | null {
  const byType = new Map<string, number>();
  for (const { id, coverage } of categories) byType.set(id, (byType.get(id) ?? 0) + coverage);
  const [flag] = [...byType.keys()].filter((id) => categoryType(id)?.flag === true);
  if (flag !== undefined) return `Marked as: ${categoryType(flag)?.label ?? flag}.`;
  const largest = [...byType].sort(([, one], [, two]) => two - one).slice(0, SHOWN_MAX);
  if (largest.length === 0) return null;
  return `${largest.map(([id, cover]) => `${formatCover(cover)} ${withinSentence(typeName(id))}`).join(', ')}.`;
}

const withinSentence = (name: string): string => `${name.charAt(0).toLowerCase()}${name.slice(1)}`;

function readingsText(count: number): string {
  const word = WORDS[count - 1];
  return word === undefined || count > ANALYSIS_LIMITS.analysesPerImage
    ? `${count} readings so far.`
    : `${word} of five readings.`;
}

/** "1st", "2nd", "3rd", "11th". */
function formatOrdinal(count: number): string {
  const suffix = { one: 'st', two: 'nd', few: 'rd', many: 'th', other: 'th', zero: 'th' };
  return `${count.toLocaleString('en')}${suffix[ORDINALS.select(count)]}`;
}

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' });
