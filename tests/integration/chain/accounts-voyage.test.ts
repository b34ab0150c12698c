import { createHash } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AUTH_LIMITS } from '../../../cloud-sync/api/accounts/auth-limits';
import type { Bridge } from '../../../cloud-sync/bridge/bridge';
import { composeBridge } from '../../../cloud-sync/bridge/compose-bridge';
import { readBridgeSettings } from '../../../cloud-sync/bridge/settings';
import { findOps } from '../../../src/data/ops/segments';
import { canonicalJson } from '../../../src/domain/canonical';
import type { SurveyId } from '../../../src/domain/ids';
import type { JsonObject } from '../../../src/domain/json';
import type { Op } from '../../../src/domain/op/op';
import type { CloudUser } from '../../../src/protocol/cloud-auth';
import { tempFolder, wholeFeed } from '../../support/servers/client';
import type { TestCloud } from '../../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../../support/servers/cloud';
import type { TestEdge } from '../../support/servers/edge';
import { startEdge } from '../../support/servers/edge';
import { deviceKeyOfTablet } from '../../support/servers/device-keys';
import { EdgeClient, makeOp, surveyOp } from '../../support/servers/edge-client';
import { codeIn, outboxMails } from '../../support/servers/mail';
import type { SignedIn } from '../../support/servers/people';
import { passSecondFactor, registerDevice, signIn, signInStaff } from '../../support/servers/people';
import type { RealTablet } from '../../support/tablet/real-scene';
import { survey } from '../../support/tablet/real-scene';
import { openTestTablet, photograph, until } from '../../support/tablet/tablet';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const HOUR_MS = 60 * 60_000;
const folder = tempFolder('accounts-voyage');
let ahead = 0;
let cloud: TestCloud;
let edge: TestEdge;
let bridge: Bridge;
let closeBridge = (): void => undefined;
let staff: SignedIn;
let boxToken: string;
let ana: RealTablet;
let ben: RealTablet;
let hers: SurveyId;
let his: SurveyId;
/** Uids: Ana's account, and the one that the box issued to Ben. */
let anaUid: string;
let benAboard: string;

beforeAll(async () => {
  cloud = await startCloud({ hooks: { clock: () => Date.now() + ahead } });
  edge = await startEdge();
  staff = await signInStaff(cloud, 'staff@example.org');
  boxToken = (await cloud.post<{ token: string }>('/api/fleet/boxes', { name: 'Reef Star' }, staff.session)).body.token;
  const settings = readBridgeSettings(['--edge', edge.url, '--cloud', cloud.url], {
    REEF_HOME: folder.path,
    BRIDGE_TOKEN: boxToken,
    EDGE_ADMIN_TOKEN: edge.adminToken,
  });
  ({ bridge, close: closeBridge } = composeBridge(settings, undefined, {
    log: () => undefined,
    limits: { itemRetryMs: 1, cloudPollMs: 0, referenceMs: 0 },
  }));
  ana = await openTestTablet({ name: 'Tablet of Ana' });
  ben = await openTestTablet({ name: 'Tablet of Ben' });
});
afterAll(async () => {
  for (const tablet of [ana, ben]) await tablet.close();
  closeBridge();
  await edge.remove();
  await cloud.close();
  folder.remove();
});

const step = () => bridge.step(new AbortController().signal);
const sent = ({ repositories }: RealTablet) =>
  until(() => repositories.custody.sending.facts.get().state === 'done', 'all of it sent', 60_000);
const text = (op: unknown) => canonicalJson(op as JsonObject);
const account = async ({ context }: RealTablet) => (await context.store.db.accounts.toArray())[0]!;

/** Connects to the box with a cloud token; as another tablet, or with the key of the one that got the token. */
async function aboard(token: string, owner?: RealTablet) {
  const client = await EdgeClient.connect(edge.url);
  if (owner !== undefined) client.key = await keyOf(owner);
  try {
    return await client.verify({ code: edge.code, token });
  } finally {
    client.close();
  }
}

const keyOf = async ({ context }: RealTablet) => deviceKeyOfTablet((await context.store.getMeta('deviceKey'))!);

/** Operations written on a tablet, by id. */
async function written({ context }: RealTablet): Promise<Map<string, string>> {
  const own = [...context.opIndex.entries.values()].filter((entry) => entry.own);
  return new Map([...(await findOps(context.store, own))].map(([opId, { op }]) => [opId, text(op)]));
}

