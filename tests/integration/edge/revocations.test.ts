import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { decodeProtectedHeader } from 'jose';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AUTH_LIMITS } from '../../../cloud-sync/api/accounts/auth-limits';
import { BRIDGE_LIMITS } from '../../../cloud-sync/bridge/limits';
import type { Edge } from '../../../edge-server/app';
import { buildEdge } from '../../../edge-server/app';
import { readSettings } from '../../../edge-server/settings';
import type { RevocationList } from '../../../src/protocol/revocations';
import type { TestCloud } from '../../support/servers/cloud';
import { startCloud } from '../../support/servers/cloud';
import { EdgeClient, makeOp, newId, surveyOp } from '../../support/servers/edge-client';
import type { SignedIn } from '../../support/servers/people';
import { registerDevice, signIn, signInStaff } from '../../support/servers/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const home = mkdtempSync(path.join(os.tmpdir(), 'reef-revoked-'));
let ahead = 0;
let cloud: TestCloud;
let edge: Edge;
let url: string;
let staff: SignedIn;

async function startBox(): Promise<void> {
  edge = await buildEdge(readSettings({ REEF_HOME: home, EDGE_PORT: '0', MIN_FREE_GB: '0' }), {
    log: pino({ level: 'silent' }),
    clock: () => Date.now() + ahead,
  });
  url = await edge.listen();
}

beforeAll(async () => {
  cloud = await startCloud({ hooks: { clock: () => Date.now() + ahead } });
  staff = await signInStaff(cloud, 'staff@example.org');
  await startBox();
  await bridge();
});
afterAll(async () => {
  await edge.close();
  await cloud.close();
  rmSync(home, { recursive: true, force: true });
});

const revocations = async () =>
  (await cloud.get<RevocationList & Record<string, unknown>>('/api/reference/revocations')).body;
const token = async ({ session }: SignedIn) =>
  (await cloud.get<{ token: string }>('/api/auth/edge-token', session)).body.token;
