import { categoryType } from '../../../domain/analysis/free-draw/categories';
import type { Demo, DemoMatch, ExpectedCover, MatchedType } from '../../../domain/analysis/free-draw/demos';
import { ADVANCED_MODE, TRAINING_MODE } from '../../../domain/analysis/free-draw/modes';

interface FeedbackLine {
  readonly verdict: 'met' | 'over' | 'under';
  readonly text: string;
}

/** Name of a type within a sentence: "Boulder" alone is not clear. */
export function typeName(id: string): string {
  const type = categoryType(id);
  if (type === undefined) return id;
  return type.path.includes('Hard coral') && !type.label.includes('coral') ? `${type.label} coral` : type.label;
}

const toPercent = (fraction: number): number => Math.round(fraction * 100);

/** "14%", or "12 to 14%" for a range. */
export function formatExpected(expected: ExpectedCover): string {
  if (typeof expected === 'number') return `${toPercent(expected)}%`;
  const [low, high] = expected.map(toPercent);
  return low === high ? `${low}%` : `${low} to ${high}%`;
}

function typeFeedback({ id, painted, expected, verdict }: MatchedType): string {
  const name = typeName(id);
  const of = formatExpected(expected);
  switch (verdict) {
    case 'met':
      return `${name}: ${toPercent(painted)}% painted, ${of} expected. That is right.`;
    case 'under':
      return painted === 0
        ? `${name}: nothing painted yet, ${of} expected.`
        : `${name}: ${toPercent(painted)}% painted, ${of} expected. Paint more.`;
    case 'over':
      return `${name}: ${toPercent(painted)}% painted, ${of} expected. That is too much: erase what is something else.`;
  }
}

/** Short feedback for one of several types, so that all lines fit on screen. */
function shortFeedback({ id, painted, expected, verdict }: MatchedType): string {
  return `${typeName(id)}: ${toPercent(painted)}% of ${formatExpected(expected)}. ${verdict === 'met' ? 'Right.' : verdict === 'over' ? 'Erase some.' : 'Paint more.'}`;
}

/**
 * Feedback lines: first the types of the demo, then the whole picture if the types do not explain the result.
 * @param demo the demo that was matched
 */
export function feedback({ types, whole: all }: DemoMatch, { ratio }: Pick<Demo, 'ratio'>): readonly FeedbackLine[] {
  const lines: FeedbackLine[] = types.map((type) => ({
    verdict: type.verdict,
    text: types.length === 1 ? typeFeedback(type) : shortFeedback(type),
  }));
  const others = all.painted - types.reduce((sum, { painted }) => sum + painted, 0);
  if (all.verdict === 'over' && toPercent(others) > 0)
    lines.push({
      verdict: 'over',
      text: `Other categories: ${toPercent(others)}% painted, but none are expected here. Erase them.`,
    });
  if (all.verdict === 'under' && ratio === 1 && types.every(({ verdict }) => verdict === 'met')) {
    lines.push({
      verdict: 'under',
      text: `In total ${Math.floor(all.painted * 100)}% is painted. A picture counts as complete from 95%. Choose what is left and use Fill rest.`,
    });
  }
  return lines;
}

export function modeName(mode: number): string {
  return mode <= TRAINING_MODE ? 'Training' : mode >= ADVANCED_MODE ? 'Advanced' : `Level ${mode} of 3`;
}

/** "Branching coral, Plating coral and 3 more". @param most number of names shown */
export function formatNames(ids: readonly string[], most = 5): string {
  const names = ids.map(typeName);
  if (names.length <= 1) return names.join('');
  if (names.length <= most) return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
}
