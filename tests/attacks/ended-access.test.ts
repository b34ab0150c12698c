import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Edge } from '../../edge-server/app';
import { buildEdge } from '../../edge-server/app';
import { readSettings } from '../../edge-server/settings';
import { EDGE_POLICY } from '../../src/domain/policy/edge-policy';
import type { EdgeSession, SessionsReply } from '../../src/protocol/edge-http';
import { EDGE_MESSAGES } from '../../src/protocol/edge-socket';
import { EdgeClient, imageOp, newId, pairedClient, photograph, sha256, surveyOp } from '../support/servers/edge-client';

const DAY_MS = 86_400_000;
const home = mkdtempSync(path.join(os.tmpdir(), 'reef-ended-'));
let ahead = 0;
let edge: Edge;
let url = '';
let admin = '';
let signAs: (claims: Record<string, unknown>) => Promise<string>;
const clients: EdgeClient[] = [];

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  signAs = (claims) =>
    new SignJWT({ aud: 'edge', email: 'ada@example.org', name: 'Ada Reef', ...claims })
      .setProtectedHeader({ alg: 'EdDSA', kid: 'cloud-1' })
      .setIssuedAt(new Date())
      .setExpirationTime('120d')
      .sign(privateKey);
  await startBox();
  const jwk = { ...(await exportJWK(publicKey)), kid: 'cloud-1', alg: 'EdDSA' };
  await call('PUT', '/edge/reference/jwks', admin, { keys: [jwk] });
  await call('PUT', '/edge/reference/regions', admin, { regions: [] });
});
afterAll(async () => {
  for (const client of clients) client.close();
  await edge.close();
  rmSync(home, { recursive: true, force: true });
});

async function startBox(): Promise<void> {
  edge = await buildEdge(readSettings({ REEF_HOME: home, EDGE_PORT: '0', MIN_FREE_GB: '0' }), {
    log: pino({ level: 'silent' }),
    clock: () => Date.now() + ahead,
  });
  url = await edge.listen();
  admin = edge.context.adminToken;
}

async function call(
  method: string,
  place: string,
  token: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const answer = await fetch(url + place, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {} };
}
const codeNow = async () => String((await call('GET', '/edge/pairing', admin)).body['code']);
async function paired(claims?: Record<string, unknown>): Promise<EdgeClient> {
  const client = await pairedClient({ url, code: await codeNow() });
  clients.push(client);
  if (claims !== undefined) await client.verify({ session: client.session, token: await signAs(claims) });
  return client;
}
async function reconnected({ session, deviceId }: EdgeClient): Promise<EdgeClient> {
  const client = await EdgeClient.connect(url, {}, deviceId);
  clients.push(client);
  expect(await client.verify({ session })).toMatchObject({ ok: true, session, user: null });
  return client;
}
const sessionsFor = async (token: string) =>
  (await call('GET', '/edge/sessions', token)).body as unknown as SessionsReply;
const sessionOf = async (client: EdgeClient): Promise<EdgeSession> => {
  const found = (await sessionsFor(client.session)).sessions.find(({ current }) => current);
  if (found === undefined) throw new Error('the session is not listed');
  return found;
};

/** Every read of the box, by the table of rights. */
async function expectNoReads(client: EdgeClient): Promise<void> {
  for (const [route, roles] of Object.entries(EDGE_POLICY.http)) {
    if (!(roles as readonly string[]).includes('reader')) continue;
    const [method = '', place = ''] = route.split(' ');
    const known = place.replace(':name', 'regions').replace(':imageId', newId());
    const { status, body } = await call(method, known, client.session, method === 'GET' ? undefined : {});
    expect([status, body], route).toMatchObject([403, { error: { code: 'forbidden', field: 'session' } }]);
  }
  for (const name of EDGE_MESSAGES.query.shape.name.options)
    for (const subscribe of [false, true])
      expect(await client.send('query', { name, subscribe }), name).toMatchObject({
        ok: false,
        error: { code: 'forbidden', field: 'session' },
      });
}

