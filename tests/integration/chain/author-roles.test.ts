import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Edge } from '../../../edge-server/app';
import { buildEdge } from '../../../edge-server/app';
import { exportToDrive, parseExportArguments } from '../../../edge-server/drive/export-to-drive';
import { readSettings } from '../../../edge-server/settings';
import type { JsonObject } from '../../../src/domain/json';
import type { Op } from '../../../src/domain/op/op';
import { unsigned } from '../../../src/domain/op/reissued-op';
import type { ChangeEntry } from '../../../src/protocol/changes';
import type { CloudOpResult } from '../../../src/protocol/cloud-http';
import type { TestCloud } from '../../support/servers/cloud';
import { startCloud } from '../../support/servers/cloud';
import { EdgeClient, imageOp, makeOp, newId, photograph, surveyOp } from '../../support/servers/edge-client';
import type { TestDeviceKey } from '../../support/servers/device-keys';
import { certifiedKey, signedBy } from '../../support/servers/device-keys';
import type { SignedIn } from '../../support/servers/people';
import { registerDevice, signIn, signInAs, signInStaff } from '../../support/servers/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Every claim that a body can make about its author. */
const LOUD = { isExpert: true, verified: true, admin: true, staff: true };
const QUIET = { isExpert: false, verified: false, admin: false, staff: false };
/** Box whose token is used by no other box. */
const NODE = 'BoxOfAuthorRoles';

const home = mkdtempSync(path.join(os.tmpdir(), 'reef-roles-'));
let cloud: TestCloud;
let edge: Edge;
let url: string;
let people: {
  readonly expert: SignedIn;
  readonly verified: SignedIn;
  readonly volunteer: SignedIn;
  readonly admin: SignedIn;
  readonly staff: SignedIn;
};
let survey: Op;
let image: Op;
/** Keys of devices on which people signed in, by uid. */
const keys = new Map<string, TestDeviceKey>();

beforeAll(async () => {
  cloud = await startCloud();
  const [expert, verified, admin, volunteer] = await Promise.all([
    signInAs(cloud, 'is_expert'),
    signInAs(cloud, 'verified'),
    signInAs(cloud, 'admin'),
    signIn(cloud, 'volunteer@example.org'),
  ]);
  people = { expert, verified, admin, volunteer, staff: await signInStaff(cloud, 'staff@example.org') };
  for (const person of Object.values(people)) keys.set(person.user.uid, await certifiedKey(cloud, person));
  edge = await buildEdge(readSettings({ REEF_HOME: home, EDGE_PORT: '0', MIN_FREE_GB: '0' }), {
    log: pino({ level: 'silent' }),
  });
  url = await edge.listen();
  await bring('jwks', '/api/auth/jwks');
  survey = surveyOp(volunteer.user.uid);
  const content = photograph(2000);
  await cloud.upload(content);
  image = imageOp(survey.docId, content);
  expect(await cloud.ops([survey, image], NODE)).toMatchObject([
    { receipt: { accepted: true } },
    { receipt: { accepted: true } },
  ]);
});
afterAll(async () => {
  await edge.close();
  await cloud.close();
  rmSync(home, { recursive: true, force: true });
});

