import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SignJWT, UnsecuredJWT, exportJWK, generateKeyPair } from 'jose';
import { pino } from 'pino';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Edge } from '../../../edge-server/app';
import { buildEdge } from '../../../edge-server/app';
import type { GpsSource } from '../../../edge-server/vessel/gps-source';
import { readSettings } from '../../../edge-server/settings';
import { startEdge } from '../../support/servers/edge';
import { EdgeClient, newId, pairedClient, surveyOp } from '../../support/servers/edge-client';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const YEAR_MS = 365.25 * 86_400_000;
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** In-process box with a manual clock and real loopback sockets. */
async function box(
  env: Record<string, string> = {},
  more: { offsetMs?: number; gps?: GpsSource; home?: string } = {},
): Promise<{ edge: Edge; url: string; code: string; home: string; close: () => Promise<void> }> {
  const home = more.home ?? mkdtempSync(path.join(os.tmpdir(), 'reef-sessions-'));
  const edge = await buildEdge(readSettings({ REEF_HOME: home, EDGE_PORT: '0', MIN_FREE_GB: '0', ...env }), {
    log: pino({ level: 'silent' }),
    clock: () => Date.now() + (more.offsetMs ?? 0),
    ...(more.gps === undefined ? {} : { gps: more.gps }),
  });
  const url = await edge.listen();
  undo.push(
    () => rmSync(home, { recursive: true, force: true }),
    () => edge.close(),
  );
  return { edge, url, code: edge.context.pairing.code(), home, close: () => edge.close() };
}

const cloud = {
  sign: (_claims: Record<string, unknown>): Promise<string> => Promise.reject(new Error('no key yet')),
  jwks: {} as object,
};
beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  cloud.jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'cloud-1', alg: 'EdDSA' }] };
  cloud.sign = (claims) =>
    new SignJWT({
      sub: 'Person0000000001',
      aud: 'edge',
      email: 'ada@example.org',
      name: 'Ada Reef',
      iat: seconds(0),
      exp: seconds(3600),
      ...claims,
    })
      .setProtectedHeader({ alg: 'EdDSA', kid: 'cloud-1' })
      .sign(privateKey);
});

function seconds(fromNow: number): number {
  return Math.floor(Date.now() / 1000) + fromNow;
}

async function putJwks(url: string, token: string): Promise<void> {
  const answer = await fetch(`${url}/edge/reference/jwks`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(cloud.jwks),
  });
  expect(answer.status).toBe(200);
}