/** Work that the tablet owes: a survey, and photographs over the socket and over HTTP. */
async function expectDelivers(client: EdgeClient): Promise<void> {
  const survey = surveyOp();
  expect(await client.send('survey', { op: survey })).toMatchObject({ ok: true, receipt: { accepted: true } });
  const content = photograph(5000);
  const image = imageOp(survey.docId, content);
  expect(await client.upload(image, content)).toMatchObject({ ok: true });
  expect(await client.send('image:record', { op: image })).toMatchObject({ ok: true, receipt: { accepted: true } });
  const more = photograph(7000);
  const second = imageOp(survey.docId, more);
  const { uploadId } = (await client.announce(second, more)) as unknown as { uploadId: string };
  const patched = await fetch(`${url}/edge/uploads/${uploadId}`, {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${client.session}`,
      'content-type': 'application/partial-upload',
      'upload-offset': '0',
    },
    body: new Uint8Array(more),
  });
  expect(patched.status).toBe(200);
  expect(await client.send('image:record', { op: second })).toMatchObject({
    ok: true,
    receipt: { accepted: true, blob: { sha256: sha256(more) } },
  });
  expect(await client.send('owing', { records: 0, photographs: 0, bytes: 0 })).toMatchObject({ ok: true });
}

describe('a tablet whose access ended', () => {
  it('unpaired from the box’s page it delivers, reads nothing and its open socket ends', async () => {
    const [skipper, lost] = [await paired({ sub: newId(), admin: true }), await paired({ sub: newId() })];
    expect(await lost.send('query', { name: 'changes', subscribe: true })).toMatchObject({ ok: true });
    const before = await codeNow();
    const gone = new Promise((resolve) => lost.socket.once('disconnect', resolve));
    const { id } = await sessionOf(lost);
    expect((await call('POST', '/edge/sessions/end', skipper.session, { id, unpair: true })).status).toBe(200);
    await gone;
    const again = await EdgeClient.connect(url, {}, lost.deviceId);
    clients.push(again);
    expect(
      await again.verify({ session: lost.session, token: await signAs({ sub: newId(), admin: true }) }),
    ).toMatchObject({
      ok: true,
      user: null,
      ended: 'unpaired',
      notice: expect.stringContaining('unpaired aboard') as string,
    });
    await expectNoReads(again);
    await expectDelivers(again);
    expect(await codeNow(), 'the tablet knew the code').not.toBe(before);
    await expectPairsWithNewCodeAlone(again, before);
  });

  async function expectPairsWithNewCodeAlone(ended: EdgeClient, before: string): Promise<void> {
    const { session } = ended;
    const plain = await EdgeClient.connect(url, {}, ended.deviceId);
    clients.push(plain);
    expect(await plain.verify(), 'its id alone').toMatchObject({ ok: false, error: { code: 'pairing-required' } });
    for (const proof of [{ code: before }, { code: before, session }])
      expect(await plain.verify(proof)).toMatchObject({ ok: false, error: { code: 'pairing-wrong' } });
    const signIn = { email: 'x@example.org', name: { first: 'X' }, device: { id: ended.deviceId, name: 'T' } };
    expect((await call('POST', '/edge/sign-in', session, signIn)).status).toBe(401);
    expect(await plain.verify({ code: await codeNow(), session })).toMatchObject({ ok: true });
    expect(plain.session).not.toBe(session);
    expect(await plain.send('query', { name: 'meta' })).toMatchObject({ ok: true });
    expect(await ended.send('query', { name: 'meta' }), 'the old session stays ended').toMatchObject({ ok: false });
  }

  it('revoked ashore it delivers and reads nothing, also under another id, and the code changes', async () => {
    const lost = await paired();
    const before = await codeNow();
    const list = { people: [], roles: [], devices: [lost.deviceId], boxes: [] };
    const names = ['changes', 'surveys'] as const;
    const [honest, updates] = [await paired(), [] as unknown[]];
    for (const client of [lost, honest])
      for (const name of names)
        expect(await client.send('query', { name, subscribe: true })).toMatchObject({ ok: true });
    lost.socket.on('update', (update) => updates.push(update));
    expect((await call('PUT', '/edge/reference/revocations', admin, list)).status).toBe(200);
    expect(await codeNow()).not.toBe(before);
    const told = names.map(
      (name) =>
        new Promise<void>((resolve) => {
          honest.socket.on('update', (update: { name: string }) => update.name === name && resolve());
        }),
    );
    expect(await honest.send('survey', { op: surveyOp() })).toMatchObject({ ok: true });
    await Promise.all(told);
    await expectNoReads(lost);
    expect(updates, 'what it subscribed to before').toEqual([]);
    expect(await lost.send('owing', { records: 0, photographs: 0, bytes: 0 }), 'the open socket is told').toMatchObject(
      { ok: true, notice: expect.stringContaining('revoked ashore') as string },
    );
    const again = await reconnected(lost);
    await expectNoReads(again);
    await expectDelivers(again);
    const renamed = await EdgeClient.connect(url, {}, newId());
    renamed.key = lost.key;
    clients.push(renamed);
    expect(await renamed.verify({ session: lost.session })).toMatchObject({ ok: true, ended: 'revoked' });
    await expectNoReads(renamed);
    const after = await codeNow();
    await call('PUT', '/edge/reference/revocations', admin, list);
    expect(await codeNow(), 'the same list again changes nothing').toBe(after);
  });

  it('a session unused for 60 days delivers and reads nothing, a day less it reads', async () => {
    const [resting, lost] = [await paired(), await paired()];
    ahead += 59 * DAY_MS;
    expect(await resting.send('query', { name: 'meta' })).toMatchObject({ ok: true });
    ahead += 2 * DAY_MS;
    expect(await resting.send('query', { name: 'meta' }), 'used two days ago').toMatchObject({ ok: true });
    const again = await reconnected(lost);
    await expectNoReads(again);
    await expectDelivers(again);
    ahead = 0;
    expect(await again.send('query', { name: 'meta' }), 'a clock set back revives nothing').toMatchObject({
      ok: false,
    });
    await edge.close();
    await startBox();
    await expectNoReads(await reconnected(lost));
  });

  it('a picture’s address that it saw opens nothing afterwards', async () => {
    const [reader, skipper] = [await paired(), await paired({ sub: newId(), admin: true })];
    const { token, url: name } = edge.context.imageLinks.linkFor(newId());
    expect(edge.context.imageLinks.resolve({ token, url: name })).toBeDefined();
    const { id } = await sessionOf(reader);
    await call('POST', '/edge/sessions/end', skipper.session, { id });
    expect(edge.context.imageLinks.resolve({ token, url: name })).toBeUndefined();
    expect((await call('GET', `/cache/800/${token}/${name}`, reader.session)).status).toBe(404);
  });
});

describe('who ends access', () => {
  it('a tablet sees and ends its own session, and one of the same proven person, and no other', async () => {
    const uid = newId();
    const [own, mine, other, claim] = [
      await paired({ sub: uid }),
      await paired({ sub: uid }),
      await paired({ sub: newId() }),
      await paired(),
    ];
    const listed = await sessionsFor(own.session);
    expect([listed.all, listed.sessions.map(({ current }) => current).sort()]).toEqual([false, [false, true]]);
    expect(JSON.stringify(listed)).not.toContain(other.deviceId);
    const { id } = await sessionOf(other);
    for (const thief of [own, claim])
      for (const unpair of [true, false])
        expect((await call('POST', '/edge/sessions/end', thief.session, { id, unpair })).status).toBe(404);
    const { id: ofMine } = await sessionOf(mine);
    expect((await call('POST', '/edge/sessions/end', own.session, { id: ofMine, unpair: true })).status).toBe(403);
    expect((await call('POST', '/edge/sessions/end', own.session, { id: ofMine })).status).toBe(200);
    await expectNoReads(await reconnected(mine));
    expect(await other.send('query', { name: 'meta' })).toMatchObject({ ok: true });
  });

  it('naming another tablet’s id gives no right over its sessions', async () => {
    const victim = await paired({ sub: newId() });
    const rogue = await paired();
    const renamed = await EdgeClient.connect(url, {}, victim.deviceId);
    renamed.key = rogue.key;
    clients.push(renamed);
    expect(await renamed.verify({ session: rogue.session })).toMatchObject({ ok: true });
    const { sessions } = await sessionsFor(rogue.session);
    expect(sessions.map(({ current }) => current)).toEqual([true]);
    const [{ id } = { id: '' }] = sessions;
    expect((await call('POST', '/edge/sessions/end', rogue.session, { id, unpair: true })).status).toBe(403);
    expect(await victim.send('query', { name: 'meta' })).toMatchObject({ ok: true });
  });

  it('a claimed, a revoked and a missing role of admin neither list all nor renew the code', async () => {
    const uid = newId();
    const taken = {
      people: [],
      roles: [{ uid, before: new Date().toISOString(), taken: 1, has: [] }],
      devices: [],
      boxes: [],
    };
    const former = await paired({ sub: uid, admin: true, taken: 0 });
    expect((await sessionsFor(former.session)).all).toBe(true);
    await call('PUT', '/edge/reference/revocations', admin, taken);
    const claimed = await paired();
    const signedIn = await call('POST', '/edge/sign-in', claimed.session, {
      email: 'admin@example.org',
      name: { first: 'A' },
      device: { id: claimed.deviceId, name: 'T' },
      admin: true,
    });
    for (const session of [former.session, claimed.session, String(signedIn.body['session'])]) {
      expect((await sessionsFor(session)).all).toBe(false);
      expect((await call('POST', '/edge/pairing', session, {})).status).toBe(403);
    }
  });

  it('the console and an admin renew the code on demand; paired tablets stay paired', async () => {
    const [skipper, crew] = [await paired({ sub: newId(), admin: true }), await paired()];
    const codes = new Set([await codeNow()]);
    for (const token of [admin, skipper.session])
      codes.add(String((await call('POST', '/edge/pairing', token, {})).body['code']));
    expect(codes.size).toBe(3);
    const stranger = await EdgeClient.connect(url);
    clients.push(stranger);
    expect(await stranger.verify({ code: [...codes][0] })).toMatchObject({ error: { code: 'pairing-wrong' } });
    expect(await crew.send('query', { name: 'meta' })).toMatchObject({ ok: true });
  });
});

describe('the console', () => {
  const page = async () =>
    (await fetch(`${url}/edge/console`, { headers: { authorization: `Bearer ${admin}` } })).text();
  const press = async (fields: Record<string, string>) =>
    fetch(`${url}/edge/console`, {
      method: 'POST',
      redirect: 'manual',
      headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });

  it('lists sessions and unpairs, ends and renews by buttons that carry the page’s token', async () => {
    const [one, other] = [await paired(), await paired()];
    const html = await page();
    const form = /name="form" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const [{ id: ofOne }, { id: ofOther }] = [await sessionOf(one), await sessionOf(other)];
    expect(html).toContain(`name="id" value="${ofOne}"`);
    expect((await press({ form: 'forged', action: 'unpair', id: ofOne })).status).toBe(403);
    expect(await one.send('query', { name: 'meta' })).toMatchObject({ ok: true });
    expect((await press({ form, action: 'unpair', id: ofOne })).status).toBe(303);
    expect((await press({ form, action: 'end', id: ofOther })).status).toBe(303);
    for (const client of [one, other]) await expectNoReads(await reconnected(client));
    const before = await codeNow();
    expect((await press({ form, action: 'new-code' })).status).toBe(303);
    expect(await codeNow()).not.toBe(before);
    expect(await page()).toContain('unpaired: only sends');
  });
});
