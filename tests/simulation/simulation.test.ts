import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byDepth } from '../support/depth';
import { runSeed } from '../support/seed';
import type { Outcome } from './history';
import type { Bundle } from './run';
import { bundleSimulator, coverageOf, runWorker, simulate } from './run';

/** Seeds of this run differ per commit; run more with `npm run simulate -- --seeds N`. */
const HISTORIES = { from: runSeed(), count: byDepth({ commit: 100, release: 2000 }) };

const MOST_HISTORIES = HISTORIES.count + 1000;

/** Events that must occur, or the histories prove nothing. */
const MET = [
  'answer lost',
  'box put back',
  'bridge without memory',
  'clock jump',
  'cloud put back',
  'conflict met',
  'cut',
  'delete',
  'edit',
  'forged',
  'freed',
  'freed by a box',
  'hang',
  'kill of bridge',
  'kill of cloud',
  'kill of edge',
  'kill of tablet',
  'new cloud epoch',
  'new epoch',
  'record ahead of its bytes',
  'request lost',
  'restore',
  'settled',
  'tablet put back',
  'twice',
];

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleSimulator();
});
afterAll(() => bundle.remove());

describe('protocol: histories of tablets, boxes, bridges and the cloud, from seeds', () => {
  it(`every invariant holds in ${HISTORIES.count} histories`, async () => {
    console.log(`simulator: seed ${HISTORIES.from}`);
    const outcomes: Outcome[] = [];
    const missing = () => MET.filter((what) => coverageOf(outcomes)[what] === undefined);
    // A share as small as that of `npm test` may lack a rare event; further histories follow until each has occurred.
    for (let { from, count } = HISTORIES; from < HISTORIES.from + MOST_HISTORIES; from += count, count = 100) {
      outcomes.push(...(await simulate(bundle, { from, count })));
      expect(
        outcomes.flatMap(({ seed, violation }) =>
          violation === null ? [] : [`npm run simulate -- --seed ${seed}: ${violation}`],
        ),
      ).toEqual([]);
      expect(outcomes).toHaveLength(from + count - HISTORIES.from);
      if (missing().length === 0) break;
    }
    expect(missing()).toEqual([]);
  }, 3_000_000);

  it('a seed reproduces its history step by step, alone and after others', async () => {
    const several = await runWorker(bundle, { seeds: { from: 40, count: 12 }, step: { at: 0, by: 1 } });
    const one = async (seed: number) =>
      (await runWorker(bundle, { seeds: { from: seed, count: 1 }, step: { at: 0, by: 1 }, keepTrace: true }))[0]!;
    const alone = await Promise.all([44, 51].map(one));
    const again = await Promise.all([44, 51].map(one));
    for (const { seed, digest } of alone) expect(digest).toBe(several.find((other) => other.seed === seed)?.digest);
    // A history ends once settled; some are short.
    expect(Math.max(...alone.map(({ trace }) => trace.length))).toBeGreaterThan(20);
    expect(again.map(({ trace }) => trace)).toEqual(alone.map(({ trace }) => trace));
    expect(new Set(several.map(({ digest }) => digest)).size).toBe(several.length);
  });
});
