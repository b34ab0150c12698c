import { isObject, type Json, type JsonObject } from '../json';
import type { ExperienceKey } from './survey';

/** Always offered, and a good answer. */
export const DONT_KNOW = 'I don’t know';

/** A question of the survey experience (3§3 names the keys; questions and answers are ours). Without `answers` it is open. */
export interface ExperienceQuestion {
  readonly key: ExperienceKey;
  readonly question: string;
  readonly help?: string;
  /** In order; {@link DONT_KNOW} is offered beside them. An answer is kept in these words, so that every reader understands it. */
  readonly answers?: readonly string[];
}

/**
 * The questions in the order a diver remembers a dive: the whole, the water, the coral, what lived there, what harmed it. The
 * shares of coral are the bands of the results (3§9: 10, 30, 50, 75%).
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

/** The answers as a document holds them: the first item of each list, as text. */
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

/** The questions that are asked: how bleached coral looked only where some was seen, or an answer to it stands. */
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
 * The experience with some answers changed: the first item of each list (3§3); what another app put behind it stays, and so
 * do keys that nobody here knows. An empty answer takes the key's list away.
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
