/** Recorded cloud of version 1 under the current code (`scripts/record-version.mjs`). */
import { rmSync } from 'node:fs';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import type { JSONWebKeySet } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AUTH_LIMITS } from '../../../cloud-sync/api/accounts/auth-limits';
import { checkCloudToken } from '../../../edge-server/sign-in/cloud-token';
import type { PopupMessage, ProviderId } from '../../../src/protocol/accounts';
import type { CloudUser, TokenReply } from '../../../src/protocol/cloud-auth';
import type { TestCloud } from '../../support/servers/cloud';
import { startCloud } from '../../support/servers/cloud';
import { sha256 } from '../../support/servers/edge-client';
import type { TestDatabase } from '../../support/postgres/postgres';
import type { Double, ProviderDouble } from '../../support/doubles/providers';
import { providerEnvironment, startProvider } from '../../support/doubles/providers';
import { RecordedCloud } from '../../support/recorded/recorded-cloud';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const recorded = new RecordedCloud('version-1');
const { expected } = recorded;
const { ana, ben, eve, dan, guest, fay } = expected.people;
const startedAt = Date.now();
let ahead = 0;
/** Continues from the end of the recording. */
const clock = (): number => expected.recordedAt + 60_000 + (Date.now() - startedAt) + ahead;

let doubles: readonly ProviderDouble[];
let database: TestDatabase;
let cloud: TestCloud;
const home = recorded.home();

beforeAll(async () => {
  doubles = await Promise.all((['google', 'twitter', 'github'] as const).map(startProvider));
  database = await recorded.database();
  cloud = await startCloud({
    home,
    databaseUrl: database.url,
    hooks: { clock },
    env: { PUBLIC_URL: expected.site, ...providerEnvironment(doubles) },
  });
});
afterAll(async () => {
  await cloud.close();
  await database.close();
  await Promise.all(doubles.map((double) => double.close()));
  rmSync(home, { recursive: true, force: true });
});

type Opened = { readonly session: string; readonly user: CloudUser };
const post = <Body = Record<string, unknown>>(route: string, body: object, token: string | null = null) =>
  cloud.post<Body & Record<string, unknown>>(route, body, token);
const me = (token: string) => cloud.get<{ user: CloudUser }>('/api/me', token);
const jwks = async () => (await cloud.get<JSONWebKeySet & Record<string, unknown>>('/api/auth/jwks', null)).body;
const edgeToken = async (session: string) =>
  (await cloud.get<TokenReply & Record<string, unknown>>('/api/auth/edge-token', session)).body.token;

/** Person signed in by a custom token. */
async function opened(token: unknown): Promise<CloudUser> {
  const { status, body } = await post<Opened>('/api/auth/custom-token', { token });
  expect(status, JSON.stringify(body)).toBe(200);
  expect((await me(body.session)).body.user).toEqual(body.user);
  return body.user;
}

/** Ticket of a provider sign-in, from the query that opens the provider's page. */
async function ticketOf(id: ProviderId, query: string, person: Double): Promise<string> {
  const double = doubles.find((one) => one.id === id)!;
  double.person = person;
  const answer = await fetch(`${double.url}/authorize${query}`, { redirect: 'manual' });
  const { pathname, search } = new URL(answer.headers.get('location')!);
  const page = await (await fetch(new URL(pathname + search, cloud.url))).text();
  const message = /data-message="([^"]*)"/.exec(page)![1]!;
  return (
    JSON.parse(
      message.replace(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code))),
    ) as Required<PopupMessage>
  ).ticket;
}

async function signInAt(id: ProviderId, person: Double): Promise<CloudUser> {
  const { body } = await post<{ url: string }>(`/api/auth/providers/${id}/start`, {
    mode: 'sign-in',
    origin: expected.site,
  });
  const ticket = await ticketOf(id, new URL(body.url).search, person);
  return opened((await post(`/api/auth/providers/${id}/finish`, { ticket })).body['token']);
}

