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

/** Percentages of a form that were entered, with the classes' names of the region. */
export function formAnswers(
  form: NonNullable<AnswerOfPhotograph['form']>,
  regionId: string,
): readonly { readonly question: string; readonly answer: string }[] {
  if (form.isBadImage) return [{ question: 'Bad image', answer: 'Yes' }];
  const entered = expertCategories(regionId).flatMap(({ id, label }) =>
    (['live', 'dead'] as const).flatMap((state) => {
      const percent = form.percent[fieldName(id, state)];
      if (percent === undefined) return [];
      return [{ question: state === 'dead' ? `${label}, dead` : label, answer: percentText(percent) }];
    }),
  );
  return form.dominantCoral === '' ? entered : [...entered, { question: 'Dominant coral', answer: form.dominantCoral }];
}

/** `Analyst A`, for staff with the name. */
export function analystText({ analyst, name }: Pick<AnalystOfPhotograph, 'analyst' | 'name'>): string {
  return name === null ? `Analyst ${analyst}` : `Analyst ${analyst}: ${name}`;
}
