import { isObject, type Json, type JsonObject } from '../json';
import type { ExperienceKey } from './survey';

/** Answer offered for every question. */
export const DONT_KNOW = 'I don’t know';

/**
 * Question of the survey experience (3§3 defines the keys; questions and answers are ours). Open if `answers` is
 * absent.
 */
export interface ExperienceQuestion {
  readonly key: ExperienceKey;
  readonly question: string;
  readonly help?: string;
  /** In order; {@link DONT_KNOW} is added. Answers are stored as these texts, so that every reader understands them. */
  readonly answers?: readonly string[];
}

/**
 * Questions in the order of a diver's memory: overall, water, coral, wildlife, damage. Coral shares use the bands of
 * the results (3§9: 10, 30, 50, 75%).
 */
export const EXPERIENCE_QUESTIONS: readonly ExperienceQuestion[] = [
  {
    key: 'overall',
    question: 'How did this reef look overall?',
    answers: ['Thriving', 'Good', 'Mixed', 'Struggling', 'Mostly dead'],
  },
  {
    key: 'water',
    question: 'What was the water like?',
    answers: ['Clear', 'A little murky', 'Murky', 'Green or brown'],
  },
  {
    key: 'coral',
    question: 'How much of the bottom was live coral?',
    answers: ['Under 10%', '10 to 30%', '30 to 50%', '50 to 75%', 'Over 75%'],
  },
  {
    key: 'colour',
    question: 'How colourful was the coral?',
    answers: ['Full of colour', 'Some colour', 'Mostly brown or green', 'Mostly pale'],
  },
  {
    key: 'wildlife',
    question: 'How much wildlife was there?',
    help: 'Fish, turtles, sharks, rays: anything that moves.',
    answers: ['Plenty', 'Some', 'Little', 'Almost none'],
  },
  {
    key: 'crownOfThorns',
    question: 'Crown-of-thorns starfish?',
    help: 'White feeding scars count as a sign.',
    answers: ['None seen', 'Feeding scars only', '1', '2 to 5', 'More than 5'],
  },
  {
    key: 'coralBleaching',
    question: 'Was coral bleached?',
    answers: ['None', 'A little, under 10%', 'Some, 10 to 30%', 'Much, 30 to 60%', 'Most, over 60%'],
  },
  {
    key: 'coralBleachingType',
    question: 'How did the bleached coral look?',
    answers: ['Pale', 'White', 'Glowing pink, blue or yellow', 'White with algae growing on it', 'A mix'],
  },
  {
    key: 'anythingElse',
    question: 'Anything else worth knowing?',
    help: 'Damage, rubbish, rare animals, trouble with the survey.',
  },
];

export function experienceAnswers(experience: unknown): Readonly<Partial<Record<ExperienceKey, string>>> {
  if (!isObject(experience)) return {};
  const answers: Partial<Record<ExperienceKey, string>> = {};
  for (const { key } of EXPERIENCE_QUESTIONS) {
    const list = experience[key];
    const first: unknown = Array.isArray(list) ? list[0] : undefined;
    if (typeof first === 'string' && first !== '') answers[key] = first;
    else if (typeof first === 'number' || typeof first === 'boolean') answers[key] = String(first);
  }
  return answers;
}

/** Questions to ask; the one about bleached coral only if bleaching was seen or it is already answered. */
export function askedQuestions(
  answers: Readonly<Partial<Record<ExperienceKey, string>>>,
): readonly ExperienceQuestion[] {
  const bleached = answers.coralBleaching;
  const isSeen = bleached !== undefined && bleached !== 'None' && bleached !== DONT_KNOW;
  return EXPERIENCE_QUESTIONS.filter(
    ({ key }) => key !== 'coralBleachingType' || isSeen || answers.coralBleachingType !== undefined,
  );
}

/**
 * Updates some answers: the first item of each list (3§3). Further items and unknown keys of other apps are retained.
 * An empty answer removes the list.
 */
export function withAnswers(
  experience: Json | undefined,
  changes: Readonly<Partial<Record<ExperienceKey, string>>>,
): JsonObject {
  const next: Record<string, Json> = isObject(experience) ? { ...experience } : {};
  for (const [key, answer] of Object.entries(changes)) {
    const before = next[key];
    const rest = Array.isArray(before) ? before.slice(1) : [];
    if (answer === '') delete next[key];
    else next[key] = [answer, ...rest];
  }
  return next;
}
