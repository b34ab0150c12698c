import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../src/domain/json';
import type { Op, OpKind } from '../../../src/domain/op/op';
import type { CloudOpResult } from '../../../src/protocol/cloud-http';
import { ReceiptSigner } from '../../../src/server/ops/receipt-signer';
import type { TestCloud } from '../../support/servers/cloud';
import { startCloud } from '../../support/servers/cloud';
import { makeOp, newId, photograph, sha256, surveyOp } from '../../support/servers/edge-client';
import type { TestDeviceKey } from '../../support/servers/device-keys';
import { certifiedKey, signedBy } from '../../support/servers/device-keys';
import type { SignedIn } from '../../support/servers/people';
import { registerDevice, signIn, signInAs, signInStaff } from '../../support/servers/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const NODE = 'BoxOfTheCrew0001';
const PENDING = 'PendingPerson001';
const PENDING_TABLET = 'PendingTablet001';

let cloud: TestCloud;
let owner: SignedIn;
let crew: SignedIn;
let crewsKey: TestDeviceKey;
let stranger: SignedIn;
let dora: SignedIn;
let staff: SignedIn;
let keeper: SignedIn;
let keepersTablet: string;
/** People with a role, each with a survey of their own. */
let others: Record<'anonymous' | 'verified' | 'expert' | 'admin', SignedIn>;
const owns = new Map<string, Op>();
let ownersTablet: string;
let strangersTablet: string;
let box: ReceiptSigner;
/** Owner's survey, sent directly; the crew and a person unknown ashore joined aboard. */
let shared: Op;
/** Surveys of another user, one of them private. */
let doras: Op;
let dorasPrivate: Op;
let strangers: Op;
const keys = mkdtempSync(path.join(os.tmpdir(), 'reef-may-'));

const uid = (person: SignedIn) => person.user.uid;
const bodyOf = (op: Op, more: JsonObject = {}): JsonObject => ({ ...op.body, ...more });
const image = (surveyId: string, by: string, content: Uint8Array, more: JsonObject = {}, as: Partial<Op> = {}): Op =>
  makeOp(
    'image',
    {
      id: newId(),
      survey: { id: surveyId },
      user: { uid: by },
      sha256: sha256(content),
      bytes: content.length,
      ...more,
    },
    { by: by as never, ...as },
  );
const analysis = (surveyId: string, by: string, more: JsonObject = {}): Op =>
  makeOp(
    'analysis',
    { id: newId(), survey: { id: surveyId }, image: { id: newId() }, user: { uid: by }, ...more },
    { by: by as never },
  );
const edit = (survey: Op, by: string, more: JsonObject = { name: newId() }): Op =>
  makeOp('survey', bodyOf(survey, more), {
    by: by as never,
    lc: 2,
    over: Object.fromEntries(Object.keys(more).map((field) => [field, []])),
  });
const document = (kind: OpKind, id: string) => cloud.cloud.context.store.document(kind, id);
const signed = (op: Op, signer = box, node = NODE) =>
  signer.signReceipt({
    v: 1,
    stage: 'edge',
    nodeId: node as never,
    storeEpoch: 'EpochOfTheBox001',
    opId: op.opId,
    kind: op.kind,
    docId: op.docId,
    sha256: op.sha256,
    accepted: true,
    seq: 1,
    storedAt: op.madeAt,
  });
/** Outcome sign: `a` accepted, `h` held, `u` unknown survey. */
function signOf(result: CloudOpResult | undefined): string {
  if (result === undefined || 'needs' in result) return '?';
  if ('error' in result) return result.error.code === 'unknown-survey' ? 'u' : result.error.code;
  return result.receipt.accepted ? 'a' : 'h';
}
const send = async (token: string, ...items: unknown[]) =>
  (await cloud.ops(items, undefined, token)).map(signOf).join('');
const seen = async (token: string) =>
  new Set((await cloud.changes(0, token)).entries.flatMap(({ op }) => (op === undefined ? [] : [op.opId as string])));
const lastReceipt = async (token: string, { opId }: Op) =>
  (await cloud.changes(0, token)).entries.filter(({ receipt }) => receipt?.opId === opId).at(-1)?.receipt;

