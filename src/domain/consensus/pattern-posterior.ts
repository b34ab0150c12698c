import type { AnswerSheet } from './answer-sheet';
import { NO_ANSWER } from './answer-sheet';
import { CLASS_COUNT } from './shares';
import type { SkillModel } from './skill-model';
import { skillFor } from './skill-model';

/** Weight, in judgements, of how common classes are in general against what this photograph shows. */
const MIX_STRENGTH = 6;
/** Rounds in which the classes of a photograph and its patterns settle. */
const MIX_ROUNDS = 4;

/**
 * Weight of each pattern, in judgements: a place is one, large or small, and its patterns share it by area. So thousands
 * of pixels of one outline are one judgement, and small outlines tell as much of a person as large ones.
 */
export function patternWeights({ patterns, cells, places }: AnswerSheet): Float64Array {
  const areas = new Float64Array(places.length);
  for (const { place, area } of cells) areas[place] = (areas[place] ?? 0) + area;
  const weights = new Float64Array(patterns.length);
  for (const { place, pattern, area } of cells)
    if (area > 0) weights[pattern] = (weights[pattern] ?? 0) + area / (areas[place] ?? area);
  return weights;
}

/**
 * Turns the evidence of patterns of one photograph into probabilities of their classes. Patterns share a photograph's
 * mix of classes, which starts at the general one.
 *
 * @param evidence logarithms of the answers' probability by pattern and class; overwritten with the probabilities
 * @param from first pattern, `to` the one after the last
 * @param weights judgements of each pattern
 * @param classPrior general commonness of classes
 * @param fixed patterns whose probabilities are known already: they stay, and count in the mix
 * @returns the photograph's mix of classes
 */
export function settlePosteriors(
  evidence: Float64Array,
  from: number,
  to: number,
  weights: ArrayLike<number>,
  classPrior: ArrayLike<number>,
  fixed?: Uint8Array,
): Float64Array {
  const likelihood = evidence.slice(from * CLASS_COUNT, to * CLASS_COUNT);
  for (let pattern = from; pattern < to; pattern++)
    if (fixed?.[pattern] !== 1) scaleRow(likelihood, (pattern - from) * CLASS_COUNT);
  const mix = Float64Array.from(classPrior);
  for (let round = 0; round < MIX_ROUNDS; round++) {
    const counted = Float64Array.from(classPrior, (share) => share * MIX_STRENGTH);
    let total = MIX_STRENGTH;
    for (let pattern = from; pattern < to; pattern++) {
      const row = (pattern - from) * CLASS_COUNT;
      if (fixed?.[pattern] !== 1) {
        let sum = 0;
        for (let cover = 0; cover < CLASS_COUNT; cover++) sum += (likelihood[row + cover] ?? 0) * (mix[cover] ?? 0);
        for (let cover = 0; cover < CLASS_COUNT; cover++)
          evidence[pattern * CLASS_COUNT + cover] = ((likelihood[row + cover] ?? 0) * (mix[cover] ?? 0)) / sum;
      }
      const weight = weights[pattern] ?? 0;
      total += weight;
      for (let cover = 0; cover < CLASS_COUNT; cover++)
        counted[cover] = (counted[cover] ?? 0) + weight * (evidence[pattern * CLASS_COUNT + cover] ?? 0);
    }
    for (let cover = 0; cover < CLASS_COUNT; cover++) mix[cover] = (counted[cover] ?? 0) / total;
  }
  return mix;
}

/**
 * Probability of a class with the doubt that stays however clear the answers are: in that share of cases they say
 * nothing, and only the photograph's mix is known.
 */
export const withDoubt = (probability: number, common: number, doubt: number): number =>
  (1 - doubt) * probability + doubt * common;

/** Probabilities of logarithms, with 1 for the largest. */
function scaleRow(values: Float64Array, row: number): void {
  let most = -Infinity;
  for (let cover = 0; cover < CLASS_COUNT; cover++) most = Math.max(most, values[row + cover] ?? -Infinity);
  for (let cover = 0; cover < CLASS_COUNT; cover++) values[row + cover] = Math.exp((values[row + cover] ?? 0) - most);
}

/** Probability of each class by pattern of a sheet under a fixed skill: patterns × classes. */
export function patternPosteriors(sheet: AnswerSheet, skill: SkillModel): Float64Array {
  const confusions = sheet.analysts.map(
    (analyst, index) => skillFor(skill, analyst, sheet.isExpert[index] === true).confusion,
  );
  const evidence = new Float64Array(sheet.patterns.length * CLASS_COUNT);
  for (const [pattern, { answers }] of sheet.patterns.entries())
    for (const [analyst, answer] of answers.entries()) {
      if (answer === NO_ANSWER) continue;
      for (let cover = 0; cover < CLASS_COUNT; cover++) {
        const at = pattern * CLASS_COUNT + cover;
        const probability = confusions[analyst]?.[cover * CLASS_COUNT + answer] ?? 1 / CLASS_COUNT;
        evidence[at] = (evidence[at] ?? 0) + Math.log(probability) / skill.temperature;
      }
    }
  const mix = settlePosteriors(evidence, 0, sheet.patterns.length, patternWeights(sheet), skill.classPrior);
  return evidence.map((probability, at) => withDoubt(probability, mix[at % CLASS_COUNT] ?? 0, skill.doubt));
}
