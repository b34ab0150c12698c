import { describe, expect, test } from 'vitest';
import { estimateSkill } from '../../../src/domain/consensus/skill';
import { byDepth } from '../../support/depth';
import { runSeed, seeded } from '../../support/seed';
import type { CensusPlan } from './census';
import { simulateCensus } from './census';
import { addPhotograph, emptyTally, figuresOf, rankCorrelation } from './measures';
import type { PoolKind } from './pool';
import { CLASSES, simulatedPool } from './pool';

const ANALYSTS = 200;
/** Fifteen photographs an analyst; before a release twenty, and several seeds. */
const PHOTOGRAPHS = byDepth({ commit: 600, release: 800 });
const PLAN: Omit<CensusPlan, 'misleading'> = {
  photographs: PHOTOGRAPHS,
  outlines: 30,
  analystsEach: 5,
  expertEvery: 20,
};

interface Scenario {
  readonly name: string;
  readonly kind: PoolKind;
  readonly careless: number;
  readonly misleading: number;
  readonly wrongMax: number;
  readonly rmseMax: number;
}

const SCENARIOS: readonly Scenario[] = [
  { name: '5% careless', kind: 'mixed', careless: 0.05, misleading: 0, wrongMax: 0.7, rmseMax: 0.8 },
  { name: '20% careless', kind: 'mixed', careless: 0.2, misleading: 0, wrongMax: 0.65, rmseMax: 0.7 },
  { name: '15% misleading', kind: 'mixed', careless: 0.05, misleading: 0.15, wrongMax: 0.85, rmseMax: 0.92 },
  { name: 'equals', kind: 'equal', careless: 0, misleading: 0, wrongMax: 1.02, rmseMax: 1.05 },
];

const SEEDS = Array.from({ length: byDepth({ commit: 1, release: 8 }) }, (_, index) => runSeed() + index);

/** Production code over a simulated census; photographs that an expert analysed are left out of the figures. */
describe('2§1 consensus of 200 analysts, five a photograph, compared with a fair majority vote', () => {
  for (const { name, kind, careless, misleading, wrongMax, rmseMax } of SCENARIOS)
    test.each(SEEDS)(`2§1 ${name}, seed %i`, (seed) => {
      const random = seeded(seed);
      const pool = simulatedPool(kind, ANALYSTS, careless, random);
      const photographs = simulateCensus(pool, { ...PLAN, misleading }, random);
      const skill = estimateSkill(photographs, { version: 1 });
      const tally = emptyTally();
      for (const { sheet, truth, hasExpert } of photographs) {
        if (hasExpert) continue;
        addPhotograph(tally, sheet, skill, (cell) => {
          const real = truth.get(sheet.places[sheet.cells[cell]!.place]!.id);
          return Array.from({ length: CLASSES }, (_, cover) => (cover === real ? 1 : 0));
        });
      }
      const figures = figuresOf(tally);
      const rank = rankCorrelation(
        pool.map(({ id, accuracy }) => [accuracy, skill.analysts.get(id)?.accuracy ?? 0] as const),
      );
      console.info(
        `${name}: ${JSON.stringify({ seed, ...figures, rank, temperature: skill.temperature, doubt: skill.doubt })}`,
      );
      expect(figures.wrong).toBeLessThanOrEqual(wrongMax);
      expect(figures.rmse).toBeLessThanOrEqual(rmseMax);
      expect(figures.calibration).toBeLessThanOrEqual(0.05);
      if (kind === 'mixed') expect(rank).toBeGreaterThanOrEqual(0.9);
    });
});