beforeAll(async () => {
  cloud = await startCloud();
  box = await ReceiptSigner.open(path.join(keys, 'box.json'));
  [owner, crew, stranger, dora] = [
    await signIn(cloud, 'owner@example.org'),
    await signIn(cloud, 'crew@example.org'),
    await signIn(cloud, 'stranger@example.org'),
    await signIn(cloud, 'dora@example.org'),
  ];
  staff = await signInStaff(cloud, 'staff@example.org');
  keeper = await signIn(cloud, 'keeper@example.org');
  keepersTablet = await registerDevice(cloud, keeper);
  [ownersTablet, strangersTablet] = [await registerDevice(cloud, owner), await registerDevice(cloud, stranger)];
  await cloud.post('/api/fleet/keys', { node: NODE, keys: [], receiptKeys: box.publicKeys });
  [shared, doras, dorasPrivate, strangers] = [
    surveyOp(uid(owner)),
    surveyOp(uid(dora)),
    makeOp('survey', { id: newId(), user: { uid: uid(dora) }, private: true }, { by: uid(dora) as never }),
    surveyOp(uid(stranger)),
  ];
  expect(await send(owner.session, shared)).toBe('a');
  expect(await send(dora.session, doras, dorasPrivate)).toBe('aa');
  expect(await send(stranger.session, strangers)).toBe('a');
  others = {
    anonymous: await signInAs(cloud, 'anonymous'),
    verified: await signInAs(cloud, 'verified'),
    expert: await signInAs(cloud, 'is_expert'),
    admin: await signInAs(cloud, 'admin'),
  };
  for (const [who, person] of [...Object.entries(others), ['stranger', stranger] as const])
    owns.set(who, who === 'stranger' ? strangers : surveyOp(uid(person)));
  for (const [who, person] of Object.entries(others)) expect(await send(person.session, owns.get(who))).toBe('a');
  const aboard = { ...edit(shared, PENDING), opId: `${PENDING_TABLET}-1` as never };
  // The box delivers what the owner sent too, and the crew's signed edits.
  crewsKey = await certifiedKey(cloud, crew);
  const crews = signedBy(crewsKey, edit(shared, uid(crew)));
  expect((await cloud.ops([shared, crews, aboard], NODE)).map(signOf)).toEqual(['a', 'a', 'a']);
});
afterAll(async () => {
  await cloud.close();
  rmSync(keys, { recursive: true, force: true });
});

/** Own, others', others' private, unknown: for survey, photograph, analysis; then profile: own, others', unknown. */
const EXPECTED = {
  owner: ['ahha', 'ahhu', 'aahu', 'ahh'],
  crew: ['ahha', 'ahhu', 'aahu', 'ahh'],
  stranger: ['ahha', 'ahhu', 'aahu', 'ahh'],
  anonymous: ['ahha', 'ahhu', 'aahu', 'ahh'],
  verified: ['ahha', 'ahhu', 'aahu', 'ahh'],
  expert: ['ahha', 'ahhu', 'aahu', 'ahh'],
  admin: ['ahha', 'ahhu', 'aahu', 'ahh'],
  pending: ['ahha', 'ahhu', 'aahu', 'ahh'],
  staff: ['aaaa', 'aaau', 'aaaa', 'ahh'],
  'owner’s tablet': ['ahha', 'ahhu', 'aahu', 'hhh'],
  'another’s tablet': ['hhhh', 'hhhu', 'hhhu', 'hhh'],
  box: ['ahha', 'ahhu', 'aaha', 'hhh'],
} as const;

