import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ANALYSED,
  formBody,
  labelBody,
  outlineSet,
  predictedOutline,
  rectangle,
  tracingBody,
} from '../../../tests/support/analyses';
import { categoryClass } from '../../domain/analysis/free-draw/categories';
import type { AnswerSheet } from '../../domain/consensus/answer-sheet';
import { NO_ANSWER } from '../../domain/consensus/answer-sheet';
import type { Ballot, LabelledOutline } from '../../domain/consensus/ballot';
import { patternPosteriors } from '../../domain/consensus/pattern-posterior';
import { readBallot } from '../../domain/consensus/read-ballot';
import { CLASS_INDEX } from '../../domain/consensus/shares';
import { INITIAL_SKILL } from '../../domain/consensus/skill-model';
import type { JsonObject } from '../../domain/json';
import { answerSheet } from './answer-sheet';

const ballot = (body: JsonObject): Ballot => {
  const read = readBallot(body, ANALYSED);
  if (read.kind !== 'ballot') throw new Error(read.reason);
  return read;
};
const [ANA, BO, CY] = ['Ana0000000000001', 'Bo00000000000002', 'Cy00000000000003'];
/** A large outline with a hole, a small one on top of it, and a quarter that no one outlined. */
const SET = outlineSet([
  predictedOutline('large', 'reef', rectangle(0, 0, 1, 0.75), rectangle(0.5, 0.25, 0.75, 0.5)),
  predictedOutline('small', 'reef', rectangle(0, 0, 0.25, 0.25)),
]);
const areaOf = ({ patterns }: AnswerSheet, answers: readonly number[]): number =>
  patterns.filter((pattern) => pattern.answers.join() === answers.join()).reduce((sum, { area }) => sum + area, 0);
const total = ({ patterns, unanswered }: AnswerSheet): number =>
  patterns.reduce((sum, { area }) => sum + area, 0) + unanswered.none + unanswered.unknown;
const { branching, massive, none, unknown } = CLASS_INDEX;

describe('2§1 sheets of answers', () => {
  test('2§9 equal outlines are places, weighted by the pixels that smaller ones leave free', () => {
    const sheet = answerSheet([
      ballot(labelBody(2.4, BO, SET, { large: 'massive', small: 'branching' })),
      ballot(labelBody(2.4, ANA, SET, { large: 'massive', small: 'massive' })),
    ]);
    expect(sheet.analysts).toEqual([ANA, BO]);
    expect(sheet.places.map(({ id }) => id)).toEqual(['large', 'small']);
    expect(areaOf(sheet, [massive, massive])).toBeCloseTo(0.75 - 0.0625 - 0.0625, 6);
    expect(areaOf(sheet, [massive, branching])).toBeCloseTo(0.0625, 6);
    // The quarter below, and the hole.
    expect(sheet.unanswered).toEqual({ none: 0.3125, unknown: 0 });
  });

  test('2§1 a painted picture and outlines meet on a grid; unpainted places have no answer', () => {
    const sheet = answerSheet([
      ballot(labelBody(2.4, ANA, SET, { large: 'massive', small: 'branching' })),
      ballot(
        tracingBody(3, BO, [
          {
            kind: 'polygon',
            since: 1,
            paints: categoryClass('reef_hardcoral_branching')!,
            rings: [rectangle(0, 0.75, 1, 1)],
          },
        ]),
      ),
    ]);
    expect(sheet.places[0]?.kind).toBe('tile');
    expect(areaOf(sheet, [massive, NO_ANSWER])).toBeCloseTo(0.625, 6);
    expect(areaOf(sheet, [NO_ANSWER, branching])).toBeCloseTo(0.25, 6);
    expect(sheet.unanswered.none).toBeCloseTo(0.0625, 6);
    expect(total(sheet)).toBeCloseTo(1, 9);
  });

  test('2§4 outlines that an expert drew, and the fill, make a grid too', () => {
    const sheet = answerSheet([
      ballot(labelBody(2.4, ANA, SET, { large: 'massive', small: 'branching' })),
      ballot(
        labelBody(4, CY, SET, { large: 'massive', drawn: 'bleached' }, [
          { kind: 'draw', since: 1, outline: 'drawn', points: rectangle(0, 0.75, 0.5, 1) },
          { kind: 'zap', since: 9000, label: 'background' },
        ]),
      ),
    ]);
    expect(sheet.isExpert).toEqual([false, true]);
    expect(areaOf(sheet, [NO_ANSWER, CLASS_INDEX.other])).toBeCloseTo(0.125, 6);
    expect(areaOf(sheet, [NO_ANSWER, unknown])).toBeCloseTo(0.125 + 0.0625, 6);
    expect(areaOf(sheet, [branching, massive])).toBeCloseTo(0.0625, 6);
    expect(sheet.unanswered).toEqual({ none: 0, unknown: 0 });
  });

  test('2§1 what no one painted is unknown; percentages and flags have no places', () => {
    const paints = categoryClass('reef_structure_substrate')!;
    const sheet = answerSheet([
      ballot(tracingBody(1, ANA, [{ kind: 'polygon', since: 1, paints, rings: [rectangle(0, 0, 0.5, 1)] }])),
      ballot(formBody(BO, { 'branching-live': 40 })),
      ballot(formBody(CY, {}, true)),
    ]);
    expect(areaOf(sheet, [none, NO_ANSWER, NO_ANSWER])).toBeCloseTo(0.5, 6);
    expect(sheet.unanswered.unknown).toBeCloseTo(0.5, 6);
    expect(sheet.compositions.map(({ analyst }) => analyst)).toEqual([1]);
    expect(sheet.saysBad).toEqual([false, false, true]);
  });

  test('2§1 one analysis a person counts, and a photograph without any is unknown', () => {
    const first = ballot(labelBody(2.4, ANA, SET, { large: 'massive', small: 'massive' }));
    expect(answerSheet([{ ...first, analysisId: 'Z' }, first])).toEqual(answerSheet([first]));
    expect(answerSheet([])).toMatchObject({ analysts: [], patterns: [], unanswered: { none: 0, unknown: 1 } });
  });
});

