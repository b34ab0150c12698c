import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildEdge, type Edge } from '../../edge-server/app';
import { readSettings } from '../../edge-server/settings';
import type { Op } from '../../src/domain/op/op';
import { EDGE_POLICY } from '../../src/domain/policy/edge-policy';
import { deviceAnswerText } from '../../src/protocol/device-answer';
import { EDGE_MESSAGES, type EdgeSender } from '../../src/protocol/edge-socket';
import { newDeviceKey, signedBy, type TestDeviceKey } from '../support/servers/device-keys';
import {
  EdgeClient,
  makeOp,
  newId,
  pairedClient,
  photograph,
  surveyOp,
  type Reply,
} from '../support/servers/edge-client';
import { closers } from '../support/tablet/closers';
import { openTestTablet, until } from '../support/tablet/tablet';
import { runUntil, scene } from '../support/tablet/tablet-scene';

interface Box {
  readonly edge: Edge;
  readonly url: string;
  readonly code: string;
}

const clients: EdgeClient[] = [];
const ends: (() => unknown)[] = [];
let box: Box;
let other: Box;
let tokenOf: (claims: Record<string, unknown>, key?: TestDeviceKey | null) => Promise<string>;

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'cloud-1', alg: 'EdDSA' };
  tokenOf = (claims, key) =>
    new SignJWT({
      aud: 'edge',
      email: 'ada@example.org',
      name: 'Ada Reef',
      ...(key === undefined || key === null ? {} : { cnf: { jwk: { kty: 'OKP', crv: 'Ed25519', x: key.x } } }),
      ...claims,
    })
      .setProtectedHeader({ alg: 'EdDSA', kid: 'cloud-1' })
      .setIssuedAt(new Date())
      .setExpirationTime('120d')
      .sign(privateKey);
  [box, other] = [await startBox({ keys: [jwk] }), await startBox({ keys: [jwk] })];
});
afterAll(async () => {
  for (const client of clients) client.close();
  for (const end of ends.reverse()) await end();
});

async function startBox(jwks: object): Promise<Box> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'reef-ids-'));
  const edge = await buildEdge(readSettings({ REEF_HOME: home, EDGE_PORT: '0', MIN_FREE_GB: '0' }), {
    log: pino({ level: 'silent' }),
  });
  const url = await edge.listen();
  ends.push(
    () => rmSync(home, { recursive: true, force: true }),
    () => edge.close(),
  );
  const started = { edge, url, code: edge.context.pairing.code() };
  expect((await call(started, 'PUT', '/edge/reference/jwks', edge.context.adminToken, jwks)).status).toBe(200);
  return started;
}

