import { compareAppends } from './tools/append-contestants';
import type { Bench } from './tools/harness';
import { median, ratioByRound } from './tools/harness';

const ROUNDS = 5;
const COUNT = 1500;
const IN_FLIGHT = 128;

/** Same store and same rows; only who waits for whom differs. */
export const bench: Bench = {
  about: `${COUNT} appends with ${IN_FLIGHT} in flight beside one at a time, each durable before it is answered`,
  async run(say) {
    const turns = await compareAppends(
      {
        grouped: { task: 'append', count: COUNT, inFlight: IN_FLIGHT },
        single: { task: 'append', count: COUNT, inFlight: 1 },
      },
      ROUNDS,
    );
    const [grouped = [], single = []] = [turns.get('grouped'), turns.get('single')];
    for (const [name, list] of turns)
      say(`${name}: ${(COUNT / median(list.map(({ seconds }) => seconds))).toFixed(0)} appends/s`);
    const value = ratioByRound(single, grouped, ({ seconds }) => seconds);
    return [
      {
        figure: 'grouped commits beside single ones, operations/s',
        value,
        unit: '×',
        rule: '>=',
        goal: 4,
        rival: 'one commit a row',
      },
    ];
  },
};