const post = async (
  url: string,
  place: string,
  body: object,
  session?: string,
): Promise<{ status: number; json: Record<string, unknown> & { error?: { code: string } } }> => {
  const answer = await fetch(url + place, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(session === undefined ? {} : { authorization: `Bearer ${session}` }),
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
};

describe('protocol: verify and pairing', () => {
  it('protocol: a tablet needs the code or its session; its id alone and unknown sessions are refused', async () => {
    const { url, code } = await box();
    const client = await EdgeClient.connect(url);
    undo.push(() => client.close());
    expect(await client.verify()).toMatchObject({ ok: false, error: { code: 'pairing-required' } });
    expect(await client.verify({ code: 'AAAA7777' })).toMatchObject({ ok: false, error: { code: 'pairing-wrong' } });
    expect(await client.verify({ code: ` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)}` })).toMatchObject({
      ok: true,
      user: null,
    });
    const { session } = client;
    expect(await client.verify(), 'the id of a paired tablet').toMatchObject({
      ok: false,
      error: { code: 'pairing-required' },
    });
    expect(await client.verify({ session: 'never-given' })).toMatchObject({
      ok: false,
      error: { code: 'unauthorised' },
    });
    expect(await client.verify({ session })).toMatchObject({ ok: true, session });
    expect(code).toMatch(/^[34679ACDEFGHJKMNPQRTWXY]{8}$/);
  });

  it('protocol: guessing the code is limited while paired tablets are served', async () => {
    const { url, code } = await box();
    const paired = await pairedClient({ url, code });
    const guesser = await EdgeClient.connect(url);
    undo.push(
      () => paired.close(),
      () => guesser.close(),
    );
    const codes = new Set<string | undefined>();
    for (let n = 0; n < 12; n++) codes.add((await guesser.verify({ code: 'AAAAAAAA' })).error?.code);
    expect([...codes]).toEqual(['pairing-wrong', 'rate-limited']);
    expect(await guesser.verify({ code })).toMatchObject({ ok: false, error: { code: 'rate-limited' } });
    expect(await paired.verify({ session: paired.session })).toMatchObject({ ok: true });
    const neighbour = await EdgeClient.connect(url);
    undo.push(() => neighbour.close());
    expect(await neighbour.verify({ code }), 'another new tablet at the same address').toMatchObject({ ok: true });
    let attack = await EdgeClient.connect(url);
    undo.push(() => attack.close());
    const answers = new Set<string | undefined>();
    for (let n = 0; n < 700 && !answers.has('rate-limited'); n++) {
      // A connection carries 64 KiB before it is verified.
      if (n % 200 === 199) {
        attack.close();
        attack = await EdgeClient.connect(url);
      }
      answers.add(
        (
          await attack.send('verify', {
            protocol: { min: 1, max: 1 },
            app: { version: '1' },
            device: { id: newId(), name: 'x' },
            code: 'AAAAAAAA',
          })
        ).error?.code,
      );
    }
    expect([...answers], 'under ever new names').toEqual(['pairing-wrong', 'rate-limited']);
  });

  it('protocol: EDGE_PAIRING=open needs no code', async () => {
    const { url } = await box({ EDGE_PAIRING: 'open' });
    const client = await EdgeClient.connect(url);
    undo.push(() => client.close());
    expect(await client.verify()).toMatchObject({ ok: true, user: null });
    expect(await client.verify({ session: 'never-given' })).toMatchObject({
      ok: false,
      error: { code: 'unauthorised' },
    });
  });

  it('protocol: sessions survive a box kill, and a new device id keeps its session', async () => {
    const edge = await startEdge();
    undo.push(() => edge.remove());
    const first = await pairedClient(edge);
    const { session, deviceId } = first;
    await edge.restart('SIGKILL');
    const again = await EdgeClient.connect(edge.url, {}, deviceId);
    expect(await again.verify({ session })).toMatchObject({ ok: true, session });
    const restored = await EdgeClient.connect(edge.url);
    restored.key = first.key;
    expect(await restored.verify({ session })).toMatchObject({ ok: true, session });
    expect(await restored.send('survey', { op: surveyOp() })).toMatchObject({ ok: true });
    for (const client of [first, again, restored]) client.close();
  });
});

describe('protocol: cloud tokens, checked offline', () => {
  it('protocol: a valid token names the person; a foreign, forged or expired one is refused', async () => {
    const { edge, url, code } = await box();
    const client = await EdgeClient.connect(url);
    undo.push(() => client.close());
    expect(await client.verify({ code, token: await cloud.sign({}) })).toMatchObject({
      ok: false,
      error: { code: 'unauthorised' },
    });
    expect(edge.context.state.device(client.deviceId), 'a refused verify pairs nothing').toBeUndefined();
    await putJwks(url, edge.context.adminToken);
    const stranger = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
    const claims = { sub: 'Person0000000001', aud: 'edge', iat: seconds(0), exp: seconds(3600) };
    for (const [what, token] of Object.entries({
      'another audience': await cloud.sign({ aud: 'www' }),
      'no audience': await cloud.sign({ aud: undefined }),
      'no end': await cloud.sign({ exp: undefined }),
      'no person': await cloud.sign({ sub: '../..' }),
      unsigned: new UnsecuredJWT(claims).encode(),
      forged: await new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', kid: 'cloud-1' }).sign(stranger.privateKey),
      expired: await cloud.sign({ iat: seconds(-7200), exp: seconds(-3600) }),
      'no token at all': 'x.y.z',
    })) {
      expect(await client.verify({ code, token }), what).toMatchObject({ ok: false, error: { code: 'unauthorised' } });
    }
    expect(await client.verify({ code, token: await cloud.sign({}) })).toMatchObject({
      ok: true,
      user: { uid: 'Person0000000001', email: 'ada@example.org', name: { first: 'Ada', last: 'Reef' }, pending: false },
    });
    const { session } = client;
    expect(
      await client.verify({ session, token: await cloud.sign({ iat: seconds(-7200), exp: seconds(-3600) }) }),
      'a valid session with an expired token',
    ).toMatchObject({ ok: true, session, user: { uid: 'Person0000000001' } });
    expect(await client.verify({ session, token: await cloud.sign({ aud: 'www' }) })).toMatchObject({
      ok: false,
      error: { code: 'unauthorised' },
    });
  });

  it.each([
    ['ahead', 10 * YEAR_MS],
    ['behind', -10 * YEAR_MS],
  ])('protocol: a clock ten years %s refuses no good token and takes no expired one', async (_name, offsetMs) => {
    const { edge, url, code } = await box({}, { offsetMs });
    await putJwks(url, edge.context.adminToken);
    const client = await pairedClient({ url, code });
    undo.push(() => client.close());
    expect(await client.send('survey', { op: surveyOp() })).toMatchObject({ ok: true });
    expect(await client.verify({ code, token: await cloud.sign({}) })).toMatchObject({
      ok: true,
      user: { uid: 'Person0000000001' },
    });
    // Token times come from the cloud, so an older token is measured against this one.
    expect(
      await client.verify({ code, token: await cloud.sign({ iat: seconds(-7200), exp: seconds(-3600) }) }),
    ).toMatchObject({ ok: false, error: { code: 'unauthorised' } });
  });

  it('protocol: the time of a GPS fix counts, also after a restart', async () => {
    const time = new Date(Date.now() + YEAR_MS).toISOString();
    const gps: GpsSource = {
      current: () => ({ lat: -16, lng: 145, time, source: 'test' }),
      onFix: () => () => undefined,
      close: () => undefined,
    };
    const first = await box({}, { gps });
    await putJwks(first.url, first.edge.context.adminToken);
    await first.close();
    const { url, code } = await box({}, { home: first.home });
    const client = await EdgeClient.connect(url);
    undo.push(() => client.close());
    expect(await client.verify({ code, token: await cloud.sign({}) })).toMatchObject({
      ok: false,
      error: { code: 'unauthorised' },
    });
    expect(
      await client.verify({ code, token: await cloud.sign({ exp: seconds((2 * YEAR_MS) / 1000) }) }),
    ).toMatchObject({ ok: true });
  });
});

describe('protocol: local sign-in aboard', () => {
  const ada = { email: 'Ada@Example.org', name: { first: 'Ada', last: 'Reef' } };

  it('protocol: two people of one tablet with a new id keep separate addresses', async () => {
    const { url, code } = await box();
    const device = { id: newId(), name: 'Tablet' };
    const first = await post(url, '/edge/sign-in', { ...ada, device, code });
    const session = String(first.json['session']);
    const second = await post(url, '/edge/sign-in', { ...ada, email: 'ben@example.org', device }, session);
    const client = await EdgeClient.connect(url, {}, newId());
    undo.push(() => client.close());
    expect(await client.verify({ session })).toMatchObject({ ok: true, user: first.json['user'] });
    expect(await post(url, '/edge/profile', { email: 'Ben@example.org' }, session)).toMatchObject({
      status: 400,
      json: { error: { code: 'bad-message', field: 'email' } },
    });
    expect(await post(url, '/edge/profile', { email: 'Ada@example.net' }, session)).toMatchObject({
      status: 200,
      json: { user: { email: 'ada@example.net' } },
    });
    expect(
      (await post(url, '/edge/sign-in', { ...ada, email: 'ben@example.org', device }, String(second.json['session'])))
        .json['user'],
    ).toEqual(second.json['user']);
  });

  it('protocol: repeated sign-in requests are delayed, and signed-in tablets still send', async () => {
    const { url, code } = await box();
    const device = { id: newId(), name: 'Tablet' };
    const client = await EdgeClient.connect(url, {}, device.id);
    undo.push(() => client.close());
    const signedIn = await post(url, '/edge/sign-in', { ...ada, device, code });
    const session = String(signedIn.json['session']);
    expect(await client.verify({ session })).toMatchObject({ ok: true });
    const statuses = await Promise.all(
      Array.from(
        { length: 140 },
        async (_, n) =>
          (await post(url, '/edge/sign-in', { ...ada, email: `${n}@example.org`, device }, session)).status,
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(await client.send('survey', { op: surveyOp((signedIn.json['user'] as { uid: string }).uid) })).toMatchObject(
      { ok: true },
    );
  });

  it('protocol: a pending person is the same on one tablet and different on another', async () => {
    const { url, code } = await box();
    const device = { id: newId(), name: 'Tablet 1' };
    expect((await post(url, '/edge/sign-in', { ...ada, device })).json).toMatchObject({
      ok: false,
      error: { code: 'pairing-required' },
    });
    const first = await post(url, '/edge/sign-in', { ...ada, device, code });
    expect(first).toMatchObject({
      status: 200,
      json: { user: { pending: true, email: 'ada@example.org', name: { first: 'Ada', last: 'Reef' } } },
    });
    const uid = (json: Record<string, unknown>) => (json['user'] as { uid: string }).uid;
    expect(
      uid(
        (await post(url, '/edge/sign-in', { ...ada, email: 'ada@example.ORG', device }, String(first.json['session'])))
          .json,
      ),
    ).toBe(uid(first.json));
    expect(
      uid((await post(url, '/edge/sign-in', { ...ada, device: { id: newId(), name: 'Tablet 2' }, code })).json),
    ).not.toBe(uid(first.json));

    const client = await EdgeClient.connect(url, {}, device.id);
    undo.push(() => client.close());
    const session = String(first.json['session']);
    expect(await client.verify({ session })).toMatchObject({
      ok: true,
      session,
      user: { uid: uid(first.json), pending: true },
    });
    const { by: _by, ...op } = surveyOp(uid(first.json));
    expect(await client.send('survey', { op })).toMatchObject({ ok: true });
    const changes = (await client.send('query', { name: 'changes' })) as unknown as {
      data: { entries: { by?: string }[] };
    };
    expect(changes.data.entries[0]?.by).toBe(uid(first.json));

    expect(
      (await post(url, '/edge/profile', { name: { first: 'Ada', last: 'Lovelace' } }, session)).json,
    ).toMatchObject({ user: { uid: uid(first.json), name: { last: 'Lovelace' } } });
    expect((await post(url, '/edge/disconnect', {}, session)).json).toEqual({ ok: true });
    expect((await post(url, '/edge/profile', { name: { first: 'X', last: '' } }, session)).status).toBe(403);
    expect(await client.verify({ session }), "the session stays the tablet's credential").toMatchObject({
      ok: true,
      user: null,
    });
  });

  it.each([
    ['email', { ...ada, email: 'no address' }],
    ['name.first', { ...ada, name: { first: ' ', last: 'x' } }],
    ['name.first', { ...ada, name: { first: '\u200b', last: 'x' } }],
    ['device.id', { ...ada, device: { id: 'x', name: 'y' } }],
  ])('1§5: a wrong %s is reported', async (field, body) => {
    const { url, code } = await box();
    expect(await post(url, '/edge/sign-in', { device: { id: newId(), name: 'x' }, code, ...body })).toMatchObject({
      status: 400,
      json: { error: { code: 'bad-message', field } },
    });
  });
});
