import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { categoryClass } from '../../../../src/domain/analysis/free-draw/categories';
import type { Ballot } from '../../../../src/domain/consensus/ballot';
import { photographConsensus } from '../../../../src/domain/consensus/photograph-consensus';
import { readBallot } from '../../../../src/domain/consensus/read-ballot';
import { estimateSkill } from '../../../../src/domain/consensus/skill';
import type { JsonObject } from '../../../../src/domain/json';
import type { PhotographFigure } from '../../../../src/domain/results/photograph-figure';
import { datasetEstimate } from '../../../../src/domain/results/estimates/dataset-estimate';
import { pooledSpread } from '../../../../src/domain/results/estimates/pooled-spread';
import { reefResult } from '../../../../src/domain/results/estimates/reef-estimate';
import { surveyEstimate } from '../../../../src/domain/results/estimates/survey-estimate';
import { answerSheet } from '../../../../src/imaging/consensus/answer-sheet';
import {
  ANALYSED,
  formBody,
  labelBody,
  outlineSet,
  predictedOutline,
  rectangle,
  tracingBody,
} from '../../../../tests/support/analyses';
import { seeded, type Seeded } from '../../../../tests/support/seed';
import { PIPELINE_VERSION } from '../../../../src/domain/results/reef-result';

/** SHA-256 of the figures below by version of the rules. Other figures need the next version: results name theirs. */
const FIGURES_OF_VERSION: Readonly<Record<number, string>> = {
  1: '61850bc2e0222563d6a94c0370ce7bc26e355207f0671bbec624f9e61a9b1947',
};

const LABELS = ['branching', 'plating', 'massive', 'othercoral', 'structure', 'background'] as const;
const PAINTED = ['reef_hardcoral_plating', 'reef_structure_rubble', 'background_water'] as const;
const PHOTOGRAPHS = 36;
const SURVEYS = 6;
const REEFS = 2;
const SIDE = 128;
const SIDES = [0, 0.3, 0.7, 1] as const;
const SET = outlineSet(
  [0, 1, 2].flatMap((row) =>
    [0, 1, 2].map((column) =>
      predictedOutline(
        `o${row}${column}`,
        LABELS[(row + column) % LABELS.length] ?? '',
        rectangle(SIDES[column] ?? 0, SIDES[row] ?? 0, SIDES[column + 1] ?? 1, SIDES[row + 1] ?? 1),
      ),
    ),
  ),
);

/** Analyses of a photograph by people who err, an expert, someone who paints, types percentages or calls it bad. */
function analyses(photograph: number, random: Seeded): readonly JsonObject[] {
  const truth = SET.outlines.map(() => random.pick(LABELS));
  const labelled = (version: number, uid: string, accuracy: number): JsonObject =>
    labelBody(
      version,
      uid,
      SET,
      Object.fromEntries(
        SET.outlines.map(({ id }, index) => [
          id,
          random.fraction() < accuracy ? (truth[index] ?? '') : random.pick(LABELS),
        ]),
      ),
    );
  const people = [0.9, 0.8, 0.7, 0.5].map((accuracy, n) => labelled(2.4, `Person000000000${n}`, accuracy));
  if (photograph % 4 === 0) people.push(labelled(4, 'Expert0000000001', 0.96));
  if (photograph % 5 === 0)
    people.push(
      tracingBody(3, 'Painter000000001', [
        {
          kind: 'polygon',
          since: 1,
          paints: categoryClass(random.pick(PAINTED))!,
          rings: [rectangle(0, 0, 0.6, random.fraction())],
        },
      ]),
    );
  if (photograph % 7 === 0) people.push(formBody('Typist0000000001', { 'branching-live': 30, 'massive-dead': 20 }));
  if (photograph % 9 === 0)
    people.push(...['Caller0000000001', 'Caller0000000002', 'Caller0000000003'].map((uid) => formBody(uid, {}, true)));
  return people;
}

/** Figures of a fixed census by the rules of `consensus` and `results`, from records to reefs and datasets. */
function figures(): unknown {
  const random = seeded(19);
  const photographs = Array.from({ length: PHOTOGRAPHS }, (_, n) => {
    const read = analyses(n, random).map((record) => readBallot(record, ANALYSED));
    const ballots = read.filter((each): each is Ballot => each.kind === 'ballot');
    return { imageId: `Image${String(n).padStart(11, '0')}`, sheet: answerSheet(ballots, SIDE) };
  });
  const skill = estimateSkill(photographs, { version: 1 });
  const surveys = Array.from({ length: SURVEYS }, (_, n) => {
    const surveyId = `Survey000000000${n}`;
    const own = photographs
      .filter((_photograph, index) => index % SURVEYS === n)
      .map(({ imageId, sheet }): PhotographFigure => ({ imageId, surveyId, ...photographConsensus(sheet, skill) }));
    return { own, estimate: surveyEstimate(own, { surveyId, day: `2025-11-0${n + 1}` }) };
  });
  const reefs = Array.from({ length: REEFS }, (_, n) =>
    surveys.filter((_survey, index) => index % REEFS === n).map(({ estimate }) => estimate),
  );
  const spread = pooledSpread(reefs);
  const facts = { datasetId: 'd', year: '2025', versions: { skill: 1, pipeline: 0, release: null } };
  return {
    skill: { ...skill, analysts: [...skill.analysts] },
    surveys,
    spread,
    reefs: reefs.map((reef, n) => reefResult(reef, spread, { ...facts, featureId: `r${n}` })),
    dataset: datasetEstimate(reefs, spread),
  };
}

/** Text with numbers of eight decimals: the last bits of a logarithm may differ between machines. */
const rounded = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => (typeof each === 'number' ? Number(each.toFixed(8)) : each));

test('2§1 the version of the rules is counted up when a figure changes', () => {
  const sha256 = createHash('sha256').update(rounded(figures())).digest('hex');
  expect(
    sha256,
    'The rules compute other figures. Increase PIPELINE_VERSION in figure-versions.ts and add the hash of its figures here.',
  ).toBe(FIGURES_OF_VERSION[PIPELINE_VERSION]);
});