describe('1§6: write access ashore', () => {
  it.each(Object.keys(EXPECTED) as (keyof typeof EXPECTED)[])(
    '1§6: %s, each kind of record, in own, others’ and unknown surveys',
    async (who) => {
      const of = {
        owner,
        crew,
        stranger,
        staff,
        'owner’s tablet': owner,
        'another’s tablet': owner,
        box: owner,
        ...others,
      } as const;
      const by = who === 'pending' ? PENDING : uid(of[who]);
      const token = {
        owner: owner.session,
        crew: crew.session,
        stranger: stranger.session,
        pending: keepersTablet,
        staff: staff.session,
        'owner’s tablet': ownersTablet,
        'another’s tablet': strangersTablet,
        box: cloud.boxToken,
        ...(Object.fromEntries(Object.entries(others).map(([name, { session }]) => [name, session])) as Record<
          keyof typeof others,
          string
        >),
      }[who];
      const own = owns.get(who) ?? shared;
      let n = 1;
      const written = (op: Op): Op =>
        who === 'pending' ? { ...op, opId: `${PENDING_TABLET}-${(n += 1)}` as never } : op;
      const content = photograph(2000 + Math.floor(Math.random() * 500));
      await cloud.upload(content);
      const rows: Op[][] = [
        [edit(own, by), edit(doras, by), edit(dorasPrivate, by), surveyOp(by)],
        [own.docId, doras.docId, dorasPrivate.docId, newId()].map((id) => image(id, by, content)),
        [own.docId, doras.docId, dorasPrivate.docId, newId()].map((id) => analysis(id, by)),
        [by, uid(dora), newId()].map((id) =>
          makeOp('profile', { uid: id, name: { first: 'A', last: 'B' } }, { by: by as never }),
        ),
      ].map((row) => row.map(written));
      const topics = {
        text: "SELECT subject, topic FROM grants WHERE topic = ANY($1) AND subject NOT LIKE 'node:%' ORDER BY 1, 2",
        values: [[own.docId, doras.docId, dorasPrivate.docId]],
      };
      const pool = cloud.cloud.context.database.pool;
      const before = (await pool.query(topics)).rows;
      const came: string[] = [];
      for (const row of rows) {
        let signs = '';
        for (const op of row) {
          const was = await document(op.kind, op.docId);
          const [result] = await cloud.ops([op], who === 'box' ? NODE : undefined, token);
          signs += signOf(result);
          // Refused writes change no document.
          if (signs.endsWith('h')) expect(await document(op.kind, op.docId)).toEqual(was);
        }
        came.push(signs);
      }
      expect(came).toEqual(EXPECTED[who]);
      if (who === 'staff' || who === 'box') return;
      // Refused writes grant no access; held ops are invisible to members of that survey.
      const keepers = who === 'pending' ? [{ subject: `person:${uid(keeper)}`, topic: own.docId }] : [];
      const text = (rows: object[]) => rows.map((row) => JSON.stringify(row)).sort();
      expect(text((await pool.query(topics)).rows)).toEqual(text([...before, ...keepers]));
      const dorasFeed = await seen(dora.session);
      for (const [r, row] of rows.entries())
        for (const [i, op] of row.entries())
          if (i > 0 && EXPECTED[who][r]![i] === 'h') expect(dorasFeed.has(op.opId), op.kind).toBe(false);
      if (who === 'stranger') {
        expect(await seen(stranger.session)).not.toContain(doras.opId);
        expect(await seen(stranger.session), 'an analysis of one’s own').toContain(rows[2]![1]!.opId);
      }
    },
  );

  it('1§6: a photograph cannot be rewritten through another survey, nor its owner changed', async () => {
    const content = photograph(3000);
    await cloud.upload(content);
    const theirs = image(doras.docId, uid(dora), content);
    expect(await send(dora.session, theirs)).toBe('a');
    const moved = image(strangers.docId, uid(stranger), content, { id: theirs.docId });
    const toDora = makeOp('survey', { id: newId(), user: { uid: uid(dora) } }, { by: uid(stranger) as never });
    const given = edit(strangers, uid(stranger), { user: { uid: uid(dora) } });
    const analysed = analysis(doras.docId, uid(stranger), { user: { uid: uid(dora) } });
    expect(await send(stranger.session, moved, toDora, given, analysed)).toBe('hhhh');
    expect((await document('image', theirs.docId))!.folded.doc['survey']).toEqual({ id: doras.docId });
    expect([...(await seen(dora.session))]).not.toContain(toDora.opId);
    const { body } = await cloud.get<{ items: { op: Op; reason: string }[] }>(
      '/api/quarantine?limit=1000',
      staff.session,
    );
    expect(body.items.find(({ op }) => op.opId === toDora.opId)?.reason).toContain(
      'names an owner who did not write it',
    );
  });

  it('1§6: an analysis can be changed by its author and by no stranger', async () => {
    const first = analysis(doras.docId, uid(stranger));
    expect(await send(stranger.session, first)).toBe('a');
    const again = (by: SignedIn) =>
      makeOp(
        'analysis',
        { ...first.body, done: uid(by) },
        { by: uid(by) as never, lc: 2, over: { '*': [first.opId] } },
      );
    expect(await send(stranger.session, again(stranger))).toBe('a');
    expect(await send(crew.session, again(crew))).toBe('h');
  });
});

