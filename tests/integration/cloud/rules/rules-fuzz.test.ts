import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { CEILING_MESSAGES } from '../../../../src/domain/fold/ceilings';
import { HOLD_MESSAGES } from '../../../../src/domain/policy/topic-policy';
import { byDepth } from '../../../support/depth';
import { tally } from '../../../support/tally';
import { runSeed, seeded } from '../../../support/seed';
import type { TestCloud } from '../../../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../../../support/servers/cloud';
import { toReefError } from '../../../../src/server/http/errors';
import { RulesCrew } from './rules-crew';
import type { Outcome, Verdict } from './rules-model';
import { RulesModel } from './rules-model';
import type { FuzzCase } from './rules-world';
import { RulesWorld } from './rules-world';

vi.setConfig({ testTimeout: 3_600_000, hookTimeout: 120_000 });

const { OPS, CREW_OPS, SURVEYS } = byDepth({
  commit: { OPS: 1_500, CREW_OPS: 750, SURVEYS: 60 },
  release: { OPS: 100_000, CREW_OPS: 4_000, SURVEYS: 160 },
});
const REASONS = new Map([
  ...Object.entries(HOLD_MESSAGES).map(([code, message]): [string, string] => [message, code]),
  ...Object.values(CEILING_MESSAGES).map((message): [string, string] => [message, 'ceiling']),
]);
const seed = runSeed();
const random = seeded(seed);
const counts = new Map<string, number>();
let cloud: TestCloud;

beforeAll(async () => {
  cloud = await startCloud();
});
afterAll(() => cloud.close());

it('protocol: Who may write ashore: the cloud accepts exactly what the model of the rules accepts', async () => {
  console.log(`rules fuzz: ${OPS} operations, FAULT_SEED=${seed}`);
  for (let done = 0; done < OPS;) {
    done += await playCrew(Math.min(CREW_OPS, OPS - done), done);
    console.log(`rules fuzz: ${done} played`);
  }
  console.log(
    `rules fuzz: ${[...counts]
      .sort()
      .map(([what, n]) => `${n} ${what}`)
      .join(', ')}`,
  );
  tally('operations beside the model of the rules', OPS);
  const rare = byDepth({ commit: [], release: [...REASONS.values(), 'content', 'with a role'] });
  for (const what of ['accepted', 'part', 'foreign', 'bringer', 'signature', ...rare, 'released later'])
    expect(counts.get(what) ?? 0, what).toBeGreaterThan(0);
});

/** Plays some operations of new people; returns their number. */
async function playCrew(ops: number, before: number): Promise<number> {
  const model = new RulesModel();
  const crew = await RulesCrew.gather(cloud, model, random);
  const world = new RulesWorld(random, crew, SURVEYS);
  try {
    let done = 0;
    while (done < ops) {
      const cases = world.batch().slice(0, ops - done);
      const expected = cases.map(({ arrival }) => model.arrive(arrival));
      const seq = await lastSeq();
      const verdicts = await Promise.all(cases.map((one) => submit(crew, one)));
      for (const [n, one] of cases.entries()) {
        const wanted = expected[n]?.verdict;
        count(wanted);
        expect(verdicts[n], textOf(before + done + n, one, world.historyOf(one))).toEqual(wanted);
        world.note(one, wanted);
      }
      await expectStored(world, seq, { cases, expected });
      await expectRoles(model, cases);
      done += cases.length;
      if (random.below(2) === 0) await expectReleased(world, () => crew.change());
      if (random.below(3) === 0) await expectReleased(world, () => releaseOne(model));
    }
    await expectGrants(model);
    return done;
  } finally {
    crew.dispose();
  }
}

async function submit(crew: RulesCrew, { arrival, wrongReceipt }: FuzzCase): Promise<Verdict> {
  const { op, sender, itemBy, receiptOf } = arrival;
  const box = receiptOf ?? crew.boxes[0] ?? '';
  const shown =
    receiptOf !== undefined || wrongReceipt === true ? { receipt: crew.receiptOf(box, op, wrongReceipt !== true) } : {};
  try {
    const outcome = await cloud.cloud.context.intake.submit(op, crew.submitterOf(sender), {
      ...(itemBy === undefined ? {} : { by: itemBy }),
      ...shown,
    });
    if ('needs' in outcome) return { refused: 'needs' };
    const { receipt } = outcome;
    if (receipt.accepted) return { accepted: true };
    return { held: (REASONS.get(receipt.reason ?? '') ?? 'content') as never };
  } catch (error) {
    return { refused: toReefError(error).code };
  }
}