describe('1§4: version 1 accounts', () => {
  it('1§4: old sessions sign in with the same roles, and a disabled person stays disabled', async () => {
    for (const { session, user } of [ana, guest, fay]) expect((await me(session)).body.user).toEqual(user);
    expect([ben.user.staff, eve.user.admin, guest.user.anonymous]).toEqual([true, true, true]);
    // Staff and admins of version 1 set up a second factor before their next act.
    for (const { session, user } of [ben, eve]) {
      const roles = (['staff', 'admin'] as const).filter((role) => user[role]);
      expect((await me(session)).body.user).toEqual({
        ...user,
        staff: false,
        admin: false,
        secondFactor: { status: 'missing', roles },
      });
    }
    expect((await me(expected.shortToken)).body.user).toEqual(ana.user);
    const refused = await cloud.get<{ error: { auth: string } }>('/api/me', dan.session);
    expect([refused.status, refused.body.error.auth]).toEqual([403, 'auth/user-disabled']);
  });

  it('1§4: an old password signs in, and a wrong one does not', async () => {
    const { email, password } = ana;
    const { body } = await post('/api/fn/sign-in-with-password', { email, password });
    expect(await opened(body['token'])).toEqual(ana.user);
    expect((await post('/api/fn/sign-in-with-password', { email, password: `${password}!` })).status).toBe(400);
  });

  it('1§4: a provider’s person of version 1 stays the same person', async () => {
    expect((await signInAt('google', { ...ana.google, verified: true })).uid).toBe(ana.user.uid);
    expect(await signInAt('github', fay.github)).toEqual(fay.user);
  });

  it('1§4: pending codes, links, tickets and tokens work once', async () => {
    const { code, reset, link, customToken, provider, ticket } = expected.pending;
    const once = async (route: string, body: object): Promise<CloudUser> => {
      const answer = await post(route, body);
      expect(answer.status, route).toBe(200);
      expect((await post(route, body)).status, route).toBeGreaterThanOrEqual(400);
      return opened(answer.body['token']);
    };
    expect((await once('/api/fn/verify-user-login-code', code)).email).toBe(code.email);
    expect((await once('/api/fn/verify-authentication-link', link)).email).toBe(link.email);
    const confirmed = await once('/api/fn/confirm-password-reset', { ...reset, password: 'another sea' });
    expect(confirmed.uid).toBe(eve.user.uid);
    expect(await opened(customToken)).toEqual(ana.user);
    expect((await post('/api/auth/custom-token', { token: customToken })).status).toBe(401);
    const subject = await ticketOf('google', provider.query, { ...ana.google, verified: true });
    expect((await once('/api/auth/providers/google/finish', { ticket: subject })).uid).toBe(ana.user.uid);
    expect((await once('/api/auth/providers/twitter/finish', { ticket: ticket.ticket })).anonymous).toBe(false);
  });

  it('1§4: an old tablet and box keep their credentials, and a revoked tablet only delivers', async () => {
    const { callers } = cloud.cloud.context.accounts;
    const { tablet, revoked } = expected.devices;
    expect((await callers.identify(tablet.credential))!.caller).toMatchObject({
      person: ana.user.uid,
      deviceId: tablet.id,
    });
    expect(await cloud.post('/api/have', { sha256: [] }, revoked.credential)).toMatchObject({
      status: 200,
      body: { ended: 'revoked' },
    });
    expect((await cloud.get('/api/changes', revoked.credential)).status).toBe(403);
    expect((await cloud.post('/api/have', { sha256: [expected.photograph] }, expected.boxToken)).status).toBe(200);
  });
});

describe('1§4: version 1 signing keys', () => {
  it('1§4: all old keys are still published, and their tokens verify aboard', async () => {
    const published = await jwks();
    expect(published.keys).toEqual(expected.jwks.keys);
    expect(new Set(expected.edgeTokens.map(({ kid }) => kid)).size).toBe(2);
    for (const { token, at } of expected.edgeTokens) {
      const reference = { get: () => ({ body: JSON.stringify(published) }) };
      const time = { now: () => at + 1000, trust: () => undefined };
      const checked = await checkCloudToken(token, reference as never, time as never);
      expect(checked).toMatchObject({ state: 'valid', person: { uid: ana.user.uid } });
    }
  });

  it('1§4: the old private key still signs, for boxes that know only the old keys', async () => {
    const token = await edgeToken(ana.session);
    const signedThen = expected.edgeTokens.at(-1)!;
    expect(decodeProtectedHeader(token)).toEqual(decodeProtectedHeader(signedThen.token));
    const { payload } = await jwtVerify(token, createLocalJWKSet(expected.jwks), { currentDate: new Date(clock()) });
    const { iat: _iat, exp: _exp, ...claims } = payload;
    expect(claims).toEqual({ ...decodeJwt(signedThen.token), iat: undefined, exp: undefined });
  });

  it('1§4: after a voyage the newest old key signs, and a further one is published', async () => {
    ahead = AUTH_LIMITS.keyPublishedAheadMs + 60_000;
    try {
      const token = await edgeToken(ana.session);
      expect(decodeProtectedHeader(token).kid).toBe(expected.jwks.keys.at(-1)!.kid);
      await jwtVerify(token, createLocalJWKSet(expected.jwks), { currentDate: new Date(clock()) });
      const { keys } = await jwks();
      expect(keys.slice(0, -1)).toEqual(expected.jwks.keys);
      expect(Object.keys(keys.at(-1)!).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'x']);
    } finally {
      ahead = 0;
    }
  });
});

describe('protocol: a version 1 cloud store', () => {
  it('protocol: the feed, receipts and photographs are the same, byte for byte', async () => {
    expect(await cloud.changes(0, ana.session)).toEqual(expected.changes);
    const answer = await fetch(`${cloud.url}/api/blobs/${expected.photograph}`, {
      headers: { authorization: `Bearer ${ana.session}` },
    });
    expect(sha256(new Uint8Array(await answer.arrayBuffer()))).toBe(expected.photograph);
  });
});
