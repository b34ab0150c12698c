import type { CoverClass, CoverShares } from '../results/cover';
import { COVER_CLASSES } from '../results/cover';
import type { PhotographFigure } from '../results/photograph-figure';
import type { AnswerSheet, PlaceBox, SheetPlace } from './answer-sheet';
import { NO_ANSWER } from './answer-sheet';
import { badProbability } from './bad-votes';
import { withCompositions } from './compositions';
import { patternPosteriors } from './pattern-posterior';
import { CLASS_COUNT, CLASS_INDEX, shareRecord } from './shares';
import type { SkillModel } from './skill-model';

/** Answer of one analyst at a place: the class of most of its area; null for none. */
interface PlaceAnswer {
  readonly analyst: string;
  readonly cover: CoverClass | null;
}

/** Place whose class is in doubt after all answers. */
interface UncertainPlace {
  readonly kind: SheetPlace['kind'];
  /** Id of the outline, or `<column>-<row>` of the tile. */
  readonly id: string;
  readonly box: PlaceBox;
  /** Fraction of the picture, 0 to 1, that at least one analyst named. */
  readonly area: number;
  /** Probability of each class; the sum is 1. */
  readonly posterior: CoverShares;
  /** In the order of the analysts' ids. */
  readonly answers: readonly PlaceAnswer[];
}

/** Consensus of a photograph: its figure, with what a person needs to follow it to the answers. */
export interface PhotographConsensus extends Omit<PhotographFigure, 'imageId' | 'surveyId'> {
  /** Version of the skill. */
  readonly skillVersion: number;
  /** Probability that the photograph is bad, 0 to 1; `isBad` above a half. */
  readonly badProbability: number;
  /** Uncertain places, those with most doubtful area first. */
  readonly places: readonly UncertainPlace[];
}

/** A place is uncertain if its likeliest class is less probable than this. */
const CERTAIN = 0.8;
/** Most uncertain places of a photograph. */
const PLACES_MAX = 24;

/**
 * Consensus of a photograph under a fixed skill: no other photograph is needed, so that one new analysis touches one
 * photograph. Pure; the same bytes for the same answers.
 *
 * @param sheet from `answerSheet` of `src/imaging/consensus`
 */
export function photographConsensus(sheet: AnswerSheet, skill: SkillModel): PhotographConsensus {
  const posteriors = patternPosteriors(sheet, skill);
  const at = (pattern: number, cover: number): number => posteriors[pattern * CLASS_COUNT + cover] ?? 0;
  const means = new Float64Array(CLASS_COUNT);
  const variances = new Float64Array(CLASS_COUNT);
  means[CLASS_INDEX.none] = sheet.unanswered.none;
  means[CLASS_INDEX.unknown] = sheet.unanswered.unknown;
  for (const { pattern, area } of sheet.cells)
    for (let cover = 0; cover < CLASS_COUNT; cover++) {
      const p = at(pattern, cover);
      means[cover] = (means[cover] ?? 0) + area * p;
      variances[cover] = (variances[cover] ?? 0) + area * area * p * (1 - p);
    }
  const combined = withCompositions({ means, variances }, sheet, skill);
  const bad = badProbability(sheet, skill);
  return {
    skillVersion: skill.version,
    shares: shareRecord((_, index) => combined.means[index] ?? 0),
    variances: shareRecord((_, index) => combined.variances[index] ?? 0),
    analysts: sheet.analysts,
    isBad: bad > 0.5,
    badProbability: bad,
    agreement: agreementOf(sheet),
    places: uncertainPlaces(sheet, at),
  };
}

/** Share of pairs of analysts who agree, weighted by area; 1 where no two answered. */
function agreementOf({ patterns }: AnswerSheet): number {
  let [agreed, total] = [0, 0];
  for (const { answers, area } of patterns) {
    const counts = new Float64Array(CLASS_COUNT);
    let answered = 0;
    for (const answer of answers) {
      if (answer === NO_ANSWER) continue;
      counts[answer] = (counts[answer] ?? 0) + 1;
      answered++;
    }
    if (answered < 2) continue;
    const equal = counts.reduce((sum, count) => sum + count * (count - 1), 0);
    agreed += (area * equal) / (answered * (answered - 1));
    total += area;
  }
  return total === 0 ? 1 : Math.min(1, agreed / total);
}

function uncertainPlaces(
  sheet: AnswerSheet,
  at: (pattern: number, cover: number) => number,
): readonly UncertainPlace[] {
  const areas = new Float64Array(sheet.places.length);
  const sums = new Float64Array(sheet.places.length * CLASS_COUNT);
  for (const { place, pattern, area } of sheet.cells) {
    areas[place] = (areas[place] ?? 0) + area;
    for (let cover = 0; cover < CLASS_COUNT; cover++)
      sums[place * CLASS_COUNT + cover] = (sums[place * CLASS_COUNT + cover] ?? 0) + area * at(pattern, cover);
  }
  const doubts = sheet.places.map((_, place) => {
    const top = Math.max(...sums.subarray(place * CLASS_COUNT, (place + 1) * CLASS_COUNT));
    return { place, doubt: (areas[place] ?? 0) - top, isUncertain: top < CERTAIN * (areas[place] ?? 0) };
  });
  return doubts
    .filter(({ isUncertain }) => isUncertain)
    .sort((one, other) => other.doubt - one.doubt || one.place - other.place)
    .slice(0, PLACES_MAX)
    .map(({ place }) => uncertainPlace(sheet, place, areas[place] ?? 0, sums));
}

function uncertainPlace(sheet: AnswerSheet, place: number, area: number, sums: Float64Array): UncertainPlace {
  const { kind, id, box } = sheet.places[place] ?? { kind: 'tile', id: '', box: [0, 0, 1, 1] };
  const cells = sheet.cells.filter((cell) => cell.place === place);
  return {
    kind,
    id,
    box,
    area,
    posterior: shareRecord((_, index) => (sums[place * CLASS_COUNT + index] ?? 0) / area),
    answers: sheet.analysts.map((analyst, index) => {
      const named = new Float64Array(CLASS_COUNT);
      for (const { pattern, area: part } of cells) {
        const answer = sheet.patterns[pattern]?.answers[index] ?? NO_ANSWER;
        if (answer !== NO_ANSWER) named[answer] = (named[answer] ?? 0) + part;
      }
      const most = Math.max(...named);
      return { analyst, cover: most > 0 ? (COVER_CLASSES[named.indexOf(most)] ?? null) : null };
    }),
  };
}