const corner = fc.integer({ min: 0, max: 20 }).map((value) => value / 20);
const outlines = fc.array(fc.tuple(corner, corner, corner, corner, fc.constantFrom('branching', 'none', null)), {
  minLength: 1,
  maxLength: 5,
});
const ballots = fc
  .array(outlines, { minLength: 1, maxLength: 4 })
  .map((all) =>
    all.map((found, analyst): Ballot => ({
      kind: 'ballot',
      analysisId: `a${analyst}`,
      analyst: `p${analyst}`,
      isExpert: analyst === 3,
      version: 2.4,
      size: { width: 40, height: 30 },
      answer: {
        kind: 'outlines',
        fill: null,
        outlines: found.map(([x0, y0, x1, y1, cover], index): LabelledOutline => ({
          id: `o${index}`,
          rings: [rectangle(Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1))],
          area: Math.abs((x1 - x0) * (y1 - y0)),
          cover: cover as LabelledOutline['cover'],
        })),
      },
      ignored: [],
    })),
  );

describe('2§1 properties of sheets', () => {
  test('2§1 any order of arrival yields the same bytes, and the areas add up to the picture', () => {
    fc.assert(
      fc.property(ballots, fc.array(fc.nat(), { minLength: 4, maxLength: 4 }), (all, keys) => {
        const shuffled = all
          .map((each, index) => ({ each, key: keys[index]! }))
          .sort((one, other) => one.key - other.key)
          .map(({ each }) => each);
        const sheet = answerSheet(all, 40);
        expect(JSON.stringify(answerSheet(shuffled, 40))).toBe(JSON.stringify(sheet));
        expect(total(sheet)).toBeCloseTo(1, 9);
        expect(sheet.cells.reduce((sum, { area }) => sum + area, 0)).toBeCloseTo(
          sheet.patterns.reduce((sum, { area }) => sum + area, 0),
          9,
        );
        expect(patternPosteriors(sheet, INITIAL_SKILL).every(Number.isFinite)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('2§4 ten thousand outlines are counted', () => {
    const many = Array.from({ length: 10_000 }, (_, index): LabelledOutline => {
      const [x, y] = [(index % 100) / 100, Math.floor(index / 100) / 100];
      return {
        id: `o${index}`,
        rings: [rectangle(x, y, x + 0.01, y + 0.01)],
        area: 0.0001,
        cover: index % 2 === 0 ? 'branching' : 'none',
      };
    });
    const each = (analyst: string): Ballot => ({
      kind: 'ballot',
      analysisId: analyst,
      analyst,
      isExpert: false,
      version: 2.4,
      size: ANALYSED,
      answer: { kind: 'outlines', outlines: many, fill: null },
      ignored: [],
    });
    const sheet = answerSheet([each(ANA), each(BO)]);
    expect(sheet.places).toHaveLength(10_000);
    expect(sheet.patterns).toHaveLength(2);
    expect(areaOf(sheet, [branching, branching])).toBeCloseTo(0.5, 1);
    const drawn = answerSheet([
      each(ANA),
      { ...each(BO), answer: { kind: 'outlines', outlines: many.slice(1), fill: null } },
    ]);
    expect(total(drawn)).toBeCloseTo(1, 9);
  });
});
