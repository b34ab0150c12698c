import { categoryType } from '../../../domain/analysis/free-draw/categories';
import {
  targetShare,
  toleranceOf,
  type Demo,
  type DemoMatch,
  type ExpectedCover,
  type MatchedType,
} from '../../../domain/analysis/free-draw/demos';
import { ADVANCED_MODE, TRAINING_MODE } from '../../../domain/analysis/free-draw/modes';
import { formatCover } from '../canvas/cover';

interface FeedbackLine {
  readonly verdict: MatchedType['verdict'];
  readonly text: string;
}

/** Name of a type within a sentence: "Boulder" alone is not clear. */
export function typeName(id: string): string {
  const type = categoryType(id);
  if (type === undefined) return id;
  return type.path.includes('Hard coral') && !type.label.includes('coral') ? `${type.label} coral` : type.label;
}

/** Whole percentages that match: "10 to 19%". */
export function formatExpected(expected: ExpectedCover): string {
  const [target, tolerance] = [targetShare(expected), toleranceOf(expected)];
  const low = Math.max(0, Math.ceil((target - tolerance) * 100 - 1e-9));
  return `${low} to ${highestPercent(expected)}%`;
}

const highestPercent = (expected: ExpectedCover): number =>
  Math.floor((targetShare(expected) + toleranceOf(expected)) * 100 + 1e-9);

/** Share as in the list of classes; with a decimal where a whole number would read as within the range. */
const formatPainted = ({ painted, expected, verdict }: MatchedType): string =>
  verdict === 'over' && painted * 100 < highestPercent(expected) + 1
    ? `${Math.max(highestPercent(expected) + 0.1, painted * 100).toFixed(1)}%`
    : formatCover(painted);

/** From this share on, what is painted is on the true area, and the rest of that area is missing. */
const MOSTLY = 0.75;

function typeFeedback(type: MatchedType): string {
  const { id, painted, expected, verdict, onTrue } = type;
  const name = typeName(id);
  const of = formatExpected(expected);
  switch (verdict) {
    case 'met':
      return `${name}: ${formatPainted(type)} painted, in the right place.`;
    case 'under':
      return painted === 0
        ? `${name}: nothing painted yet, ${of} is right.`
        : `${name}: ${formatPainted(type)} painted, ${of} is right. Paint more.`;
    case 'over':
      return `${name}: ${formatPainted(type)} painted, ${of} is right. That is too much: erase what is something else.`;
    case 'elsewhere':
      return onTrue < MOSTLY
        ? `${name}: enough is painted, but only ${formatCover(onTrue)} of it is in the right place. Paint within the outline.`
        : `${name}: enough is painted, but much within the outline is not.`;
  }
}

const SHORT_ADVICE = {
  met: 'Right.',
  over: 'Erase some.',
  under: 'Paint more.',
  elsewhere: 'Wrong place: paint within the outline.',
} as const;

/** Short feedback for one of several types, so that all lines fit on screen. */
function shortFeedback(type: MatchedType): string {
  const { id, expected, verdict } = type;
  return `${typeName(id)}: ${formatPainted(type)}${verdict === 'over' || verdict === 'under' ? `, ${formatExpected(expected)} is right` : ''}. ${SHORT_ADVICE[verdict]}`;
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
  if (all.verdict === 'over' && others >= 0.005)
    lines.push({
      verdict: 'over',
      text: `Other categories: ${formatCover(others)} painted, but none are expected here. Erase them.`,
    });
  if (all.verdict === 'under' && ratio === 1 && types.every(({ verdict }) => verdict === 'met')) {
    lines.push({
      verdict: 'under',
      text: `In total ${formatCover(all.painted)} is painted. A picture counts as complete from 95%. Choose what is left and use Fill rest.`,
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