async function bring(name: string, place = `/api/reference/${name}`): Promise<void> {
  const { body } = await cloud.get(place, people.staff.session);
  const answer = await aboard('PUT', `/edge/reference/${name}`, body);
  expect(answer.status).toBe(200);
}
const aboard = (method: string, place: string, body: unknown) =>
  fetch(`${url}${place}`, {
    method,
    headers: { authorization: `Bearer ${edge.context.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const token = async ({ session }: SignedIn) =>
  (await cloud.get<{ token: string }>('/api/auth/edge-token', session)).body.token;

/** Operation as its author's device writes it: signed, if they signed in. */
function written(op: Op): Op {
  const key = keys.get(op.by ?? '');
  return key === undefined ? op : signedBy(key, op);
}

/** Analysis whose body claims every role. */
function loudAnalysis(uid: string, more: JsonObject = {}, of = image): Op {
  return written(
    makeOp(
      'analysis',
      {
        id: newId(),
        version: 4,
        image: { id: of.docId },
        survey: { id: (of.body['survey'] as { id: string }).id },
        ...LOUD,
        user: { uid, ...LOUD },
        ...more,
      },
      { by: uid as never },
    ),
  );
}
const accepted = (results: readonly CloudOpResult[]) =>
  expect(results.map((one) => ('receipt' in one ? one.receipt.accepted : one))).toEqual(results.map(() => true));
async function shownAshore(kind: string, docId: string): Promise<JsonObject> {
  const { rows } = await cloud.cloud.context.database.pool.query<{ shown: string }>(
    'SELECT shown FROM docs WHERE kind = $1 AND doc_id = $2',
    [kind, docId],
  );
  return JSON.parse(rows[0]!.shown) as JsonObject;
}
async function countedAshore(imageId = image.docId): Promise<{ readonly all: number; readonly expert: number }> {
  const { analysis, analysis_expert: expert } = (await shownAshore('image', imageId))['meta'] as unknown as {
    analysis: { total: number };
    analysis_expert: { total: number };
  };
  return { all: analysis.total, expert: expert.total };
}
/** Counts what one more analysis adds to the counters of its photograph. */
async function adds(work: () => Promise<unknown>): Promise<{ readonly all: number; readonly expert: number }> {
  const before = await countedAshore();
  await work();
  const after = await countedAshore();
  return { all: after.all - before.all, expert: after.expert - before.expert };
}

describe('1§6, 2§6: roles come from the server’s knowledge of the author, never from a record', () => {
  it('2§3, 2§6: an expert’s analysis counts as expert on every route, and the op stays unchanged', async () => {
    const { expert, verified, volunteer, admin, staff } = people;
    const ways: readonly (readonly [string, (op: Op, who: SignedIn) => Promise<readonly CloudOpResult[]>])[] = [
      ['a session', async (op, who) => cloud.ops([op], undefined, who.session)],
      ['a tablet', async (op, who) => cloud.ops([op], undefined, await registerDevice(cloud, who))],
      ['a box', async (op) => cloud.ops([op], NODE)],
      ['staff', async (op) => cloud.ops([op], undefined, staff.session)],
    ];
    for (const [way, send] of ways) {
      for (const [who, roles] of [
        [expert, { isExpert: true }],
        [verified, { verified: true }],
        [admin, { admin: true }],
        [volunteer, {}],
      ] as const) {
        const op = loudAnalysis(who.user.uid);
        expect(await adds(async () => accepted(await send(op, who))), way).toEqual(
          'isExpert' in roles ? { all: 0, expert: 1 } : { all: 1, expert: 0 },
        );
        expect(await shownAshore('analysis', op.docId), way).toMatchObject({
          ...QUIET,
          ...roles,
          user: { uid: who.user.uid, ...QUIET, ...roles },
        });
        const { rows } = await cloud.cloud.context.database.pool.query<{ op: string }>(
          'SELECT op FROM ops WHERE op_id = $1',
          [op.opId],
        );
        expect(JSON.parse(rows[0]!.op), 'as it was sent').toEqual(op);
      }
    }
  });

  it('2§6: an expert’s analysis counts as expert without a claim in the record', async () => {
    const op = loudAnalysis(people.expert.user.uid, { user: { uid: people.expert.user.uid, isExpert: false } });
    expect(await adds(async () => accepted(await cloud.ops([op], undefined, people.expert.session)))).toEqual({
      all: 1,
      expert: 0,
    });
  });

  it('1§6: a record of any kind grants no role, and reads and recounts agree', async () => {
    const { volunteer } = people;
    const { uid } = volunteer.user;
    const content = photograph(1500);
    await cloud.upload(content, volunteer.session);
    const own = surveyOp(uid);
    const ops = [
      makeOp('survey', { ...own.body, ...LOUD, user: { uid, ...LOUD } }, { by: uid as never }),
      makeOp('image', { ...imageOp(own.docId, content).body, ...LOUD, user: { uid, ...LOUD } }, { by: uid as never }),
      makeOp(
        'profile',
        { uid, name: { first: 'V', last: '' }, ...LOUD, data: LOUD, domains: ['x'] },
        { by: uid as never },
      ),
    ];
    for (const op of ops) accepted(await cloud.ops([op], undefined, volunteer.session));
    const seen = async () => Promise.all(ops.slice(0, 2).map(({ kind, docId }) => shownAshore(kind, docId)));
    for (const doc of await seen()) expect(doc).toMatchObject({ ...QUIET, user: { uid, ...QUIET } });
    expect(await shownAshore('profile', uid)).toMatchObject({ admin: false, isExpert: false, verified: false });
    const { body } = await cloud.get<{ items: JsonObject[] }>(
      `/api/query/images-by-survey?surveyId=${own.docId}`,
      volunteer.session,
    );
    expect(body.items).toMatchObject([{ user: QUIET }]);
    expect((await cloud.get<{ user: object }>('/api/me', volunteer.session)).body.user).toMatchObject({
      admin: false,
      isExpert: false,
      verified: false,
      staff: false,
    });
    const before = [await seen(), await countedAshore()];
    await cloud.cloud.context.store.rebuild();
    expect([await seen(), await countedAshore()]).toEqual(before);
  });

  it('2§6: an admitted analysis keeps its role when the author’s role changes later', async () => {
    const person = await signIn(cloud, 'later@example.org');
    keys.set(person.user.uid, await certifiedKey(cloud, person));
    const give = (isExpert: boolean) =>
      cloud.post(`/api/admin/users/${person.user.uid}/roles`, { isExpert }, people.staff.session);
    const early = loudAnalysis(person.user.uid);
    expect(await adds(async () => accepted(await cloud.ops([early], undefined, person.session)))).toEqual({
      all: 1,
      expert: 0,
    });
    expect((await give(true)).status).toBe(200);
    const meanwhile = loudAnalysis(person.user.uid);
    expect(await adds(async () => accepted(await cloud.ops([meanwhile], NODE)))).toEqual({ all: 0, expert: 1 });
    expect((await give(false)).status).toBe(200);
    expect(
      await adds(async () => accepted(await cloud.ops([loudAnalysis(person.user.uid)], undefined, person.session))),
    ).toEqual({ all: 1, expert: 0 });
    expect(await adds(async () => cloud.cloud.context.store.rebuild())).toEqual({ all: 0, expert: 0 });
    // Edits are judged by the author's role when they arrive.
    const edit = written(
      makeOp('analysis', { ...early.body }, { by: person.user.uid as never, lc: 2, over: { '*': [early.opId] } }),
    );
    await give(true);
    expect(await adds(async () => accepted(await cloud.ops([edit], undefined, person.session)))).toEqual({
      all: -1,
      expert: 1,
    });
  });

  it('2§6: an unknown or held author has no role', async () => {
    expect(
      await adds(async () => accepted(await cloud.ops([loudAnalysis(newId())], NODE))),
      'pending, from a box',
    ).toEqual({ all: 1, expert: 0 });
    const disabled = await signInAs(cloud, 'is_expert', 'disabled@example.org');
    keys.set(disabled.user.uid, await certifiedKey(cloud, disabled));
    await cloud.post(`/api/admin/users/${disabled.user.uid}/roles`, { disabled: true }, people.staff.session);
    expect(
      await adds(async () => accepted(await cloud.ops([loudAnalysis(disabled.user.uid)], NODE))),
      'disabled',
    ).toEqual({ all: 1, expert: 0 });
    // Forged under an expert's name by a stranger: held, and not counted as an expert's.
    const forged = unsigned(loudAnalysis(people.expert.user.uid));
    expect(
      await adds(async () =>
        expect(await cloud.ops([forged], undefined, people.volunteer.session)).toMatchObject([
          { receipt: { accepted: false } },
        ]),
      ),
    ).toEqual({ all: 0, expert: 0 });
  });
});

describe('1§6, 2§6: aboard', () => {
  let code: string;
  const countedAboard = async () => (await edge.context.store.document('image', image.docId))?.owned['meta'];
  async function tablet(who: SignedIn | null): Promise<EdgeClient> {
    const client = await EdgeClient.connect(url);
    client.key = keys.get(who?.user.uid ?? '') ?? client.key;
    expect(await client.verify({ code, ...(who === null ? {} : { token: await token(who) }) })).toMatchObject({
      ok: true,
      user: who === null ? null : { uid: who.user.uid },
    });
    return client;
  }
  const takesOnBoard = async (client: EdgeClient, op: Op) =>
    expect(await client.send(op.kind === 'image' ? 'image:record' : op.kind, { op })).toMatchObject({
      ok: true,
      receipt: { accepted: true },
    });

  beforeAll(async () => {
    code = edge.context.pairing.code();
    const { keys } = (await cloud.get<{ keys: { for: string }[] }>('/api/keys', null)).body;
    expect(
      (await aboard('PUT', '/edge/reference/cloud-keys', { keys: keys.filter((key) => key.for === 'receipt') })).status,
    ).toBe(200);
    const { entries } = await cloud.changes(0, people.staff.session);
    const ops = entries
      .filter(({ op }) => op?.docId === survey.docId || op?.docId === image.docId)
      .map(({ op, receipt }) => ({ op, receipt }));
    const answer = (await (await aboard('POST', '/edge/ops', { ops, receipts: [] })).json()) as { results: object[] };
    expect(answer.results).toMatchObject([{ receipt: { accepted: true } }, { receipt: { accepted: true } }]);
  });

  it('2§6: a box counts an analysis as expert by the token of its sign-in, also after sign-out', async () => {
    const { expert, volunteer } = people;
    const [ofExpert, ofVolunteer, ofNobody] = [await tablet(expert), await tablet(volunteer), await tablet(null)];
    await takesOnBoard(ofVolunteer, loudAnalysis(volunteer.user.uid));
    await takesOnBoard(ofNobody, loudAnalysis(newId()));
    await takesOnBoard(ofVolunteer, loudAnalysis(expert.user.uid));
    expect(await countedAboard(), 'an expert’s name on another tablet does not count as expert').toEqual({
      analysis: { total: 3 },
      analysis_expert: { total: 0 },
    });
    await takesOnBoard(ofExpert, loudAnalysis(expert.user.uid));
    expect(await countedAboard()).toEqual({ analysis: { total: 3 }, analysis_expert: { total: 1 } });
    await fetch(`${url}/edge/disconnect`, { method: 'POST', headers: { authorization: `Bearer ${ofExpert.session}` } });
    await takesOnBoard(ofExpert, loudAnalysis(expert.user.uid));
    expect(await countedAboard()).toEqual({ analysis: { total: 3 }, analysis_expert: { total: 2 } });
    await edge.context.store.rebuild();
    expect(await countedAboard(), 'recomputed').toEqual({ analysis: { total: 3 }, analysis_expert: { total: 2 } });
    for (const client of [ofExpert, ofVolunteer, ofNobody]) client.close();
  });

  it('2§6: a box accepts roles from the cloud alone', async () => {
    const brought = (await cloud.changes(0, people.staff.session)).entries.filter(
      (entry): entry is ChangeEntry & { op: Op } => entry.op?.kind === 'analysis' && entry.receipt?.accepted === true,
    );
    const experts = brought.filter(({ roles }) => roles?.includes('isExpert') === true && roles !== undefined);
    expect(experts.length).toBeGreaterThan(3);
    const before = (await countedAboard()) as { analysis_expert: { total: number } };
    const [first, second] = experts as [(typeof experts)[0], (typeof experts)[0]];
    const answer = await aboard('POST', '/edge/ops', {
      ops: [
        { op: first.op, receipt: first.receipt, roles: first.roles },
        { op: loudAnalysis(newId()), roles: ['isExpert'] },
        { op: second.op, receipt: second.receipt, roles: 'isExpert' },
      ],
      receipts: [],
    });
    expect(((await answer.json()) as { results: object[] }).results).toMatchObject([
      { receipt: { accepted: true } },
      { receipt: { accepted: true } },
      { receipt: { accepted: true } },
    ]);
    expect(((await countedAboard()) as { analysis_expert: { total: number } }).analysis_expert.total).toBe(
      before.analysis_expert.total + 1,
    );
  });

  it('1§6: a role removed ashore ends aboard for open sessions and old tokens once the box syncs', async () => {
    const person = await signInAs(cloud, 'is_expert', 'was-expert@example.org');
    keys.set(person.user.uid, await certifiedKey(cloud, person));
    const old = await token(person);
    const client = await tablet(person);
    expect(await client.verify({ session: client.session, token: old })).toMatchObject({ user: { isExpert: true } });
    expect(
      (
        await cloud.post(
          `/api/admin/users/${person.user.uid}/roles`,
          { isExpert: false, verified: true },
          people.staff.session,
        )
      ).status,
    ).toBe(200);
    const fresh = await token(person);
    await bring('revocations');
    for (const more of [{ session: client.session }, { session: client.session, token: old }])
      expect((await client.verify(more))['user']).not.toHaveProperty('isExpert');
    const before = (await countedAboard()) as { analysis_expert: { total: number } };
    await takesOnBoard(client, loudAnalysis(person.user.uid));
    expect(((await countedAboard()) as { analysis_expert: { total: number } }).analysis_expert.total).toBe(
      before.analysis_expert.total,
    );
    expect(await client.verify({ session: client.session, token: fresh })).toMatchObject({
      user: { uid: person.user.uid, verified: true },
    });
    // Role returns with a newer token, even within the same second.
    expect(
      (await cloud.post(`/api/admin/users/${person.user.uid}/roles`, { isExpert: true }, people.staff.session)).status,
    ).toBe(200);
    expect(await client.verify({ session: client.session, token: await token(person) })).toMatchObject({
      user: { isExpert: true, verified: true },
    });
    client.close();
  });

  it('2§6: a sealed bundle gets its roles from the accounts of the authors that the box names', async () => {
    const owed = edge.context.record.database
      .prepare<[], { op: string }>("SELECT op FROM ops WHERE kind = 'analysis' AND accepted = 1 AND ashore = 0")
      .all()
      .map(({ op }) => JSON.parse(op) as Op);
    const experts = owed.filter(({ by }) => by === people.expert.user.uid).length;
    expect(experts).toBeGreaterThan(1);
    expect(owed.length - experts).toBeGreaterThan(2);
    await bring('cloud-seal-key', '/api/seal-key');
    const drive = path.join(home, 'drive');
    mkdirSync(drive);
    const [bundle] = await exportToDrive(
      { ...readSettings({ REEF_HOME: home, MIN_FREE_GB: '0' }), port: Number(new URL(url).port) },
      '1.0.0',
      parseExportArguments([drive]),
      () => undefined,
    );
    // Roles at the import count: this author has become an expert by then.
    expect(
      await adds(async () => {
        const answer = await fetch(`${cloud.url}/api/import?confirm=${edge.context.bundleKey.kid}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${people.staff.session}`, 'content-type': 'application/x-reef-bundle' },
          body: readFileSync(bundle!.file),
        });
        expect(answer.status, (await answer.clone().text()).slice(0, 300)).toBe(200);
        await answer.text();
      }),
    ).toEqual({ all: owed.length - experts - 1, expert: experts + 1 });
  });
});
