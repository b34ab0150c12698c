import { formatCount } from '../../../base/plural';
import type {
  AnalystOfPhotograph,
  AnswerOfPhotograph,
  ConsensusOfPhotograph,
  DoubtfulPlace,
} from '../../../data/repositories';
import { expertCategories, fieldName } from '../../../domain/analysis/free-draw/expert-categories';
import { CLASS_LABELS } from '../../../domain/results/bands';
import { COVER_CLASSES, type CoverClass, type CoverShares } from '../../../domain/results/cover';
import { percentText } from '../../report-map';

/** Covers of a photograph, those of the picture less the unknown, largest first; classes without area are left out. */
export function coverRows(shares: CoverShares): readonly { readonly name: string; readonly percent: number }[] {
  const known = 1 - shares.unknown;
  if (known <= 0) return [];
  return COVER_CLASSES.filter((name) => name !== 'unknown' && shares[name] > 0)
    .map((name) => ({ name: CLASS_LABELS[name], percent: (100 * shares[name]) / known }))
    .toSorted((a, b) => b.percent - a.percent);
}

/** Agreement of the analysts in words: `5 people, who agree on 82% of the picture`. */
export function agreementText({ analysts, agreement }: Pick<ConsensusOfPhotograph, 'analysts' | 'agreement'>): string {
  const counted = analysts.filter(({ unread }) => unread === null).length;
  if (counted < 2) return `${formatCount(counted, 'person', 'people')}; agreement needs two`;
  return `${counted} people, who agree on ${percentText(100 * agreement)} of the picture`;
}

/** Likeliest class of a place in doubt: `Plating coral, 61% likely`. */
export function placeText({ posterior }: Pick<DoubtfulPlace, 'posterior'>): string {
  const likeliest = COVER_CLASSES.reduce<CoverClass>(
    (best, name) => (posterior[name] > posterior[best] ? name : best),
    'branching',
  );
  return `${CLASS_LABELS[likeliest]}, ${percentText(100 * posterior[likeliest])} likely`;
}

/** Answers at a place: `A Plating coral, B no answer`. */
export function answersText({ answers }: Pick<DoubtfulPlace, 'answers'>): string {
  return answers
    .map(({ analyst, cover }) => `${analyst} ${cover === null ? 'no answer' : CLASS_LABELS[cover]}`)
    .join(', ');
}

interface AnsweredQuestion {
  readonly question: string;
  readonly answer: string;
}

/**
 * All that was entered in a form, with the classes' names of the region. Categories that the region's form does not have,
 * such as those of an older one, keep the name of their field.
 */
export function formAnswers(
  { percent, dominantCoral, isBadImage }: NonNullable<AnswerOfPhotograph['form']>,
  regionId: string,
): readonly AnsweredQuestion[] {
  const names = new Map(
    expertCategories(regionId).flatMap(({ id, label }) => [
      [fieldName(id, 'live'), label] as const,
      [fieldName(id, 'dead'), `${label}, dead`] as const,
    ]),
  );
  const fields = [...names.keys()].filter((field) => field in percent);
  const others = Object.keys(percent).filter((field) => !names.has(field));
  const answers = [
    ...(isBadImage ? [{ question: 'Bad image', answer: 'Yes' }] : []),
    ...[...fields, ...others].map((field) => ({
      question: names.get(field) ?? field,
      answer: percentText(percent[field] ?? 0),
    })),
    ...(dominantCoral === '' ? [] : [{ question: 'Dominant coral', answer: dominantCoral }]),
  ];
  return answers.length === 0 ? [{ question: 'Percentages', answer: 'None entered' }] : answers;
}

/** Shares that were stored with strokes, largest first. */
export function storedShareAnswers(
  shares: NonNullable<AnswerOfPhotograph['storedShares']>,
): readonly AnsweredQuestion[] {
  return shares
    .toSorted((a, b) => b.coverage - a.coverage)
    .map(({ label, mod, coverage }) => ({
      question: mod === undefined || mod === 'live' ? label : `${label}, ${mod}`,
      answer: percentText(100 * coverage),
    }));
}

/** Says what is shown of an answer without strokes; null if it has some, or nothing beside them. */
export function withoutStrokesText({
  content,
  form,
  storedShares,
}: Pick<AnswerOfPhotograph, 'content' | 'form' | 'storedShares'>): {
  readonly title: string;
  readonly text: string;
} | null {
  if (content.kind === 'free-draw' && form !== null && content.marks.length === 0)
    return {
      title: 'Answered in percentages',
      text: 'Nothing was painted on this photograph. What was entered is below.',
    };
  if (storedShares !== null && storedShares.length > 0)
    return {
      title: 'Shares without strokes',
      text: 'The shares below were stored with this analysis. Its strokes cannot be shown.',
    };
  return null;
}

/** `Analyst A`, for staff with the name. */
export function analystText({ analyst, name }: Pick<AnalystOfPhotograph, 'analyst' | 'name'>): string {
  return name === null ? `Analyst ${analyst}` : `Analyst ${analyst}: ${name}`;
}
