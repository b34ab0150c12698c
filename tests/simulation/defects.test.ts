import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byDepth, shareByDepth } from '../support/depth';
import { runSeed } from '../support/seed';
import { BOX_DEFECTS } from './defects/box-defects';
import type { Defect } from './defects/defect';
import { FOLD_DEFECTS } from './defects/fold-defects';
import { SHORE_DEFECTS } from './defects/shore-defects';
import { TABLET_DEFECTS } from './defects/tablet-defects';
import { HOSTILE_DEFECTS } from './hostile/hostile-defects';
import type { Outcome } from './history';
import type { Bundle } from './run';
import { bundleSimulator, runWorker, timesOf } from './run';

const DEFECTS: readonly Defect[] = [...TABLET_DEFECTS, ...FOLD_DEFECTS, ...BOX_DEFECTS, ...SHORE_DEFECTS];

/** Number of histories within which a planted defect must show. */
const WITHIN = 100;

/** Bundle of unchanged production code. */
let clean: Bundle;
beforeAll(async () => {
  clean = await bundleSimulator();
});
afterAll(() => clean.remove());

/** Plays histories of a defect's kind until a violation; returns the last one. */
async function play(
  bundle: Bundle,
  { mix, cast, hostile }: Defect,
  seeds: { readonly from: number; readonly count: number },
): Promise<Outcome | undefined> {
  return (
    await runWorker(bundle, {
      seeds,
      step: { at: 0, by: 1 },
      stopAtFirst: true,
      ...(mix === undefined ? {} : { mix }),
      ...(cast === undefined ? {} : { cast }),
      ...(hostile === undefined ? {} : { hostile }),
    })
  ).at(-1);
}

/** First history with a violation. The seed known to show the defect is played first. */
async function found(defect: Defect): Promise<Outcome | undefined> {
  const bundle = await bundleSimulator(defect.planted);
  try {
    const known = byDepth({ commit: defect.shownBy, release: undefined });
    const outcome = known === undefined ? undefined : await play(bundle, defect, { from: known, count: 1 });
    if (outcome !== undefined && outcome.violation !== null) return outcome;
    return await play(bundle, defect, { from: 1, count: WITHIN });
  } finally {
    bundle.remove();
  }
}

describe('the simulator finds planted defects', () => {
  it.concurrent.each(
    shareByDepth([...DEFECTS, ...HOSTILE_DEFECTS], 8, runSeed()).map((defect) => [defect.name, defect] as const),
  )(
    'protocol: planted: %s',
    async (_name, defect) => {
      const outcome = await found(defect);
      expect(outcome?.violation ?? null, 'found').not.toBeNull();
      console.log(`seed ${outcome?.seed} shows: ${defect.name}`);
      // Same history without the defect: proves that the defect caused the violation.
      expect(await play(clean, defect, { from: outcome?.seed ?? 0, count: 1 })).toMatchObject({
        seed: outcome?.seed,
        violation: null,
      });
    },
    3_000_000,
  );

  it('protocol: planted: the text of each defect stands once in the source', () => {
    const planted = [...DEFECTS, ...HOSTILE_DEFECTS].flatMap((defect) => defect.planted);
    expect(planted.filter((one) => timesOf(one) !== 1).map(({ file, find }) => `${file}: ${find}`)).toEqual([]);
  });

  it('protocol: planted: at least twenty different defects, and six that a hostile party uses', () => {
    const differentIn = (defects: readonly Defect[]): number =>
      new Set(defects.map(({ planted }) => JSON.stringify(planted))).size;
    expect(differentIn(DEFECTS)).toBeGreaterThanOrEqual(20);
    expect(differentIn(HOSTILE_DEFECTS)).toBeGreaterThanOrEqual(6);
  });
});
