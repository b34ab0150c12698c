import { expect, test } from 'vitest';
import { ANALYSED, formBody, labelBody, REEF_AND_SAND, rectangle, tracingBody } from '../../../tests/support/analyses';
import { runSeed, seeded } from '../../../tests/support/seed';
import type { Seeded } from '../../../tests/support/seed';
import { answerSheet } from '../../imaging/consensus/answer-sheet';
import { categoryClass } from '../analysis/free-draw/categories';
import { fromBase64, toBase64 } from '../base64';
import type { Json, JsonObject } from '../json';
import type { Ballot } from './ballot';
import { photographConsensus } from './photograph-consensus';
import { readBallot } from './read-ballot';
import { INITIAL_SKILL } from './skill-model';

const paints = categoryClass('reef_hardcoral_plating')!;
const RECORDS: readonly JsonObject[] = [
  ...[2.1, 2.2, 2.3, 2.4, 4].map((version) =>
    labelBody(version, 'Ana0000000000001', REEF_AND_SAND, { p1: 'branching', p2: 'background' }),
  ),
  ...[3.1, 3.2, 5].map((version) =>
    labelBody(version, 'Bo00000000000002', REEF_AND_SAND, { p1: 'lobe', p2: 'background' }),
  ),
  ...([1, 3] as const).map((version) =>
    tracingBody(version, 'Cy00000000000003', [
      { kind: 'stroke', since: 1, paints, points: rectangle(0.1, 0.1, 0.9, 0.9) },
      { kind: 'polygon', since: 2, paints: 'erase', rings: [rectangle(0.4, 0.4, 0.5, 0.5)] },
      { kind: 'zap', since: 3, paints: categoryClass('background_water')! },
    ]),
  ),
  formBody('Exp0000000000001', { 'branching-live': 30, 'massive-dead': 10 }),
];
const ODD: readonly Json[] = [
  null,
  true,
  -1,
  0,
  1e308,
  9,
  '',
  '2.4',
  'constructor',
  '__proto__',
  [],
  {},
  [[]],
  [null],
  'badimage',
];

/** Record with some of its members replaced, removed or nested anew. */
function mutated(value: Json, random: Seeded, rate: number): Json {
  if (random.fraction() < rate) return random.pick(ODD);
  if (Array.isArray(value)) return value.map((each: Json) => mutated(each, random, rate));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value)
        .filter(() => random.fraction() >= rate / 2)
        .map(([key, each]: [string, Json]) => [key, mutated(each, random, rate)]),
    );
  if (typeof value !== 'string') return value;
  if (value.length > 60 && random.fraction() < 0.5) return damaged(value, random);
  return value;
}

/** Text with bytes changed: in its base64 if it is that. */
function damaged(text: string, random: Seeded): string {
  const bytes = fromBase64(text);
  if (bytes === null) {
    const at = random.below(text.length);
    return text.slice(0, at) + random.pick(['9', '"', '[', '-', '']) + text.slice(at + 1);
  }
  const changed = Uint8Array.from(bytes);
  for (let count = 1 + random.below(3); count > 0; count--) changed[random.below(changed.length)] = random.below(256);
  return toBase64(random.fraction() < 0.3 ? changed.slice(0, random.below(changed.length)) : changed);
}

test('2§4 damaged records never throw and never make a figure that is not a number', { timeout: 240_000 }, () => {
  const seed = runSeed();
  const random = seeded(seed);
  let readable = 0;
  for (let run = 0; run < 1500; run++) {
    const bodies = Array.from({ length: 3 }, (_, index): JsonObject => {
      const body = mutated(random.pick(RECORDS), random, random.pick([0.002, 0.01, 0.05]));
      const object = typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as JsonObject) : {};
      return { ...object, id: `a${index}`, user: { uid: `p${index}` } };
    });
    const ballots = bodies
      .map((body) => readBallot(body, random.pick([ANALYSED, null])))
      .filter((ballot): ballot is Ballot => ballot.kind === 'ballot');
    readable += ballots.length;
    const found = photographConsensus(answerSheet(ballots, 48), INITIAL_SKILL);
    const { shares, variances, agreement, badProbability } = found;
    const numbers = [...Object.values(shares), ...Object.values(variances), agreement, badProbability];
    if (!numbers.every((value) => value >= 0 && value <= 1 + 1e-9))
      expect.fail(`seed ${seed}: ${JSON.stringify(bodies)}`);
    expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
  }
  // Else it would test nothing but refusals.
  expect(readable).toBeGreaterThan(1000);
});

test('2§4 a member of the wrong type never throws', () => {
  for (const odd of ODD)
    for (const member of ['id', 'user', 'version', 'geobuf_string', 'otherAnswers', 'analysis', 'geojson'])
      for (const record of RECORDS) expect(() => readBallot({ ...record, [member]: odd }, ANALYSED)).not.toThrow();
});
