import { describe, expect, test } from 'vitest';
import type { AnswerSheet } from '../../../src/domain/consensus/answer-sheet';
import { NO_ANSWER } from '../../../src/domain/consensus/answer-sheet';
import { estimateSkill } from '../../../src/domain/consensus/skill';
import { answerSheet } from '../../../src/imaging/consensus/answer-sheet';
import { byDepth } from '../../support/depth';
import type { Mask } from '../../support/masks';
import { maskedReef, masks } from '../../support/masks';
import { runSeed, seeded } from '../../support/seed';
import { areasOf, handBallot } from './hands';
import { addPhotograph, emptyTally, figuresOf } from './measures';
import type { PoolKind } from './pool';
import { CLASSES, draw, simulatedPool, spreadMix } from './pool';

const ANALYSTS = 30;
/** Twenty photographs an analyst. */
const PHOTOGRAPHS = 120;
const EACH = 5;
const EXPERT_EVERY = 10;
/** Longer side of masks and grid, px. */
const SIDE = 160;
const TRUTH = '~truth';

/** Masks of people if this machine has them, else those of generated reefs. */
async function shapes(): Promise<readonly Mask[]> {
  const found = await masks(SIDE);
  return found.length > 0 ? found : [shrunk(maskedReef('bommie', 3).mask), shrunk(maskedReef('crest', 5).mask)];
}

function shrunk({ name, width, height, labels }: Mask): Mask {
  const small = { name, width: SIDE, height: Math.round((SIDE * height) / width) };
  return {
    ...small,
    labels: Uint8Array.from({ length: small.width * small.height }, (_, at) => {
      const x = Math.floor(((at % small.width) * width) / small.width);
      return labels[Math.floor((Math.floor(at / small.width) * height) / small.height) * width + x]!;
    }),
  };
}

/** Sheet without the truth, where anyone answered, with the true class of each cell. */
function withoutTruth(sheet: AnswerSheet): { readonly sheet: AnswerSheet; readonly truth: readonly number[] } {
  const own = sheet.analysts.indexOf(TRUTH);
  const cut = <Item>(list: readonly Item[]): readonly Item[] => list.filter((_, index) => index !== own);
  const patterns = sheet.patterns.map(({ answers, area }) => ({ answers: cut(answers), area }));
  const cells = sheet.cells.filter(({ pattern }) => patterns[pattern]!.answers.some((answer) => answer !== NO_ANSWER));
  return {
    sheet: {
      ...sheet,
      patterns,
      cells,
      analysts: cut(sheet.analysts),
      isExpert: cut(sheet.isExpert),
      saysBad: cut(sheet.saysBad),
      unanswered: { none: 0, unknown: 0 },
    },
    truth: cells.map(({ pattern }) => sheet.patterns[pattern]!.answers[own]!),
  };
}

const SEEDS = Array.from({ length: byDepth({ commit: 1, release: 8 }) }, (_, index) => runSeed() + index);
const SCENARIOS: readonly (readonly [string, PoolKind, number, number, number])[] = [
  ['5% careless', 'mixed', 0.05, 0.7, 0.8],
  ['20% careless', 'mixed', 0.2, 0.65, 0.7],
  ['equals', 'equal', 0, 1.02, 1.05],
];

/** Hands that paint and hands that outline, on shapes of masks: pixel by pixel beside a fair majority vote. */
describe('2§1 consensus of rasters', () => {
  for (const [name, kind, careless, wrongMax, rmseMax] of SCENARIOS)
    test.each(SEEDS)(`2§1 ${name} on masks, seed %i`, async (seed) => {
      const random = seeded(seed);
      const pool = simulatedPool(kind, ANALYSTS, careless, random);
      const all = (await shapes()).map((mask) => ({ mask, areas: areasOf(mask) }));
      const photographs = Array.from({ length: PHOTOGRAPHS }, (_, number) => {
        const imageId = `Image${String(number).padStart(11, '0')}`;
        const { mask, areas } = all[number % all.length]!;
        const mix = spreadMix(random);
        const truth = areas.map(() => draw(mix, random));
        const chosen = new Set<(typeof pool)[number]>();
        while (chosen.size < EACH) chosen.add(random.pick(pool));
        const ballots = [...chosen].map(({ id, confusion }, index) =>
          handBallot(
            { analyst: id, isExpert: false, paints: index % 2 === 0, jitter: 0.008 },
            imageId,
            mask,
            areas,
            truth.map((cover) => draw(confusion[cover]!, random)),
            random,
          ),
        );
        const hasExpert = number % EXPERT_EVERY === 0;
        const expert = { analyst: 'Expert0000000001', isExpert: true, paints: false, jitter: 0.002 };
        if (hasExpert) ballots.push(handBallot(expert, imageId, mask, areas, truth, random));
        const exact = handBallot({ ...expert, analyst: TRUTH, jitter: 0 }, imageId, mask, areas, truth, random);
        return {
          imageId,
          sheet: answerSheet(ballots, SIDE),
          judged: hasExpert ? null : answerSheet([...ballots, exact], SIDE),
        };
      });
      const skill = estimateSkill(photographs, { version: 1 });
      const tally = emptyTally();
      for (const { judged } of photographs) {
        if (judged === null) continue;
        const { sheet, truth } = withoutTruth(judged);
        addPhotograph(tally, sheet, skill, (cell) =>
          Array.from({ length: CLASSES }, (_, cover) => (cover === truth[cell] ? 1 : 0)),
        );
      }
      const figures = figuresOf(tally);
      console.info(
        `${name} on masks: ${JSON.stringify({ seed, ...figures, temperature: skill.temperature, doubt: skill.doubt })}`,
      );
      expect(figures.wrong).toBeLessThanOrEqual(wrongMax);
      expect(figures.rmse).toBeLessThanOrEqual(rmseMax);
      expect(figures.calibration).toBeLessThanOrEqual(0.05);
    });
});