const put = (name: string, value: unknown) =>
  fetch(`${url}/edge/reference/${name}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${edge.context.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(value),
  });
/** Runs the bridge's exchange ashore. */
async function bridge(): Promise<void> {
  expect((await put('jwks', (await cloud.get('/api/auth/jwks', null)).body)).status).toBe(200);
  expect((await put('revocations', await revocations())).status).toBe(200);
}
async function aboard(
  person: SignedIn | string,
  deviceId?: string,
): Promise<{ client: EdgeClient; reply: Awaited<ReturnType<EdgeClient['verify']>> }> {
  const client = await EdgeClient.connect(url, {}, deviceId);
  return {
    client,
    reply: await client.verify({
      code: edge.context.pairing.code(),
      token: typeof person === 'string' ? person : await token(person),
    }),
  };
}
const profile = (client: EdgeClient, { user }: SignedIn) =>
  client.send('profile', {
    op: makeOp('profile', { uid: user.uid, name: { first: 'A', last: 'B' } }, { by: user.uid as never }),
  });

describe('protocol: revocations as reference data', () => {
  it('protocol: the bridge fetches revocations first, and only boxes and staff read them', async () => {
    expect(BRIDGE_LIMITS.references[0]).toBe('revocations');
    expect(await revocations()).toEqual({ people: [], roles: [], devices: [], boxes: [] });
    const person = await signIn(cloud, 'reader@example.org');
    expect((await cloud.get('/api/reference/revocations', null)).status).toBe(401);
    expect((await cloud.get('/api/reference/revocations', person.session)).status).toBe(403);
    expect((await cloud.get('/api/reference/revocations', staff.session)).status).toBe(200);
    expect(
      (await cloud.ask('PUT', '/api/reference/revocations', { people: [], devices: [], boxes: [] }, staff.session))
        .status,
    ).toBe(403);
    const { client } = await aboard(person);
    expect(
      (await fetch(`${url}/edge/reference/revocations`, { headers: { authorization: `Bearer ${client.session}` } }))
        .status,
    ).toBe(403);
    for (const bad of [
      { people: [{ uid: '../..', before: '2026-01-01T00:00:00Z' }], devices: [], boxes: [] },
      { people: 'all' },
      [],
    ])
      expect((await put('revocations', bad)).status).toBe(400);
    client.close();
  });

  it('protocol: a disabled person loses socket, session and token; the tablet’s work still goes', async () => {
    const person = await signIn(cloud, 'gone@example.org');
    const other = await signIn(cloud, 'stays@example.org');
    const held = await token(person);
    const { client, reply } = await aboard(held);
    expect(reply).toMatchObject({ ok: true, user: { uid: person.user.uid } });
    const stays = await aboard(other);
    expect(
      (await cloud.post(`/api/admin/users/${person.user.uid}/roles`, { disabled: true }, staff.session)).status,
    ).toBe(200);
    // Box at sea does not know of it yet.
    expect(await client.verify({ session: client.session })).toMatchObject({ user: { uid: person.user.uid } });
    await bridge();
    const next = await client.send('survey', { op: surveyOp(person.user.uid) });
    expect(next, 'accepted, and reported once').toMatchObject({
      ok: true,
      receipt: { accepted: true },
      notice: expect.stringContaining('ended ashore'),
    });
    expect(await client.send('survey', { op: surveyOp(person.user.uid) })).not.toHaveProperty('notice');
    expect(
      (
        await fetch(`${url}/edge/profile`, {
          method: 'POST',
          headers: { authorization: `Bearer ${client.session}`, 'content-type': 'application/json' },
          body: '{}',
        })
      ).status,
    ).toBe(403);
    expect(await client.verify({ session: client.session })).toMatchObject({
      ok: true,
      user: null,
      notice: expect.stringContaining('still sent'),
    });
    expect(await client.verify({ session: client.session, token: held })).toMatchObject({ ok: true, user: null });
    const fresh = await aboard(held);
    expect(fresh.reply).toMatchObject({ ok: true, user: null, notice: expect.stringContaining('ended ashore') });
    expect(await profile(fresh.client, person)).toMatchObject({ ok: true, receipt: { accepted: true } });
    expect(await stays.client.verify({ session: stays.client.session })).toMatchObject({
      user: { uid: other.user.uid },
    });
    // Survives a restart of the box.
    const { session } = client;
    for (const one of [client, stays.client, fresh.client]) one.close();
    await edge.close();
    await startBox();
    const again = await EdgeClient.connect(url, {}, client.deviceId);
    expect(await again.verify({ session })).toMatchObject({ ok: true, user: null });
    again.close();
  });

  it('1§4: a sign-out everywhere voids earlier tokens, and a new sign-in works', async () => {
    const person = await signIn(cloud, 'lost-it@example.org');
    const [first, old] = [await signIn(cloud, 'lost-it@example.org'), await token(person)];
    const { client } = await aboard(old);
    ahead += 2000;
    expect((await cloud.post('/api/auth/sign-out', { everywhere: true }, person.session)).status).toBe(200);
    expect((await cloud.get('/api/me', first.session)).status).toBe(401);
    await bridge();
    expect(await client.verify({ session: client.session })).toMatchObject({ ok: true, user: null });
    ahead += 2000;
    const anew = await token(await signIn(cloud, 'lost-it@example.org'));
    expect(await client.verify({ session: client.session, token: anew })).toMatchObject({
      ok: true,
      user: { uid: person.user.uid },
    });
    expect(
      await client.verify({ session: client.session, token: old }),
      'the old one does not work again',
    ).toMatchObject({ ok: true, user: null });
    client.close();
  });

  it('protocol: a lost tablet signs no one in, also at the box, and still submits its work', async () => {
    const person = await signIn(cloud, 'forgetful@example.org');
    const deviceId = newId();
    await registerDevice(cloud, person, deviceId);
    const { client } = await aboard(person, deviceId);
    expect((await cloud.post('/api/devices/revoke', { device: { id: deviceId } }, person.session)).status).toBe(200);
    expect((await revocations()).devices).toEqual([deviceId]);
    await bridge();
    expect(await client.verify({ session: client.session, token: await token(person) })).toMatchObject({
      ok: true,
      user: null,
      notice: expect.stringContaining('revoked ashore'),
    });
    expect(await profile(client, person)).toMatchObject({ ok: true });
    const signInAboard = await fetch(`${url}/edge/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        email: 'x@example.org',
        name: { first: 'X', last: '' },
        device: { id: deviceId, name: 'T' },
      }),
    });
    expect(signInAboard.status).toBe(403);
    const elsewhere = await aboard(person);
    expect(elsewhere.reply).toMatchObject({ user: { uid: person.user.uid } });
    // Naming another person's tablet id does not revoke it.
    const thief = await signIn(cloud, 'thief@example.org');
    await registerDevice(cloud, thief, elsewhere.client.deviceId);
    await registerDevice(cloud, person, elsewhere.client.deviceId);
    for (const one of [client, elsewhere.client]) one.close();
  });

  it('protocol: revocations include revoked boxes', async () => {
    const { body } = await cloud.post<{ token: string }>('/api/fleet/boxes', { name: 'Lost' }, staff.session);
    await cloud.post('/api/fleet/keys', { node: 'BoxThatIsLost001', keys: [], receiptKeys: [] }, body.token);
    await cloud.post('/api/fleet/boxes/BoxThatIsLost001/revoke', {}, staff.session);
    expect((await revocations()).boxes).toEqual(['BoxThatIsLost001']);
    await bridge();
    const console = async () =>
      (await fetch(`${url}/edge/console`, { headers: { authorization: `Bearer ${edge.context.adminToken}` } })).text();
    expect(await console(), 'for the crew to know').toContain('BoxThatIsLost001');
    expect(await console()).not.toContain('This box was revoked ashore');
    // A box that learns of its own revocation reports it and still accepts ops: they are safe there and on the tablets.
    await put('revocations', { ...(await revocations()), boxes: [edge.context.store.identity.nodeId] });
    expect(await console()).toContain('This box was revoked ashore');
    const { client } = await aboard(await signIn(cloud, 'aboard-it@example.org'));
    const taken = await client.send('survey', { op: surveyOp() });
    expect(taken).toMatchObject({ ok: true, receipt: { accepted: true, stage: 'edge' } });
    // Box receipts count for nothing at another box, revoked or not.
    const answer = await fetch(`${url}/edge/ops`, {
      method: 'POST',
      headers: { authorization: `Bearer ${edge.context.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ops: [{ op: surveyOp(), receipt: taken['receipt'] }], receipts: [taken['receipt']] }),
    });
    expect(await answer.json()).toMatchObject({
      results: [{ error: { code: 'bad-message' } }],
      receipts: { added: 0, errors: [{ error: { code: 'bad-message' } }] },
    });
    await bridge();
    client.close();
  });

  it('protocol: box receipts admit ops ashore until the box is revoked', async () => {
    const node = edge.context.store.identity.nodeId;
    const { body } = await cloud.post<{ token: string }>('/api/fleet/boxes', { name: 'Reef Box', node }, staff.session);
    expect(
      (
        await cloud.post(
          '/api/fleet/keys',
          { node, keys: [], receiptKeys: edge.context.receiptKey.publicKeys },
          body.token,
        )
      ).status,
    ).toBe(200);
    const { client } = await aboard(await signIn(cloud, 'crew@example.org'));
    const bringer = await signIn(cloud, 'bringer@example.org');
    // Op of another author, which the submitter needs a box receipt for.
    const counts = async (): Promise<boolean> => {
      const op = surveyOp();
      const { receipt } = await client.send('survey', { op });
      const [result] = await cloud.ops([{ op, receipt }], undefined, bringer.session);
      return result !== undefined && 'receipt' in result && result.receipt.accepted;
    };
    expect(await counts()).toBe(true);
    expect((await cloud.post(`/api/fleet/boxes/${node}/revoke`, {}, staff.session)).status).toBe(200);
    await expect.poll(counts, { message: 'within the seconds for which keys are remembered' }).toBe(false);
    expect(await counts()).toBe(false);
    client.close();
  });

  it('1§4: a sign-out everywhere and a new sign-in within one second both take effect', async () => {
    const person = await signIn(cloud, 'same-second@example.org');
    // Cloud clock is frozen mid-second throughout.
    const stood = Math.ceil((Date.now() + ahead) / 1000) * 1000 + 500;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => stood - ahead);
    try {
      const before = await token(person);
      expect((await cloud.post('/api/auth/sign-out', { everywhere: true }, person.session)).status).toBe(200);
      const { sessions } = cloud.cloud.context.accounts;
      const again = (await sessions.exchange(await sessions.issueCustomToken(person.user.uid as never))).session;
      const after = await token({ ...person, session: again });
      expect(JSON.parse(Buffer.from(before.split('.')[1]!, 'base64url').toString())).toMatchObject({
        iat: JSON.parse(Buffer.from(after.split('.')[1]!, 'base64url').toString()).iat,
      });
      await bridge();
      const old = await aboard(before);
      expect(old.reply).toMatchObject({ ok: true, user: null, notice: expect.stringContaining('ended ashore') });
      const fresh = await aboard(after);
      expect(fresh.reply).toMatchObject({ ok: true, user: { uid: person.user.uid } });
      expect(fresh.reply).not.toHaveProperty('notice');
      for (const { client } of [old, fresh]) client.close();
    } finally {
      clock.mockRestore();
    }
  });

  it('1§6: a person unknown to the cloud has volunteer rights aboard, whatever they claim', async () => {
    const answer = await fetch(`${url}/edge/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        email: 'staff@example.org',
        name: { first: 'S', last: '' },
        admin: true,
        isExpert: true,
        pending: false,
        uid: staff.user.uid,
        device: { id: newId(), name: 'T' },
        code: edge.context.pairing.code(),
      }),
    });
    const { user } = (await answer.json()) as { user: Record<string, unknown> };
    expect(Object.keys(user).sort()).toEqual(['email', 'name', 'pending', 'uid']);
    expect(user).toMatchObject({ pending: true });
    expect(user['uid']).not.toBe(staff.user.uid);
  });
});