/** Operations in the cloud's store, by id. */
async function ashore(): Promise<Map<string, string>> {
  const { entries } = await cloud.cloud.context.store.changes({ since: 0, limit: 1000 });
  return new Map(entries.flatMap(({ op }) => (op === undefined ? [] : [[op.opId, text(op)] as const])));
}

/** Operations that a session may read. */
async function seen(session: string): Promise<Map<string, Op>> {
  return new Map(
    (await cloud.changes(0, session)).entries.flatMap(({ op }) => (op === undefined ? [] : [[op.opId, op] as const])),
  );
}

async function hashAshore(sha256: string): Promise<string> {
  const answer = await fetch(`${cloud.url}/api/blobs/${sha256}`, {
    headers: { authorization: `Bearer ${STAFF_TOKEN}` },
  });
  return createHash('sha256')
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest('hex');
}

const photographsOf = async (tablet: RealTablet) =>
  [...(await written(tablet)).values()].map((op) => JSON.parse(op) as Op).filter(({ kind }) => kind === 'image');

describe('1§4 1§6: accounts through a voyage', () => {
  it('1§7: a new account in port gives the tablet a box token, and the box receives the keys', async () => {
    // Day before the next key starts signing.
    ahead = AUTH_LIMITS.keyPublishedAheadMs - HOUR_MS;
    await ana.repositories.account.signIn.pinCloud(cloud.url);
    await ana.repositories.account.signIn.createAccount({
      email: 'ana@example.org',
      password: 'six of it',
      name: { first: 'Ana', last: 'Reef' },
      optin: false,
    });
    const { uid, edgeToken } = await account(ana);
    anaUid = uid;
    expect(decodeJwt(edgeToken!)).toMatchObject({ sub: uid, aud: expect.arrayContaining(['edge']) });
    await sent(ana);
    await step();
    expect((await bridge.status()).state).toBe('idle');
  });

  it('protocol: at sea a box verifies tokens offline and gives local sign-ins volunteer rights', async () => {
    await cloud.stop();
    expect(await aboard((await account(ana)).edgeToken!), 'copied').toMatchObject({ ok: true, user: null });
    expect(await aboard((await account(ana)).edgeToken!, ana)).toMatchObject({
      ok: true,
      user: { uid: anaUid, email: 'ana@example.org', pending: false },
    });
    await ana.repositories.edge.link.pair(edge.url, edge.code);
    await ben.repositories.edge.link.pair(edge.url, edge.code);
    const claimed = await ben.repositories.edge.link.signIn({
      name: { first: 'Ben', last: 'Wave' },
      email: 'ben@example.org',
    });
    benAboard = claimed.uid;
    expect(claimed).toMatchObject({ pending: true, email: 'ben@example.org' });
    expect(benAboard).not.toBe(anaUid);

    const { session } = (await ben.context.store.db.edges.toArray())[0]!;
    const asBen = (method: string, place: string) =>
      fetch(`${edge.url}${place}`, {
        method,
        headers: {
          authorization: `Bearer ${session}`,
          ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
        },
        ...(method === 'GET' ? {} : { body: '{}' }),
      });
    const admins = [
      'GET /edge/changes',
      'GET /edge/export',
      'GET /edge/console',
      'GET /edge/reference/revocations',
      `GET /edge/blobs/${'0'.repeat(64)}`,
      'PUT /edge/reference/events',
      'POST /edge/ops',
      'POST /edge/bridge',
      'POST /edge/freeing',
    ];
    for (const route of admins) {
      const [method = '', place = ''] = route.split(' ');
      expect((await asBen(method, place)).status, route).toBe(403);
    }
    const client = await EdgeClient.connect(edge.url, {}, (await ben.context.store.getMeta('deviceId'))!);
    client.key = await keyOf(ben);
    expect(await client.verify({ session })).toMatchObject({ ok: true, user: { uid: benAboard, pending: true } });
    const another = makeOp('profile', { uid: anaUid, name: { first: 'Not', last: 'Ana' } }, { by: benAboard as never });
    expect(await client.send('profile', { op: another })).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    client.close();
  });

  it('both people write surveys and photographs aboard', async () => {
    hers = await survey(ana);
    his = await survey(ben, 'Ben');
    await ana.repositories.census.images.addPhotograph(photograph(1), hers);
    for (const seed of [2, 3]) await ben.repositories.census.images.addPhotograph(photograph(seed), his);
    await Promise.all([sent(ana), sent(ben)]);
    const { entries } = await wholeFeed(edge.audited);
    const there = new Map(
      entries.flatMap(({ op, receipt }) =>
        op === undefined ? [] : [[op.opId as string, { text: text(op), accepted: receipt?.accepted }] as const],
      ),
    );
    for (const tablet of [ana, ben])
      for (const [opId, op] of await written(tablet))
        if (!op.includes('"kind":"profile"')) expect(there.get(opId), opId).toEqual({ text: op, accepted: true });
    const byAna = JSON.parse([...(await written(ana)).values()].find((op) => op.includes(hers))!) as Op;
    const byBen = JSON.parse([...(await written(ben)).values()].find((op) => op.includes(his))!) as Op;
    expect([byAna.by, byBen.by]).toEqual([anaUid, benAboard]);
  });

  it('protocol: the box accepts tokens of the old and the new signing key', async () => {
    await cloud.restart();
    ahead += 2 * HOUR_MS;
    const carla = await signIn(cloud, 'carla@example.org');
    const { token } = (await cloud.get<{ token: string }>('/api/auth/edge-token', carla.session)).body;
    const { edgeToken } = await account(ana);
    expect(decodeProtectedHeader(token).kid).not.toBe(decodeProtectedHeader(edgeToken!).kid);
    expect(await aboard(token)).toMatchObject({ ok: true, user: { uid: carla.user.uid } });
    expect(await aboard(edgeToken!, ana)).toMatchObject({ ok: true, user: { uid: anaUid } });
  });

  it('protocol: a restored link uploads everything unchanged', async () => {
    await expect
      .poll(async () => {
        await step();
        const { owed } = await bridge.status();
        return owed.ops + owed.images;
      })
      .toBe(0);
    const there = await ashore();
    for (const tablet of [ana, ben])
      for (const [opId, op] of await written(tablet)) expect(there.get(opId), opId).toBe(op);
    for (const tablet of [ana, ben])
      for (const { body } of await photographsOf(tablet))
        expect(await hashAshore(String(body['sha256']))).toBe(body['sha256']);
    const { session } = await account(ana);
    const byAna = await seen(session);
    expect([...(await written(ana)).keys()].filter((opId) => !byAna.has(opId))).toEqual([]);
    expect([...(await written(ben)).keys()].filter((opId) => byAna.has(opId))).toEqual([]);
  });

  it('1§6: a proof of the address ashore gives the author their unchanged work from the box', async () => {
    const before = await ashore();
    // Back home: the box is out of reach.
    await edge.stop();
    const {
      account: accounts,
      account: { people },
    } = ben.repositories;
    await accounts.signIn.pinCloud(cloud.url);
    await accounts.signIn.sendCode('ben@example.org');
    const person = await accounts.signIn.withCode(
      'ben@example.org',
      codeIn(outboxMails(cloud.outbox), 'ben@example.org'),
    );
    expect(people.current.get()).toMatchObject({ uid: person.uid, email: 'ben@example.org', pending: false });
    await ben.repositories.edge.link.check();
    const { session, uid } = await account(ben);
    const works = [...(await written(ben))].filter(([, op]) => op.includes(his));
    expect(works.length).toBeGreaterThanOrEqual(3);
    await expect
      .poll(async () =>
        [...(await seen(session)).keys()].filter((opId) => works.some(([known]) => known === opId)).sort(),
      )
      .toEqual(works.map(([opId]) => opId).sort());
    const now = await ashore();
    for (const [opId, op] of before) expect(now.get(opId), opId).toBe(op);
    const byBen = await seen(session);
    for (const [opId, op] of works) expect(text(byBen.get(opId)), opId).toBe(op);
    // Neither sees the other's operations.
    const { session: sessionOfAna } = await account(ana);
    const byAna = await seen(sessionOfAna);
    for (const opId of (await written(ana)).keys())
      expect([byBen.has(opId), byAna.has(opId)], opId).toEqual([false, true]);
    for (const [opId] of works) expect(byAna.has(opId), opId).toBe(false);
    // Claims made aboard grant volunteer rights only.
    const me = (await cloud.get<{ user: CloudUser }>('/api/me', session)).body.user;
    expect(me).toMatchObject({
      uid,
      admin: false,
      staff: false,
      isExpert: false,
      verified: false,
      isEmailVerified: true,
    });
    for (const place of ['/api/fleet', '/api/quarantine', `/api/admin/users?email=ana@example.org`, '/api/admin/audit'])
      expect((await cloud.get(place, session)).status, place).toBe(403);
  });

  it('1§6: later uploads join the account of the proven address, and a forged profile joins none', async () => {
    await edge.restart();
    const phone = await openTestTablet({ name: 'Phone of Ben' });
    await phone.repositories.edge.link.pair(edge.url, edge.code);
    const { uid } = await phone.repositories.edge.link.signIn({
      name: { first: 'Ben', last: 'Wave' },
      email: 'Ben@example.org',
    });
    const { session, uid: ashoreUid } = await account(ben);
    expect([benAboard, ashoreUid]).not.toContain(uid);
    const late = await survey(phone);
    await sent(phone);
    await phone.close();
    const sees = async (bearer: string) => [...(await seen(bearer)).values()].map(({ docId }) => docId as string);
    await expect
      .poll(async () => {
        await step();
        return sees(session);
      })
      .toContain(late);
    expect(await sees((await account(ana)).session)).not.toContain(late);

    const eve = await signIn(cloud, 'eve@example.org');
    const tablet = await registerDevice(cloud, eve);
    const nameless = surveyOp();
    expect(await cloud.ops([nameless], edge.nodeId, boxToken)).toMatchObject([{ receipt: { accepted: true } }]);
    const madeUp = makeOp(
      'profile',
      { uid: nameless.by!, name: { first: 'Eve', last: '' }, email: 'eve@example.org' },
      { by: nameless.by! },
    );
    await cloud.ops([madeUp], undefined, tablet);
    expect(await sees((await signIn(cloud, 'eve@example.org')).session)).not.toContain(nameless.docId);
  });

  it('protocol: a disabled person’s token is refused aboard, and their stored work is still sent', async () => {
    const { edgeToken, session } = await account(ana);
    expect(await aboard(edgeToken!, ana)).toMatchObject({ ok: true, user: { uid: anaUid } });
    // The voyage took longer than the twelve hours of a second factor.
    staff = await passSecondFactor(cloud, staff.session);
    expect((await cloud.post(`/api/admin/users/${anaUid}/roles`, { disabled: true }, staff.session)).status).toBe(200);
    expect(await cloud.get('/api/me', session)).toMatchObject({
      status: 403,
      body: { error: { auth: 'auth/user-disabled' } },
    });
    await step();
    expect(await aboard(edgeToken!, ana)).toMatchObject({
      ok: true,
      user: null,
      notice: expect.stringContaining('ended ashore'),
    });

    await ana.repositories.edge.link.check();
    const late = await ana.repositories.census.images.addPhotograph(photograph(4), hers);
    await sent(ana);
    await expect
      .poll(async () => {
        await step();
        return (await bridge.status()).owed.images;
      })
      .toBe(0);
    const there = await ashore();
    for (const [opId, op] of await written(ana)) expect(there.get(opId), opId).toBe(op);
    expect(await hashAshore(late.sha256)).toBe(late.sha256);
    expect((await cloud.cloud.context.store.document('survey', hers))?.folded.deleted).toBe(false);
    const { entries } = await wholeFeed(edge.audited);
    expect(
      entries.filter(({ op }) => op?.by === anaUid && op.kind !== 'profile').map(({ receipt }) => receipt?.accepted),
    ).toEqual([true, true, true]);
  });

  it('protocol: a revoked box loses its bridge, and its tablets send straight ashore', async () => {
    const { boxes } = (await cloud.get<{ boxes: { node: string }[] }>('/api/fleet', staff.session)).body;
    expect(boxes.map(({ node }) => node)).toEqual([edge.nodeId]);
    expect((await cloud.post(`/api/fleet/boxes/${edge.nodeId}/revoke`, {}, staff.session)).status).toBe(200);
    await ben.repositories.edge.link.check();
    await until(() => ben.repositories.edge.link.connectivity.get().answering === 'edge', 'the box answers Ben');
    const late = await ben.repositories.census.images.addPhotograph(photograph(5), his);
    await sent(ben);
    await step();
    expect(await bridge.status()).toMatchObject({ state: 'refused', text: expect.stringContaining('revoked') });
    expect(await cloud.post('/api/ops', { node: edge.nodeId, ops: [] }, boxToken)).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden', message: expect.stringContaining('revoked ashore') } },
    });
    const {
      cloud: { context },
    } = cloud;
    expect(await context.store.document('image', late.id)).toBeUndefined();

    await edge.stop();
    await ben.repositories.edge.link.check();
    await expect.poll(async () => (await context.store.document('image', late.id)) !== undefined).toBe(true);
    expect(await hashAshore(late.sha256)).toBe(late.sha256);
    const there = await ashore();
    for (const [opId, op] of await written(ben)) expect(there.get(opId), opId).toBe(op);
    expect((await seen((await account(ben)).session)).size).toBeGreaterThan(0);
  });
});