describe('1§6: access granted aboard', () => {
  it('protocol: box receipts admit two crew members ashore while the box is at sea', async () => {
    const survey = surveyOp(uid(owner));
    const content = photograph(4000);
    await cloud.upload(content);
    const [picture, changed] = [image(survey.docId, uid(crew), content), edit(survey, uid(crew))];
    const shown = [picture, changed].map((op) => ({ op, receipt: signed(op) }));
    // Second arrives before the first: its own survey is not ashore yet.
    const crewsTablet = await registerDevice(cloud, crew);
    expect(await send(crewsTablet, shown[1])).toBe('a');
    expect(await send(ownersTablet, survey)).toBe('a'); // Accepted once it is the owner's too
    expect(await send(crewsTablet, shown[0])).toBe('a');
    expect([...(await seen(crew.session))]).toEqual(expect.arrayContaining([survey.opId, picture.opId, changed.opId]));
    expect([...(await seen(owner.session))]).toEqual(expect.arrayContaining([survey.opId, picture.opId, changed.opId]));
    expect((await document('survey', survey.docId))!.folded.doc['name']).toBe(changed.body['name']);
  });

  it('protocol: a foreign, altered, refused or revoked box receipt admits no one', async () => {
    const other = await ReceiptSigner.open(path.join(keys, 'other.json'));
    const lost = (await cloud.post<{ token: string }>('/api/fleet/boxes', { name: 'Lost' }, staff.session)).body.token;
    await cloud.post('/api/fleet/keys', { node: 'BoxThatIsLost001', keys: [], receiptKeys: other.publicKeys }, lost);
    await cloud.post('/api/fleet/boxes/BoxThatIsLost001/revoke', {}, staff.session);
    const op = () => edit(shared, uid(stranger));
    const bad = [
      () => signed(op(), box, NODE),
      (one: Op) => ({ ...signed(one), seq: 2 }),
      (one: Op) =>
        box.signReceipt({ ...(({ sig: _s, kid: _k, ...rest }) => rest)(signed(one)), accepted: false } as never),
      (one: Op) => signed(one, other),
      (one: Op) => signed(one, other, 'BoxThatIsLost001'),
      () => ({ v: 1 }),
      () => 7,
    ];
    for (const receipt of bad) {
      const one = op();
      expect(await send(stranger.session, { op: one, receipt: receipt(one) })).toBe('h');
    }
    expect([...(await seen(stranger.session))]).not.toContain(shared.opId);
  });

  it('protocol: a held op is ingested when the box submits it, and all get the new receipt once', async () => {
    const survey = surveyOp(uid(owner));
    const changed = signedBy(crewsKey, edit(survey, uid(crew)));
    const crewsTablet = await registerDevice(cloud, crew);
    expect(await send(crewsTablet, changed), 'of an unknown survey').toBe('h');
    expect(await send(owner.session, survey)).toBe('a');
    expect(await send(crewsTablet, changed), 'repeated').toBe('h');
    expect((await document('survey', survey.docId))!.folded.doc['name']).toBe(survey.body['name']);
    expect((await cloud.ops([survey, changed], NODE)).map(signOf)).toEqual(['a', 'a']);
    expect((await document('survey', survey.docId))!.folded.doc['name']).toBe(changed.body['name']);
    expect(await lastReceipt(crewsTablet, changed)).toMatchObject({ accepted: true });
    const accepted = (await cloud.changes(0, owner.session)).entries.filter(
      ({ receipt }) => receipt?.opId === changed.opId,
    );
    expect(accepted.map(({ receipt }) => receipt?.accepted)).toEqual([true]);
    expect(await send(crewsTablet, edit(survey, uid(crew))), 'now they take part').toBe('a');
  });

  it('protocol: a stranger’s first write to a known id holds the work of others until staff release it', async () => {
    const survey = surveyOp(uid(owner));
    const squat = makeOp('survey', { ...survey.body, user: { uid: uid(stranger) } }, { by: uid(stranger) as never });
    expect(await send(stranger.session, squat)).toBe('a');
    expect(await send(ownersTablet, survey)).toBe('h');
    expect(await send(ownersTablet, { op: survey, receipt: signed(survey) })).toBe('h');
    const released = await cloud.post(`/api/quarantine/${survey.opId}/release`, {}, staff.session);
    expect(released.status).toBe(200);
    expect(await send(ownersTablet, edit(survey, uid(owner))), 'what follows').toBe('a');
    expect([...(await seen(owner.session))]).toContain(survey.opId);
  });
});

