import type { Seeded } from '../../support/seed';
import { seeded } from '../../support/seed';

/**
 * Random stream for each row of numbers (a seed, a place, a round …), so that any one state can be made without the
 * others.
 */
export function streamOf(...numbers: readonly number[]): Seeded {
  let state = 0x5bd1e995;
  for (const number of numbers) state = mix(state ^ mix(number | 0));
  return seeded(state >>> 0);
}

function mix(value: number): number {
  let x = value;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return x ^ (x >>> 15);
}
