import { appendFileSync } from 'node:fs';

/** What the proofs count; `npm test` adds it up and says it at its end. */
export type Tallied =
  | 'kills of the box'
  | 'kills and cuts of the bridge'
  | 'kills of the tab'
  | 'cut connections'
  | 'disk states after a power cut'
  | 'broken messages and requests';

/** Notes what a proof ran. `npm test` names the file in TALLY; a single test run prints its own numbers anyway. */
export function tally(what: Tallied, count: number): void {
  const file = process.env['TALLY'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ what, count })}\n`);
}