async function call(
  { url }: Pick<Box, 'url'>,
  method: string,
  place: string,
  token: string | null,
  body?: unknown,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const answer = await fetch(url + place, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: /^[{[]/.test(text) ? JSON.parse(text) : text };
}

/** Client that gives a device id; with the key that belongs to it unless another is named. */
async function clientAs(deviceId: string, key?: TestDeviceKey | null, at: Box = box): Promise<EdgeClient> {
  const client = await EdgeClient.connect(at.url, {}, deviceId);
  if (key !== undefined) client.key = key;
  clients.push(client);
  return client;
}
async function paired(at: Box = box): Promise<EdgeClient> {
  const client = await pairedClient(at);
  clients.push(client);
  return client;
}
/** Tablet of version 1 with a session, as it was when the box learned of keys. */
async function oldTablet(): Promise<EdgeClient> {
  const client = await clientAs(newId(), null);
  expect(await client.verify({ code: box.code })).toMatchObject({ ok: true });
  return client;
}

const opsAboard = async (): Promise<readonly Op[]> => {
  const { body } = await call(box, 'GET', '/edge/changes?limit=1000', box.edge.context.adminToken);
  return (body as { entries: { op?: Op }[] }).entries.flatMap(({ op }) => op ?? []);
};

async function expectReadsNothing(client: EdgeClient): Promise<void> {
  for (const name of EDGE_MESSAGES.query.shape.name.options)
    for (const subscribe of [false, true])
      expect(await client.send('query', { name, subscribe }), name).toMatchObject({
        ok: false,
        error: { code: 'forbidden', field: 'session', message: expect.stringContaining('still sent') as string },
      });
}
async function expectDelivers(client: EdgeClient): Promise<void> {
  const survey = surveyOp();
  expect(await client.send('survey', { op: survey })).toMatchObject({ ok: true, receipt: { accepted: true } });
  expect(await client.photograph(survey.docId, photograph(3000))).toMatchObject({
    ok: true,
    receipt: { accepted: true },
  });
}
const isRefused = (reply: Reply) => [reply.ok, reply.error?.code, reply.error?.['field']];

describe('a device id alone', () => {
  it('opens no session, with or without a key, and no sign-in of the box', async () => {
    const victim = await paired();
    for (const key of [undefined, newDeviceKey(), null]) {
      const stranger = await clientAs(victim.deviceId, key);
      expect(isRefused(await stranger.verify())).toEqual([false, 'pairing-required', undefined]);
      expect(isRefused(await stranger.verify({ session: '' }))).toEqual([false, 'unauthorised', 'session']);
      expect(isRefused(await stranger.send('query', { name: 'meta' }))).toEqual([false, 'unauthorised', undefined]);
    }
    const form = { email: 'x@example.org', name: { first: 'X' }, device: { id: victim.deviceId, name: 'T' } };
    for (const token of [null, 'never-given'])
      expect(await call(box, 'POST', '/edge/sign-in', token, form)).toMatchObject({
        status: 401,
        body: { error: { code: 'pairing-required' } },
      });
    expect((await call(box, 'GET', '/edge/pairing', null)).status).toBe(401);
  });

  it('given together with the code it opens nothing of that tablet', async () => {
    const victim = await paired();
    const uid = newId();
    const profile = makeOp('profile', { uid, name: 'Private' }, { by: uid as never }, victim.deviceId);
    expect(await victim.send('profile', { op: profile })).toMatchObject({ ok: true });
    const form = { email: 'ada@example.org', name: { first: 'Ada' }, device: { id: victim.deviceId, name: 'Mine' } };
    const { body: own } = await call(box, 'POST', '/edge/sign-in', victim.session, form);
    for (const key of [newDeviceKey(), null]) {
      const mate = await clientAs(victim.deviceId, key);
      expect(await mate.verify({ code: box.code })).toMatchObject({ ok: true });
      for (const proof of [mate.session, null]) {
        const { body: claimed } = await call(box, 'POST', '/edge/sign-in', proof, { ...form, code: box.code });
        expect(claimed, 'the same address under the same id').toMatchObject({ ok: true, user: { pending: true } });
        expect((claimed as { user: { uid: string } }).user.uid).not.toBe((own as { user: { uid: string } }).user.uid);
      }
      if (key === null) continue;
      const feed = (await mate.send('query', { name: 'changes' })) as unknown as { data: { entries: { op?: Op }[] } };
      expect(
        feed.data.entries.some(({ op }) => op?.docId === uid),
        'a profile that was written on it',
      ).toBe(false);
    }
    expect(box.edge.context.state.device(victim.deviceId)?.name, 'it keeps its name').toBe('Mine');
    const back = await clientAs(victim.deviceId);
    expect(await back.verify({ session: victim.session })).toMatchObject({ ok: true, session: victim.session });
    const feed = (await back.send('query', { name: 'changes' })) as unknown as { data: { entries: { op?: Op }[] } };
    expect(feed.data.entries.some(({ op }) => op?.docId === uid)).toBe(true);
  });

  it('wrong codes under it do not make that tablet wait', async () => {
    const victim = await paired();
    const { pairing } = box.edge.context;
    for (let n = 0; n < 8; n++) expect(() => pairing.admit(victim.deviceId, 'AAAAAAAA', '10.0.0.66')).toThrow();
    expect(() => pairing.admit(victim.deviceId, box.code, '10.0.0.66')).toThrow(/Too many/);
    expect(() => pairing.admit(victim.deviceId, box.code, '10.0.0.7')).not.toThrow();
  });

  it('is not shown to other tablets: senders go by an alias that stays', async () => {
    const [one, two] = [await paired(), await paired()];
    const heard: EdgeSender[][] = [];
    two.socket.on('update', ({ data }: { data: EdgeSender[] }) => heard.push(data));
    const asked = await two.send('query', { name: 'senders', subscribe: true });
    const listed = asked['data'] as EdgeSender[];
    await one.send('owing', { records: 7, photographs: 0, bytes: 0 });
    await until(() => heard.some((list) => list.some(({ owed }) => owed?.records === 7)), 'the update');
    const overHttp = (await call(box, 'GET', '/edge/senders', two.session)).body as EdgeSender[];
    const sessions = await call(box, 'GET', '/edge/sessions', two.session);
    const devices = box.edge.context.state.devices().map(({ id }) => id);
    for (const list of [listed, overHttp, heard.at(-1) ?? []]) {
      expect(list.filter(({ deviceId }) => devices.includes(deviceId)).map(({ deviceId }) => deviceId)).toEqual([
        two.deviceId,
      ]);
      expect(new Set(list.map(({ deviceId }) => deviceId)).size).toBe(list.length);
    }
    expect(new Set(overHttp.map(({ deviceId }) => deviceId))).toEqual(new Set(listed.map(({ deviceId }) => deviceId)));
    expect(JSON.stringify(sessions.body)).not.toContain(one.deviceId);
    const byAdmin = (await call(box, 'GET', '/edge/senders', box.edge.context.adminToken)).body as EdgeSender[];
    expect(byAdmin.map(({ deviceId }) => deviceId)).toContain(one.deviceId);
  });
});

describe('a session', () => {
  it('serves no other key; without its key it delivers and reads nothing', async () => {
    const victim = await paired();
    const thief = await clientAs(victim.deviceId, newDeviceKey());
    expect(isRefused(await thief.verify({ session: victim.session }))).toEqual([false, 'unauthorised', 'session']);
    expect(isRefused(await thief.send('query', { name: 'meta' }))).toEqual([false, 'unauthorised', undefined]);
    thief.key = null;
    expect(await thief.verify({ session: victim.session, token: await tokenOf({ sub: newId() }) })).toMatchObject({
      ok: true,
      user: null,
      ended: 'no-key',
      notice: expect.stringContaining('pair again') as string,
    });
    await expectReadsNothing(thief);
    await expectDelivers(thief);
    expect(await victim.send('query', { name: 'meta' }), 'its tablet goes on').toMatchObject({ ok: true });
  });

  it('a tablet whose key was replaced delivers with it, and the code gives it another', async () => {
    const tablet = await paired();
    const replaced = await clientAs(tablet.deviceId, newDeviceKey());
    expect(isRefused(await replaced.verify({ session: tablet.session, code: 'AAAAAAAA' }))).toEqual([
      false,
      'pairing-wrong',
      undefined,
    ]);
    expect(await replaced.verify({ session: tablet.session, code: box.code })).toMatchObject({ ok: true });
    expect(replaced.session).not.toBe(tablet.session);
    expect(await replaced.send('query', { name: 'changes' })).toMatchObject({ ok: true });
    expect(await replaced.verify({ session: replaced.session })).toMatchObject({ ok: true });
  });

  it('a revoked tablet stays revoked with a new key', async () => {
    const lost = await paired();
    const { adminToken } = box.edge.context;
    const list = { people: [], roles: [], devices: [lost.deviceId], boxes: [] };
    await call(box, 'PUT', '/edge/reference/revocations', adminToken, list);
    const renewed = await clientAs(lost.deviceId, newDeviceKey());
    const code = box.edge.context.pairing.code();
    expect(await renewed.verify({ code })).toMatchObject({
      ok: true,
      ended: 'revoked',
      notice: expect.stringContaining('revoked ashore') as string,
    });
    await call(box, 'PUT', '/edge/reference/revocations', adminToken, { ...list, devices: [] });
    box = { ...box, code: box.edge.context.pairing.code() };
  });
});

describe('an answer', () => {
  it('serves once, for its challenge, its key and its box', async () => {
    const victim = await paired();
    const key = victim.key ?? newDeviceKey();
    const node = (at: Box) => at.edge.context.store.identity.nodeId;
    const message = {
      protocol: { min: 1, max: 1 },
      app: { version: '1' },
      device: { id: victim.deviceId, name: 'T' },
      session: victim.session,
      key: key.x,
    };
    const challengeOf = (reply: Reply): string => {
      expect(isRefused(reply).slice(0, 2)).toEqual([false, 'unauthorised']);
      return String(reply.error?.['challenge']);
    };
    const answerFor = (challenge: string, at = box, by = key) =>
      by.sign(deviceAnswerText({ node: node(at), challenge, key: by.x }));
    const own = await clientAs(victim.deviceId);
    const challenge = challengeOf(await own.send('verify', message));
    const answer = answerFor(challenge);
    expect(await own.send('verify', { ...message, answer })).toMatchObject({ ok: true });

    const thief = await clientAs(victim.deviceId);
    expect(isRefused(await thief.send('verify', { ...message, answer }))).toEqual([false, 'unauthorised', 'answer']);
    let next = challengeOf(await thief.send('verify', message));
    expect(next).not.toBe(challenge);
    const fake = newDeviceKey();
    const wrong: readonly [string, Record<string, unknown>, (of: string) => string][] = [
      ['a recorded one', {}, () => answer],
      ['one for another box', {}, (of) => answerFor(of, other)],
      ['one by another key', {}, (of) => answerFor(of, box, fake)],
      ['one for another key', { key: fake.x }, (of) => answerFor(of)],
      ['noise', {}, () => 'A'.repeat(86)],
    ];
    for (const [name, more, answered] of wrong) {
      const reply = await thief.send('verify', { ...message, ...more, answer: answered(next) });
      expect(isRefused(reply), name).toEqual([false, 'unauthorised', 'answer']);
      expect(challengeOf(reply), 'a fresh challenge').not.toBe(next);
      next = challengeOf(reply);
    }
    expect(isRefused(await thief.send('verify', { ...message, answer: answerFor(next).slice(1) }))[1]).toBe(
      'bad-message',
    );
    expect(isRefused(await thief.send('query', { name: 'meta' }))).toEqual([false, 'unauthorised', undefined]);
    expect(await thief.send('verify', { ...message, answer: answerFor(next) }), 'the right one').toMatchObject({
      ok: true,
    });
  });

  it('of a tablet to one box opens nothing at another', async () => {
    const victim = await paired(other);
    const relay = await clientAs(victim.deviceId, null, box);
    const message = {
      protocol: { min: 1, max: 1 },
      app: { version: '1' },
      device: { id: victim.deviceId, name: 'T' },
      key: victim.key?.x,
    };
    const asked = await relay.send('verify', { ...message, code: box.code });
    // The hostile box asks the tablet the question of the other one; the tablet answers for the box that it pinned.
    const challenge = String(asked.error?.['challenge']);
    const node = other.edge.context.store.identity.nodeId;
    const answer = victim.key?.sign(deviceAnswerText({ node, challenge, key: victim.key.x }));
    expect(isRefused(await relay.send('verify', { ...message, code: box.code, answer }))).toEqual([
      false,
      'unauthorised',
      'answer',
    ]);
  });
});

describe('a token for boxes', () => {
  it('names its person only to the key that it is for; sending goes on', async () => {
    const uid = newId();
    const owner = await paired();
    const token = await tokenOf({ sub: uid, verified: true, admin: true }, owner.key);
    for (const key of [newDeviceKey(), null]) {
      const thief = await clientAs(newId(), key);
      expect(await thief.verify({ code: box.code, token })).toMatchObject({
        ok: true,
        user: null,
        notice: expect.stringContaining('another key') as string,
      });
      await expectDelivers(thief);
      expect((await call(box, 'POST', '/edge/pairing', thief.session, {})).status).toBe(403);
    }
    expect(await owner.verify({ session: owner.session, token })).toMatchObject({ ok: true, user: { uid } });
    for (const cnf of [{}, { jwk: {} }, { jwk: { x: 'x' } }, 'x', null])
      expect(
        await (await paired()).verify({ code: box.code, token: await tokenOf({ sub: newId(), cnf }) }),
        JSON.stringify(cnf),
      ).toMatchObject({ ok: true, user: null });
  });

  it('without a key, from an earlier cloud, it names its person until the box saw one with a key', async () => {
    const uid = newId();
    const [tablet, old] = [await paired(), await oldTablet()];
    const early = await tokenOf({ sub: uid });
    expect(await old.verify({ session: old.session, token: early })).toMatchObject({ ok: true, user: { uid } });
    await expectReadsNothing(old);
    expect(await tablet.verify({ session: tablet.session, token: early })).toMatchObject({ user: { uid } });
    await tablet.verify({ session: tablet.session, token: await tokenOf({ sub: uid }, tablet.key) });
    const thief = await paired();
    expect(await thief.verify({ session: thief.session, token: early })).toMatchObject({
      ok: true,
      user: null,
      notice: expect.any(String) as string,
    });
  });

  it('a role counts aboard only with the signature of the key that the token names', async () => {
    const uid = newId();
    const owner = await paired();
    const { key } = owner;
    if (key === null) throw new Error('the tablet has a key');
    const token = await tokenOf({ sub: uid, verified: true }, key);
    await owner.verify({ session: owner.session, token });
    const claim = (): Op =>
      makeOp('survey', { ...surveyOp(uid).body, user: { uid, verified: true } }, { by: uid as never });
    const rolesOf = async (sender: EdgeClient, op: Op): Promise<unknown> => {
      expect(await sender.send('survey', { op })).toMatchObject({ ok: true, receipt: { accepted: true } });
      return (await box.edge.context.store.document('survey', op.docId))?.roles;
    };
    const mate = await clientAs(owner.deviceId, newDeviceKey());
    await mate.verify({ code: box.code });
    const thief = await clientAs(owner.deviceId, null);
    await thief.verify({ session: owner.session });
    for (const sender of [owner, mate, thief]) {
      expect(await rolesOf(sender, claim()), 'unsigned').toEqual([]);
      expect(await rolesOf(sender, signedBy(newDeviceKey(), claim())), 'signed by another key').toEqual([]);
      const changed = { ...signedBy(key, claim()), madeAt: '2020-01-01T00:00:00.000Z' };
      expect(await rolesOf(sender, changed), 'changed afterwards').toEqual([]);
    }
    expect(await rolesOf(owner, signedBy(key, claim()))).toEqual(['verified']);
  });
});

describe('a tablet of version 1', () => {
  it('with session or code delivers, gets its receipts and reads nothing, until it proves a key', async () => {
    const tablet = await oldTablet();
    const again = await clientAs(tablet.deviceId, null);
    expect(await again.verify({ session: tablet.session })).toMatchObject({
      ok: true,
      session: tablet.session,
      ended: 'no-key',
      notice: expect.stringContaining('update the app') as string,
    });
    await expectReadsNothing(again);
    await expectDelivers(again);
    for (const [route, roles] of Object.entries(EDGE_POLICY.http)) {
      if (!(roles as readonly string[]).includes('reader')) continue;
      const [method = '', place = ''] = route.split(' ');
      const known = place.replace(':name', 'jwks').replace(':imageId', newId());
      const { status, body } = await call(box, method, known, tablet.session, method === 'GET' ? undefined : {});
      expect([status, body], route).toMatchObject([403, { error: { code: 'forbidden', field: 'session' } }]);
    }
    const updated = await clientAs(tablet.deviceId);
    const reply = await updated.verify({ session: tablet.session });
    expect(reply).toMatchObject({ ok: true, session: tablet.session });
    for (const member of ['ended', 'notice']) expect(reply).not.toHaveProperty(member);
    expect(await updated.send('query', { name: 'changes' })).toMatchObject({ ok: true });
    expect((await call(box, 'GET', '/edge/meta', tablet.session)).status).toBe(200);
    await expectReadsNothing(again);
    expect((await opsAboard()).length).toBeGreaterThan(0);
  });

  it('its session, once it is enrolled, stays with that key', async () => {
    const tablet = await oldTablet();
    const updated = await clientAs(tablet.deviceId);
    expect(await updated.verify({ session: tablet.session })).toMatchObject({ ok: true });
    const thief = await clientAs(tablet.deviceId, newDeviceKey());
    expect(isRefused(await thief.verify({ session: tablet.session }))).toEqual([false, 'unauthorised', 'session']);
  });
});

describe('the app', () => {
  it('answers the challenge when it pairs and reconnects, signs in aboard, and reads', async () => {
    const tablet = await openTestTablet({ name: 'Tablet' });
    closers.push(() => tablet.close());
    const { link } = tablet.repositories.edge;
    const stop = link.state.subscribe(() => undefined);
    ends.push(stop);
    await link.pair(box.url, box.code);
    await until(() => link.state.get().status === 'connected', 'the first connection');
    expect(link.state.get()).not.toHaveProperty('hasEnded');
    const mine = (await opsAboard()).length;
    await link.signIn({ name: { first: 'Ana', last: 'Reef' }, email: 'ana@example.org' });
    await until(() => link.state.get().status === 'connected', 'the connection as Ana');
    expect(link.state.get()).not.toHaveProperty('hasEnded');
    await until(async () => (await opsAboard()).length > mine, 'the profile on the box');
    expect(await link.invitation()).toMatchObject({ code: box.code });
  });

  it('pairs with a box of version 1, which asks for no answer, and reads', async () => {
    const { tablet, box: old, clock } = await scene();
    const { link } = tablet.repositories.edge;
    ends.push(link.state.subscribe(() => undefined));
    await link.pair(old.origin, 'X');
    await runUntil(clock, () => old.heard.some(({ event }) => event === 'query'), 'a read');
    const verified = old.heard.filter(({ event }) => event === 'verify').map(({ message }) => message);
    expect(verified.length).toBeGreaterThan(1);
    for (const message of verified) {
      expect(message).toHaveProperty('key');
      expect(message).not.toHaveProperty('answer');
    }
    expect(link.state.get()).not.toHaveProperty('hasEnded');
  });

  it('delivers after its key was replaced, and says how to pair again', async () => {
    const tablet = await openTestTablet({ name: 'Renewed' });
    closers.push(() => tablet.close());
    const { repositories, context, host } = tablet;
    const { link } = repositories.edge;
    ends.push(link.state.subscribe(() => undefined));
    await link.pair(box.url, box.code);
    await until(() => link.state.get().status === 'connected', 'the first connection');
    await link.setOfflineByChoice(true);
    await context.store.setMeta('deviceKey', (await host.deviceKeys.generate()) as never);
    await repositories.account.people.createPending({ name: { first: 'Ben', last: 'Reef' }, email: 'ben@example.org' });
    const sent = (await opsAboard()).length;
    await link.setOfflineByChoice(false);
    await until(() => {
      const state = link.state.get();
      return state.status === 'connected' && state.hasEnded === true;
    }, 'the tablet to deliver only');
    await until(async () => (await opsAboard()).length > sent, 'its work on the box');
    await link.pair(box.url, box.code);
    await until(() => {
      const state = link.state.get();
      return state.status === 'connected' && state.hasEnded !== true;
    }, 'the tablet to read again');
  });
});