describe('1§6: shared tablets', () => {
  it('protocol: another person’s ops are held until they sign in on that tablet, then ingested', async () => {
    const name = newId();
    const first = await registerDevice(cloud, owner, name);
    const content = photograph(5000);
    await cloud.upload(content);
    const survey = surveyOp(uid(crew));
    const picture = image(survey.docId, uid(crew), content);
    expect(await send(first, survey, picture)).toBe('hh');
    expect([...(await seen(crew.session))], 'no box vouches for them').not.toContain(survey.opId);
    // Naming the tablet does not prove that it is the same one.
    await registerDevice(cloud, crew, name);
    expect(await document('survey', survey.docId)).toBeUndefined();
    const { body } = await cloud.post<{ credential: string }>(
      '/api/devices',
      { device: { id: name, name: 'Tablet' }, before: first },
      crew.session,
    );
    expect((await document('survey', survey.docId))!.folded.doc['user']).toMatchObject({ uid: uid(crew) });
    expect(await document('image', picture.docId)).toBeDefined();
    for (const op of [survey, picture]) expect(await lastReceipt(first, op)).toMatchObject({ accepted: true });
    expect([...(await seen(crew.session))]).toEqual(expect.arrayContaining([survey.opId, picture.opId]));
    // Each may submit for both from now on.
    expect(await send(body.credential, surveyOp(uid(owner)))).toBe('a');
    expect(await send(first, surveyOp(uid(crew)))).toBe('a');
    expect(await send(strangersTablet, surveyOp(uid(crew)))).toBe('h');
  });

  it('protocol: work from before an account stays the author’s, on that tablet and after sign-in', async () => {
    const [tablet, another] = [newId(), await registerDevice(cloud, crew)];
    const unknown = newId();
    const [straight, aboard] = [1, 2].map((n) => ({ ...surveyOp(unknown), opId: `${tablet}-${n}` as never }));
    expect((await cloud.ops([aboard], NODE)).map(signOf)).toEqual(['a']);
    const credential = await registerDevice(cloud, crew, tablet);
    expect(await send(credential, straight)).toBe('a');
    const content = photograph(1800);
    await cloud.upload(content);
    expect(await send(another, image(straight!.docId, uid(crew), content))).toBe('a');
    expect(await send(another, edit(aboard!, uid(crew))), 'the cloud does not know that').toBe('h');
    expect(await send(credential, { ...edit(aboard!, uid(crew)), opId: `${tablet}-3` })).toBe('a');
    expect(await send(another, edit(aboard!, uid(crew)))).toBe('a');
  });

  it('protocol: a crash between a survey and its waiting ops leaves nothing behind', async () => {
    const { store } = cloud.cloud.context;
    const survey = surveyOp(uid(crew));
    const content = photograph(1500);
    await cloud.upload(content);
    const picture = image(survey.docId, uid(crew), content);
    const name = newId();
    const tablet = await registerDevice(cloud, owner, name);
    expect(await send(tablet, survey, picture)).toBe('hh');
    const { devices, sessions } = cloud.cloud.context.accounts;
    await devices.register((await sessions.find(crew.session))!, { id: name, name: 'T' }, tablet);
    await store.release(survey.opId, { sees: [uid(crew)] });
    expect(await document('image', picture.docId)).toBeUndefined();
    await cloud.restart();
    await vi.waitFor(async () => expect(await document('image', picture.docId)).toBeDefined(), { timeout: 30_000 });
  });
});

describe('1§6: read access to photograph bytes', () => {
  it('protocol: bytes go to uploader and survey members, others get the answer for missing bytes', async () => {
    const content = photograph(6000);
    const hash = sha256(content);
    const status = async (token: string | null, method = 'GET') =>
      (
        await fetch(`${cloud.url}/api/blobs/${hash}`, {
          method,
          headers: token === null ? {} : { authorization: `Bearer ${token}` },
        })
      ).status;
    const dorasTablet = await registerDevice(cloud, dora);
    const [open, hiding] = [
      surveyOp(uid(dora)),
      makeOp('survey', { ...dorasPrivate.body, id: newId() }, { by: uid(dora) as never }),
    ];
    expect(await send(dora.session, open, hiding)).toBe('aa');
    expect(await status(staff.session)).toBe(404);
    await cloud.upload(content, dorasTablet);
    const everyone = () =>
      Promise.all([
        status(dorasTablet),
        status(dorasTablet, 'HEAD'),
        status(dora.session),
        status(stranger.session),
        status(strangersTablet),
        status(cloud.boxToken),
        status(staff.session),
        status(null),
      ]);
    expect(await everyone(), 'no record yet').toEqual([200, 200, 404, 404, 404, 404, 200, 401]);
    const held = image(shared.docId, uid(dora), content);
    expect(await send(dorasTablet, held)).toBe('h');
    const hidden = image(hiding.docId, uid(dora), content);
    expect(await send(dorasTablet, hidden)).toBe('a');
    expect(await everyone(), 'in a private survey').toEqual([200, 200, 200, 404, 404, 404, 200, 401]);
    expect(await send(dorasTablet, image(open.docId, uid(dora), content))).toBe('a');
    expect(await everyone(), 'in one that all may see').toEqual([200, 200, 200, 200, 200, 404, 200, 401]);
    expect((await cloud.ops([open], NODE)).map(signOf)).toEqual(['a']);
    expect(await status(cloud.boxToken), 'in a survey of the box').toBe(200);
  });
});
