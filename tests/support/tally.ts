import { appendFileSync } from 'node:fs';

/** Counts of the proofs; `npm test` sums and prints them at its end. */
export type Tallied =
  | 'kills of the box'
  | 'kills and cuts of the bridge'
  | 'kills of the tab'
  | 'cut connections'
  | 'disk states after a power cut'
  | 'broken messages and requests'
  | 'operations beside the model of the rules';

/**
 * Records the counts of a proof. `npm test` names the file in TALLY; a single test run prints its own numbers anyway.
 */
export function tally(what: Tallied, count: number): void {
  const file = process.env['TALLY'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ what, count })}\n`);
}
