import { NO_ANSWER } from './answer-sheet';
import { patternWeights } from './pattern-posterior';
import { byId, CLASS_COUNT } from './shares';
import type { SkillPhotograph } from './skill-model';

/** Patterns of all photographs in flat arrays, photographs and analysts in the order of their ids. */
export interface PatternTable {
  /** Ids of all who are not experts. */
  readonly analysts: readonly string[];
  /** First pattern of each photograph, and their number at the end. */
  readonly photographs: Int32Array;
  /** Judgements of each pattern, less where the photograph is probably bad. */
  readonly weights: Float64Array;
  /** First answer of each pattern, and their number at the end. */
  readonly patterns: Int32Array;
  /** Analyst and class of each answer that is not an expert's. */
  readonly answerAnalysts: Int32Array;
  readonly answerClasses: Uint8Array;
  /** 1 for patterns that an expert has named, with the shares of the experts by class in `truth`. */
  readonly isKnown: Uint8Array;
  readonly truth: Float64Array;
}

/** @param bad probability that each photograph is bad, by id */
export function patternTable(photographs: readonly SkillPhotograph[], bad: ReadonlyMap<string, number>): PatternTable {
  const sorted = [...photographs].sort((one, other) => byId(one.imageId, other.imageId));
  const names = new Set<string>();
  for (const { sheet } of sorted)
    for (const [index, id] of sheet.analysts.entries()) if (sheet.isExpert[index] !== true) names.add(id);
  const analysts = [...names].sort(byId);
  const indexes = new Map(analysts.map((id, index) => [id, index]));
  const starts: number[] = [0];
  const patterns: number[] = [0];
  const weights: number[] = [];
  const answerAnalysts: number[] = [];
  const answerClasses: number[] = [];
  const known: number[] = [];
  const truth: number[] = [];
  for (const { imageId, sheet } of sorted) {
    const good = 1 - (bad.get(imageId) ?? 0);
    const judgements = patternWeights(sheet);
    for (const [pattern, { answers }] of sheet.patterns.entries()) {
      const votes = new Array<number>(CLASS_COUNT).fill(0);
      let experts = 0;
      for (const [index, answer] of answers.entries()) {
        if (answer === NO_ANSWER) continue;
        const analyst = sheet.isExpert[index] === true ? undefined : indexes.get(sheet.analysts[index] ?? '');
        if (analyst === undefined) {
          votes[answer] = (votes[answer] ?? 0) + 1;
          experts++;
        } else {
          answerAnalysts.push(analyst);
          answerClasses.push(answer);
        }
      }
      weights.push((judgements[pattern] ?? 0) * good);
      patterns.push(answerAnalysts.length);
      known.push(experts > 0 ? 1 : 0);
      truth.push(...votes.map((count) => (experts > 0 ? count / experts : 0)));
    }
    starts.push(weights.length);
  }
  return {
    analysts,
    photographs: Int32Array.from(starts),
    weights: Float64Array.from(weights),
    patterns: Int32Array.from(patterns),
    answerAnalysts: Int32Array.from(answerAnalysts),
    answerClasses: Uint8Array.from(answerClasses),
    isKnown: Uint8Array.from(known),
    truth: Float64Array.from(truth),
  };
}