describe('protocol: token keys', () => {
  it('protocol: the signing key was published a voyage before, so an old box accepts its tokens', async () => {
    const person = await signIn(cloud, 'long@example.org');
    const keys = async () =>
      (await cloud.get<{ keys: { kid: string }[] }>('/api/auth/jwks', null)).body.keys.map(({ kid }) => kid);
    const kidOf = async () => decodeProtectedHeader(await token(person)).kid;
    const [before, first] = [await keys(), await kidOf()];
    expect(before).toHaveLength(2);
    expect(await kidOf()).toBe(first);
    ahead += AUTH_LIMITS.keyPublishedAheadMs + 60_001;
    const second = await kidOf();
    expect(second).not.toBe(first);
    expect(before, 'known aboard for a voyage').toContain(second);
    const after = await keys();
    expect(after).toEqual(expect.arrayContaining(before));
    expect(after, 'and the next one is published').toHaveLength(3);
    // Box with keys from a voyage ago and its own clock.
    const { client, reply } = await aboard(await token(person));
    expect(reply).toMatchObject({ ok: true, user: { uid: person.user.uid } });
    client.close();
    expect(
      (await cloud.get('/api/me', (await cloud.get<{ token: string }>('/api/auth/token', person.session)).body.token))
        .status,
    ).toBe(200);
  });
});