async function lastSeq(): Promise<number> {
  const { rows } = await pool().query<{ last_seq: number }>('SELECT last_seq FROM store');
  return Number(rows[0]?.last_seq);
}

/** Operations that were accepted or released since. */
async function acceptedSince(seq: number): Promise<readonly string[]> {
  const { rows } = await pool().query<{ op_id: string }>('SELECT op_id FROM ops WHERE seq > $1 AND accepted', [seq]);
  return rows.map(({ op_id: opId }) => opId);
}

/** Compares what was released meanwhile with the model. */
async function expectStored(
  world: RulesWorld,
  seq: number,
  { cases, expected }: { readonly cases: readonly FuzzCase[]; readonly expected: readonly Outcome[] },
): Promise<void> {
  const came = new Set<string>(cases.map(({ arrival }) => arrival.op.opId));
  const isEarlier = (opId: string): boolean => !came.has(opId);
  const wanted = expected.flatMap(({ released }) => released);
  const stored = await acceptedSince(seq);
  expectSame(world, stored.filter(isEarlier), wanted.filter(isEarlier));
}

/** Compares the claimed roles that count of each stored operation with the model. */
async function expectRoles(model: RulesModel, cases: readonly FuzzCase[]): Promise<void> {
  const { rows } = await pool().query<{ op_id: string; author_roles: string | null }>(
    'SELECT op_id, author_roles FROM ops WHERE op_id = ANY($1::text[])',
    [cases.map(({ arrival }) => arrival.op.opId)],
  );
  for (const { op_id: opId, author_roles: roles } of rows) {
    const wanted = [...model.confirmedRoles(opId)].sort();
    expect((JSON.parse(roles ?? '[]') as string[]).sort(), `roles of ${opId} (FAULT_SEED=${seed})`).toEqual(wanted);
    if (wanted.length > 0) counts.set('with a role', (counts.get('with a role') ?? 0) + 1);
  }
}

/** Compares what a change releases with the model. */
async function expectReleased(world: RulesWorld, work: () => Promise<readonly string[]>): Promise<void> {
  const seq = await lastSeq();
  const wanted = await work();
  expectSame(world, await acceptedSince(seq), wanted);
}

function expectSame(world: RulesWorld, stored: readonly string[], wanted: readonly string[]): void {
  counts.set('released later', (counts.get('released later') ?? 0) + wanted.length);
  const different = [...new Set([...stored, ...wanted])].filter(
    (opId) => stored.includes(opId) !== wanted.includes(opId),
  );
  if (different.length === 0) return;
  const history = world.historyOfOps(different.slice(0, 1)).join('\n');
  expect([...stored].sort(), `released (FAULT_SEED=${seed}), differs: ${different.join()}\n${history}\n`).toEqual(
    [...wanted].sort(),
  );
}

/** Staff release one held operation. */
async function releaseOne(model: RulesModel): Promise<readonly string[]> {
  const held = model.held();
  if (held.length === 0) return [];
  const opId = random.pick(held);
  const { status } = await cloud.post(`/api/quarantine/${opId}/release`, {}, STAFF_TOKEN);
  expect(status).toBe(200);
  return model.release(opId);
}

/** Nobody sees more or less than the model grants. */
async function expectGrants(model: RulesModel): Promise<void> {
  const wanted = [...model.grants].flatMap(([subject, topics]) => [...topics].map((topic) => `${subject} ${topic}`));
  const topics = [...new Set([...model.grants.values()].flatMap((some) => [...some]))];
  const { rows } = await pool().query<{ subject: string; topic: string }>(
    'SELECT subject, topic FROM grants WHERE topic = ANY($1::text[])',
    [topics],
  );
  expect(rows.map(({ subject, topic }) => `${subject} ${topic}`).sort()).toEqual(wanted.sort());
}

function pool() {
  return cloud.cloud.context.database.pool;
}

function count(verdict: Verdict | undefined): void {
  const what =
    verdict === undefined
      ? '?'
      : 'accepted' in verdict
        ? 'accepted'
        : 'held' in verdict
          ? verdict.held
          : verdict.refused;
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

/** Case with all that came before it of its survey or profile. */
function textOf(n: number, one: FuzzCase, history: readonly string[]): string {
  return `operation ${n} (FAULT_SEED=${seed}): ${JSON.stringify(one)}\n${history.join('\n')}\n`;
}
