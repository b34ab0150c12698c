import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Op } from '../../src/domain/op/op';
import { HOLD_MESSAGES } from '../../src/domain/policy/topic-policy';
import type { CloudOpResult } from '../../src/protocol/cloud-http';
import type { Receipt } from '../../src/protocol/receipt';
import type { TestDatabase } from '../support/postgres/postgres';
import { SERVICE_SERVER, testDatabase } from '../support/postgres/postgres';
import { byDepth } from '../support/depth';
import type { TestCloud } from '../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../support/servers/cloud';
import { imageOp, makeOp, newId, photograph, surveyOp } from '../support/servers/edge-client';
import type { SignedIn } from '../support/servers/people';
import { registerDevice, signIn } from '../support/servers/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Claims of each kind that meet: the order in which two processes judge and store is the machine's. */
const ROUNDS = byDepth({ commit: 6, release: 40 });
const CREWS = 'BoxOfTheCrew0001';
const HOSTILE = 'BoxOfAnAttacker1';

let database: TestDatabase;
/** Two processes of one service. */
let first: TestCloud;
let second: TestCloud;
let crewsToken: string;
let hostileToken: string;
beforeAll(async () => {
  database = await testDatabase(SERVICE_SERVER);
  first = await startCloud({ databaseUrl: database.url });
  second = await startCloud({ databaseUrl: database.url });
  // The first box of a service has a token of its process alone.
  await first.tokenOf('FirstBoxOfThem01');
  [crewsToken, hostileToken] = [await first.tokenOf(CREWS), await first.tokenOf(HOSTILE)];
});
afterAll(async () => {
  await second.close();
  await first.close();
  await database.close();
});

interface Sender {
  readonly at: TestCloud;
  readonly token: string;
  readonly node?: string;
}
const crew = (at = first): Sender => ({ at, token: crewsToken, node: CREWS });
const attacker = (): Sender => ({ at: second, token: hostileToken, node: HOSTILE });

interface Claim {
  readonly op: Op;
  readonly sender: Sender;
  readonly receipt: Receipt;
}

async function send(op: Op, sender: Sender): Promise<Claim> {
  const [result] = await sender.at.ops([op], sender.node, sender.token);
  return { op, sender, receipt: receiptOf(result) };
}

function receiptOf(result: CloudOpResult | undefined): Receipt {
  if (result === undefined || !('receipt' in result)) throw new Error(`no receipt: ${JSON.stringify(result)}`);
  return result.receipt;
}

/** Operations that a sender reads. */
async function seenBy({ at, token, node }: Sender): Promise<Set<string>> {
  const { body } = await at.get<{ entries: { op?: Op }[] }>(
    `/api/changes?since=0${node === undefined ? '' : `&node=${node}`}`,
    token,
  );
  return new Set(body.entries.flatMap(({ op }) => op?.opId ?? []));
}

/** Sends both claims of each round in the same moment, and returns those that won and those that did not. */
async function meet(
  rounds: readonly (readonly [Op, Op])[],
  [one, other]: readonly [Sender, Sender],
): Promise<{ readonly won: readonly Claim[]; readonly lost: readonly Claim[] }> {
  const [won, lost]: [Claim[], Claim[]] = [[], []];
  for (const [theirs, others] of rounds) {
    const claims = await Promise.all([send(theirs, one), send(others, other)]);
    expect(claims.map(({ receipt }) => receipt.accepted).sort(), 'one wins, the other is on hold').toEqual([
      false,
      true,
    ]);
    for (const claim of claims) (claim.receipt.accepted ? won : lost).push(claim);
  }
  return { won, lost };
}

const rounds = (make: () => readonly [Op, Op]) => Array.from({ length: ROUNDS }, make);
const twoSurveys = (ours: string, theirs: string): readonly [Op, Op] => {
  const survey = surveyOp(ours, { by: ours as never });
  return [survey, makeOp('survey', { ...survey.body, user: { uid: theirs } }, { by: theirs as never })];
};

