import { describe, expect, it } from 'vitest';
import type { Defect } from './defects';
import { DEFECTS } from './defects';
import { bundleSimulator, runWorker } from './run';

/** In so many histories a planted defect has to show. */
const WITHIN = 100;

/** Gives what was found, or null. */
async function found({ planted, mix, cast }: Defect): Promise<string | null> {
  const bundle = await bundleSimulator(planted);
  try {
    const outcomes = await runWorker(bundle, { seeds: { from: 1, count: WITHIN }, step: { at: 0, by: 1 }, stopAtFirst: true, ...(mix === undefined ? {} : { mix }), ...(cast === undefined ? {} : { cast }) });
    return outcomes.at(-1)?.violation ?? null;
  } finally {
    bundle.remove();
  }
}

describe('the simulator finds what it is made to find', () => {
  it.concurrent.each(DEFECTS.map((defect) => [defect.name, defect] as const))('protocol: planted: %s', async (_name, defect) => {
    expect(await found(defect)).not.toBeNull();
  }, 600_000);

  it('protocol: planted: twenty different ones and more', () => {
    expect(new Set(DEFECTS.map(({ planted }) => JSON.stringify(planted))).size).toBeGreaterThanOrEqual(20);
  });
});
