import type { CoverClass, CoverShares } from '../cover';
import { COVER_CLASSES } from '../cover';
import { compareText } from './survey-estimate';

/** Answer of one method to a photograph. */
export interface MethodAnswer {
  /** Shares of the whole picture. */
  readonly shares: CoverShares;
  /** Time it took, ms (2§3 "timeTaken"); null if unknown. */
  readonly timeTaken: number | null;
}
/** Answers of a method by id of the photograph. */
type MethodAnswers = ReadonlyMap<string, MethodAnswer>;

/** Distance of a method from the experts, over the photographs that both saw. */
export interface MethodComparison {
  readonly photographs: number;
  /** Percentage points by class: mean difference, and root of the mean squared one. Positive bias: more than experts. */
  readonly byClass: Readonly<Record<CoverClass, { readonly bias: number; readonly error: number }>>;
  /** Mean share of a picture on which both agree, percent (1§3 "validations.matchPercent"). */
  readonly matchPercent: number;
  /** Mean time a photograph, ms; null if none is known. */
  readonly timeTaken: number | null;
  /** The experts' mean time on the same photographs. */
  readonly expertTimeTaken: number | null;
}

/** Experts, model and citizens compared by class (2§1 "Three methods are compared"). */
export interface AnswerComparison {
  /** Null if no photograph has answers of both the method and an expert. */
  readonly model: MethodComparison | null;
  readonly citizens: MethodComparison | null;
}

/** Compares model and citizens with the experts, each on the photographs that it shares with them. */
export function compareAnswers(expert: MethodAnswers, model: MethodAnswers, citizens: MethodAnswers): AnswerComparison {
  return { model: compareMethod(expert, model), citizens: compareMethod(expert, citizens) };
}

/**
 * Percent of a picture on which two answers agree: by class, the smaller of both shares. Where on the picture the classes
 * are is not compared.
 */
export function matchPercent(a: CoverShares, b: CoverShares): number {
  return (
    100 *
    Math.min(
      1,
      COVER_CLASSES.reduce((sum, name) => sum + Math.min(a[name], b[name]), 0),
    )
  );
}

function compareMethod(expert: MethodAnswers, method: MethodAnswers): MethodComparison | null {
  const pairs = [...expert]
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([imageId, truth]) => {
      const answer = method.get(imageId);
      return answer === undefined ? [] : [{ truth, answer }];
    });
  if (pairs.length === 0) return null;
  const compared = (name: CoverClass) => {
    const differences = pairs.map(({ truth, answer }) => 100 * (answer.shares[name] - truth.shares[name]));
    return { bias: mean(differences), error: Math.sqrt(mean(differences.map((difference) => difference ** 2))) };
  };
  return {
    photographs: pairs.length,
    byClass: {
      branching: compared('branching'),
      plating: compared('plating'),
      massive: compared('massive'),
      other: compared('other'),
      rubble: compared('rubble'),
      none: compared('none'),
      unknown: compared('unknown'),
    },
    matchPercent: mean(pairs.map(({ truth, answer }) => matchPercent(answer.shares, truth.shares))),
    timeTaken: meanKnown(pairs.map(({ answer }) => answer.timeTaken)),
    expertTimeTaken: meanKnown(pairs.map(({ truth }) => truth.timeTaken)),
  };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function meanKnown(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : mean(known);
}