describe('two first claims of one record, at two processes in one moment', () => {
  it('protocol, Who may write ashore: of two boxes one begins the survey, the other is held as foreign', async () => {
    const senders = [crew(), attacker()] as const;
    const { won, lost } = await meet(
      rounds(() => twoSurveys(newId(), newId())),
      senders,
    );
    for (const { receipt } of lost) expect(receipt.reason).toBe(HOLD_MESSAGES.foreign);
    const [crews, attackers] = [await seenBy(senders[0]), await seenBy(senders[1])];
    // Each box reads its own work in any case, and others' by a grant alone.
    for (const { op, sender } of won)
      expect([crews.has(op.opId), attackers.has(op.opId)].filter(Boolean), sender.node).toHaveLength(0);
    const { rows } = await first.cloud.context.database.pool.query<{ subject: string; topic: string }>(
      'SELECT subject, topic FROM grants WHERE topic = ANY($1)',
      [won.map(({ op }) => op.docId)],
    );
    const expected = won.flatMap(({ op, sender }) =>
      [`node:${sender.node ?? ''}`, `person:${op.by ?? ''}`].map((subject) => `${op.docId} ${subject}`),
    );
    expect(rows.map(({ subject, topic }) => `${topic} ${subject}`).sort()).toEqual(expected.sort());
  });

  it('protocol, Who may write ashore: of two people one has the survey, and staff release the other', async () => {
    const people = [await signIn(first, 'ann@example.org'), await signIn(first, 'eve@example.org')] as const;
    const [ann, eve] = people.map(({ user }: SignedIn) => user.uid) as unknown as readonly [string, string];
    const { won, lost } = await meet(
      rounds(() => twoSurveys(ann, eve)),
      [
        { at: first, token: people[0].session },
        { at: second, token: people[1].session },
      ],
    );
    for (const { receipt } of lost) expect(receipt.reason).toBe(HOLD_MESSAGES.part);
    const [claim, rival] = [lost[0]!, won.find(({ op }) => op.docId === lost[0]!.op.docId)!];
    expect(await seenBy(claim.sender)).not.toContain(rival.op.opId);
    const released = await second.post<{ receipt: Receipt }>(
      `/api/quarantine/${claim.op.opId}/release`,
      {},
      STAFF_TOKEN,
    );
    expect(released.body.receipt).toMatchObject({ accepted: true, opId: claim.op.opId });
    expect(await seenBy(claim.sender)).toContain(rival.op.opId);
    // Held operations that are sent again are answered as before.
    const again = lost[1]!;
    expect((await send(again.op, again.sender)).receipt).toEqual(again.receipt);
  });

  it('protocol, Who may write ashore: of a claim on hold whose wait ends and a new one, one wins', async () => {
    const [dan, mallory] = [await signIn(first, 'dan@example.org'), await signIn(first, 'mallory@example.org')];
    const tablet = newId();
    const credential = await registerDevice(first, mallory, tablet);
    const claims = rounds(() => twoSurveys(dan.user.uid, mallory.user.uid));
    for (const [held] of claims)
      expect((await send(held, { at: first, token: credential })).receipt.reason).toBe(HOLD_MESSAGES.bringer);
    // Dan comes to the tablet, and what waited for that is released at one process.
    await Promise.all([
      first.post('/api/devices', { device: { id: tablet, name: 'Tablet' }, before: credential }, dan.session),
      ...claims.map(([, rival]) => send(rival, { at: second, token: mallory.session })),
    ]);
    const { rows } = await first.cloud.context.database.pool.query<{ people: number }>(
      'SELECT count(*)::int AS people FROM grants WHERE topic = ANY($1) GROUP BY topic',
      [claims.map(([{ docId }]) => docId)],
    );
    expect(rows).toEqual(claims.map(() => ({ people: 1 })));
  });

  it('protocol, Who may write ashore: of two boxes one begins a profile, and the other does not read it', async () => {
    const profiles = rounds(() => {
      const uid = newId();
      const profile = (email: string): Op =>
        makeOp('profile', { uid, name: { first: 'Ben' }, email }, { by: uid as never });
      return [profile('ben@example.org'), profile('eve@example.org')];
    });
    for (const [one, other] of profiles) await Promise.all([send(one, crew()), send(other, attacker())]);
    const { rows } = await first.cloud.context.database.pool.query<{ boxes: number }>(
      "SELECT count(*)::int AS boxes FROM grants WHERE topic = ANY($1) AND subject LIKE 'node:%' GROUP BY topic",
      [profiles.map(([{ docId }]) => `profile:${docId}`)],
    );
    expect(rows).toEqual(profiles.map(() => ({ boxes: 1 })));
  });

  it('protocol, Who may write ashore: one id names one photograph, also when two arrive at once', async () => {
    const survey = surveyOp();
    await send(survey, crew());
    const photographs: (readonly [Op, Op])[] = [];
    for (let n = 0; n < ROUNDS; n++) {
      const [mine, another, id] = [photograph(600), photograph(700), newId()];
      await Promise.all([first.upload(mine, crewsToken), second.upload(another, crewsToken)]);
      photographs.push([imageOp(survey.docId, mine, id), imageOp(survey.docId, another, id)]);
    }
    const { lost } = await meet(photographs, [crew(), crew(second)]);
    for (const { receipt } of lost) expect(receipt.reason).toBe('Another photograph is here under this id.');
  });

  it('protocol, Who may write ashore: parts of a box’s own work at both processes are all accepted', async () => {
    for (let n = 0; n < ROUNDS; n++) {
      const survey = surveyOp();
      const edit = makeOp(
        'survey',
        { ...survey.body, name: 'Edited' },
        { by: survey.by!, lc: 2, over: { name: [survey.opId] } },
      );
      const analysis = makeOp(
        'analysis',
        { id: newId(), survey: { id: survey.docId }, image: { id: newId() }, user: { uid: survey.by! } },
        { by: survey.by! },
      );
      const claims = await Promise.all(
        [survey, edit, analysis, survey].map((op, index) => send(op, crew(index % 2 === 0 ? first : second))),
      );
      expect(claims.map(({ receipt }) => receipt.accepted)).toEqual([true, true, true, true]);
      expect(claims[3]!.receipt).toEqual(claims[0]!.receipt);
    }
  });
});
