import { compareAppends } from './tools/append-contestants';
import type { Bench } from './tools/harness';
import { median, ratioByRound } from './tools/harness';

const ROUNDS = 5;
const COUNT = 10_000;

/**
 * The rival does only what no store can omit: the same rows, in transactions of the same size, to the same disk. Ours
 * also canonicalises each operation, looks for an earlier one, folds the document and signs the receipt. An Ed25519
 * signature alone costs about one and a half times a bare operation's rows, so 0.4 would be the ceiling if everything
 * else were free. The goal leaves as much again for the rest.
 */
const GOAL = 0.2;

export const bench: Bench = {
  about: `${COUNT} operations stored, folded and receipted, beside bare inserts of the same rows`,
  async run(say) {
    const turns = await compareAppends(
      { store: { task: 'store', count: COUNT }, raw: { task: 'raw', count: COUNT } },
      ROUNDS,
    );
    const [store = [], raw = []] = [turns.get('store'), turns.get('raw')];
    for (const [name, list] of turns)
      say(`${name}: ${(COUNT / median(list.map(({ seconds }) => seconds))).toFixed(0)} operations/s`);
    const value = ratioByRound(raw, store, ({ seconds }) => seconds);
    return [
      {
        figure: 'operations/s, folded and receipted',
        value,
        unit: '×',
        rule: '>=',
        goal: GOAL,
        rival: 'bare SQLite inserts',
      },
    ];
  },
};
