import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { AUTH_LIMITS } from '../../../../cloud-sync/api/accounts/auth-limits';
import { readProviderSettings } from '../../../../cloud-sync/api/accounts/providers/provider-settings';
import type { PopupMessage, ProviderId, ProvidersReply } from '../../../../src/protocol/accounts';
import { PROVIDERS } from '../../../../src/protocol/accounts';
import type { TestCloud } from '../../../support/servers/cloud';
import { startCloud } from '../../../support/servers/cloud';
import { newId, surveyOp } from '../../../support/servers/edge-client';
import type { SignedIn } from '../../../support/servers/people';
import { signIn } from '../../../support/servers/people';
import type { Double, ProviderDouble } from '../../../support/doubles/providers';
import { providerEnvironment, startProvider } from '../../../support/doubles/providers';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const SITE = 'https://reef.example';
let ahead = 0;
let doubles: Record<ProviderId, ProviderDouble>;
let cloud: TestCloud;

beforeAll(async () => {
  const started = await Promise.all(PROVIDERS.map(startProvider));
  doubles = Object.fromEntries(started.map((one) => [one.id, one])) as typeof doubles;
  cloud = await startCloud({
    hooks: { clock: () => Date.now() + ahead },
    env: { PUBLIC_URL: SITE, ...providerEnvironment(started) },
  });
});
afterAll(async () => {
  await cloud.close();
  await Promise.all(Object.values(doubles).map((one) => one.close()));
});
afterEach(() => {
  for (const double of Object.values(doubles)) Object.assign(double, { lie: {}, trouble: 'none' });
  ahead = 0;
});

type Refusal = { error: { code: string; auth?: string; field?: string; message: string } };
type Started = { url: string; state: string; from: string } & Partial<Refusal>;
let subjects = 1000;
const subject = (): string => String((subjects += 1));
const anyone = (): string => `${newId().toLowerCase()}@example.org`;

const start = async (id: string, { mode = 'sign-in', origin = SITE, session = null as string | null } = {}) =>
  cloud.post<Started>(`/api/auth/providers/${id}/start`, { mode, origin }, session);

/** Approves at the provider as `person`, like the popup; returns the redirect URL. */
async function allow(id: ProviderId, url: string, person: Double): Promise<URL> {
  doubles[id].person = person;
  const back = new URL((await fetch(url, { redirect: 'manual' })).headers.get('location')!);
  expect(back.origin + back.pathname).toBe(`${SITE}/api/auth/providers/${id}/callback`);
  return back;
}

/** Opens the redirect page of the provider. */
async function page(
  back: URL,
): Promise<{
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly message: PopupMessage | undefined;
  readonly origin: string | undefined;
}> {
  const answer = await fetch(new URL(back.pathname + back.search, cloud.url));
  const text = await answer.text();
  const unescaped = (value: string | undefined) =>
    value?.replace(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)));
  const message = unescaped(/data-message="([^"]*)"/.exec(text)?.[1]);
  return {
    status: answer.status,
    text,
    headers: answer.headers,
    message: message === undefined ? undefined : (JSON.parse(message) as PopupMessage),
    origin: unescaped(/data-origin="([^"]*)"/.exec(text)?.[1]),
  };
}

const finish = (id: string, ticket: string, session: string | null = null) =>
  cloud.post<{ ok: boolean; token?: string } & Partial<Refusal>>(
    `/api/auth/providers/${id}/finish`,
    { ticket },
    session,
  );

/** Signs in at the provider up to the ticket. */
async function ticketFor(
  id: ProviderId,
  person: Double,
  options: Parameters<typeof start>[1] = {},
): Promise<PopupMessage> {
  const { body } = await start(id, options);
  return (await page(await allow(id, body.url, person))).message!;
}
async function opened(token: string | undefined): Promise<SignedIn> {
  const { status, body } = await cloud.post<SignedIn & Partial<Refusal>>('/api/auth/custom-token', { token }, null);
  if (status !== 200) throw new Error(`custom-token: ${status} ${JSON.stringify(body)}`);
  return { session: body.session, user: body.user };
}
async function enter(id: ProviderId, person: Double, session: string | null = null): Promise<SignedIn> {
  const { body } = await finish(id, (await ticketFor(id, person)).ticket!, session);
  return opened(body.token);
}
const anonymous = async () =>
  opened((await cloud.post<{ token: string }>('/api/fn/sign-in-anonymously', {}, null)).body.token);
const linkedOf = async (session: string) =>
  (await cloud.get<ProvidersReply & Record<string, unknown>>('/api/auth/providers', session)).body.providers
    .filter(({ linked }) => linked)
    .map(({ id }) => id);
async function link(id: ProviderId, person: Double, { session }: SignedIn) {
  return finish(id, (await ticketFor(id, person, { mode: 'link', session })).ticket!, session);
}

describe('1§4: sign-in at a provider', () => {
  it('1§4: enabled providers are offered by name', async () => {
    const { body } = await cloud.get<ProvidersReply & Record<string, unknown>>('/api/auth/providers', null);
    expect(body.providers).toEqual(
      [
        ['google', 'Google'],
        ['facebook', 'Facebook'],
        ['twitter', 'Twitter'],
        ['github', 'GitHub'],
      ].map(([id, name]) => ({ id, name, linked: false })),
    );
  });

  it.each(PROVIDERS)('1§4: %s signs a new person in, and the same person again', async (id) => {
    const person = { subject: subject(), verified: true, ...(id === 'twitter' ? {} : { email: anyone() }) };
    const first = await enter(id, person);
    expect(first.user).toMatchObject({
      email: person.email ?? '',
      anonymous: false,
      isEmailVerified: false,
      staff: false,
    });
    expect(await linkedOf(first.session)).toEqual([id]);
    const again = await enter(id, { ...person, ...(person.email === undefined ? {} : { email: anyone() }) });
    expect(again.user).toEqual(first.user);
    expect(
      (await enter(id, { ...person, subject: subject(), ...(person.email === undefined ? {} : { email: anyone() }) }))
        .user.uid,
    ).not.toBe(first.user.uid);
  });

  it('1§4: a request to a provider has PKCE, a state and, for OpenID, a nonce', async () => {
    for (const id of PROVIDERS) {
      const { body } = await start(id);
      const asked = new URL(body.url).searchParams;
      expect(Object.fromEntries(asked), id).toMatchObject({
        response_type: 'code',
        client_id: doubles[id].clientId,
        redirect_uri: `${SITE}/api/auth/providers/${id}/callback`,
        code_challenge_method: 'S256',
        state: body.state,
      });
      expect(asked.get('code_challenge')).toMatch(/^[\w-]{43}$/);
      expect(asked.get('nonce') === null, id).toBe(id !== 'google');
      expect(body.url, id).not.toContain(doubles[id].secret);
    }
    const { rows } = await cloud.cloud.context.database.pool.query<{ all: string }>(
      'SELECT json_agg(a)::text AS all FROM (SELECT "accessToken", "refreshToken", "idToken" FROM auth."account" WHERE "providerId" <> \'credential\') a WHERE "accessToken" IS NOT NULL OR "refreshToken" IS NOT NULL OR "idToken" IS NOT NULL',
    );
    expect(rows[0]!.all).toBeNull();
  });

  it('1§4: an unverified provider address is ignored, and none at all still makes an account', async () => {
    expect((await enter('google', { subject: subject(), email: anyone(), verified: false })).user).toMatchObject({
      email: '',
      anonymous: false,
    });
    expect((await enter('github', { subject: subject(), email: anyone(), verified: false })).user.email).toBe('');
    expect((await enter('facebook', { subject: subject() })).user.email).toBe('');
  });
});

describe('1§4: account ownership', () => {
  it('2§8: a provider does not sign in to an existing account with that address', async () => {
    const owner = await signIn(cloud, anyone());
    for (const id of ['google', 'facebook', 'github'] as const) {
      const message = await ticketFor(id, {
        subject: subject(),
        email: owner.user.email.toUpperCase(),
        verified: true,
      });
      const { status, body } = await finish(id, message.ticket!);
      expect([status, body.error?.auth], id).toEqual([403, 'auth/account-exists-with-different-credential']);
    }
    expect(await linkedOf(owner.session)).toEqual([]);
  });

  it('1§4: Google signs in to an account if it hosts the mailbox itself', async () => {
    const email = `${newId().toLowerCase()}@gmail.com`;
    const owner = await signIn(cloud, email);
    const google = { subject: subject(), email, verified: true };
    expect((await enter('google', google)).user.uid).toBe(owner.user.uid);
    const school = await signIn(cloud, anyone());
    const { ticket } = await ticketFor('google', {
      subject: subject(),
      email: school.user.email,
      verified: true,
      hd: 'example.com',
    });
    expect((await finish('google', ticket!)).status).toBe(403);
    expect(
      (await enter('google', { subject: subject(), email: school.user.email, verified: true, hd: 'example.org' })).user
        .uid,
    ).toBe(school.user.uid);
    // Unverified mailbox claims do not count as hosting it.
    const third = await signIn(cloud, `${newId().toLowerCase()}@gmail.com`);
    expect((await enter('google', { subject: subject(), email: third.user.email, verified: false })).user.uid).not.toBe(
      third.user.uid,
    );
  });

  it('1§6: an anonymous user keeps their uid if the provider’s person is new', async () => {
    const one = await anonymous();
    const survey = surveyOp(one.user.uid);
    await cloud.ops([survey], undefined, one.session);
    const email = anyone();
    const full = await enter('github', { subject: subject(), email, verified: true }, one.session);
    expect(full.user).toMatchObject({ uid: one.user.uid, email, anonymous: false });
    const twitter = await anonymous();
    expect((await enter('twitter', { subject: subject() }, twitter.session)).user).toMatchObject({
      uid: twitter.user.uid,
      email: '',
      anonymous: false,
    });
  });

  it('1§6: an anonymous user becomes the known person of the provider and sees what they wrote', async () => {
    const person = { subject: subject() };
    const known = await enter('twitter', person);
    const one = await anonymous();
    const survey = surveyOp(one.user.uid);
    await cloud.ops([survey], undefined, one.session);
    const joined = await enter('twitter', person, one.session);
    expect(joined.user.uid).toBe(known.user.uid);
    expect((await cloud.changes(0, joined.session)).entries.map(({ op }) => op?.opId)).toContain(survey.opId);
  });

  it('1§4: a session ended at another process links nothing, although it is cached here', async () => {
    const owner = await signIn(cloud, anyone());
    const { ticket } = await ticketFor('github', { subject: subject() }, { mode: 'link', session: owner.session });
    await cloud.cloud.context.database.pool.query('DELETE FROM auth."session" WHERE "userId" = $1', [owner.user.uid]);
    expect((await finish('github', ticket!, owner.session)).status).toBe(401);
    expect(await cloud.cloud.context.accounts.identities.providersOf(owner.user.uid as never)).toEqual([]);
  });

  it('1§4: linking refuses another’s identity, and unlinking keeps the last sign-in method', async () => {
    const owner = await signIn(cloud, anyone());
    const person = { subject: subject() };
    expect((await link('twitter', person, owner)).body).toEqual({ ok: true });
    expect((await link('twitter', person, owner)).status).toBe(200);
    expect((await enter('twitter', person)).user.uid).toBe(owner.user.uid);
    const other = await signIn(cloud, anyone());
    const taken = await link('twitter', person, other);
    expect([taken.status, taken.body.error?.auth]).toEqual([403, 'auth/account-exists-with-different-credential']);
    const unlink = (id: string, session: string) =>
      cloud.post<Partial<Refusal>>(`/api/auth/providers/${id}/unlink`, {}, session);
    expect((await unlink('github', owner.session)).status).toBe(404);
    expect((await unlink('twitter', owner.session)).status).toBe(200);
    expect(await linkedOf(owner.session)).toEqual([]);
    // Account without any other sign-in method.
    const alone = await enter('twitter', { subject: subject() });
    expect((await unlink('twitter', alone.session)).status).toBe(403);
    await link('github', { subject: subject() }, alone);
    const both = await Promise.all([unlink('twitter', alone.session), unlink('github', alone.session)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(await linkedOf(alone.session)).toHaveLength(1);
  });
});

describe('1§4: attacks on a sign-in at a provider', () => {
  const stranger = async (back: URL) => {
    const answer = await page(back);
    expect({ status: answer.status, message: answer.message }).toEqual({ status: 400, message: undefined });
  };

  it('1§4: an unknown, used or foreign state reveals nothing and redeems no code', async () => {
    const before = doubles.github.asked.length + doubles.google.asked.length;
    await stranger(new URL(`${SITE}/api/auth/providers/github/callback?code=x&state=${'x'.repeat(43)}`));
    await stranger(new URL(`${SITE}/api/auth/providers/github/callback?code=x`));
    await stranger(new URL(`${SITE}/api/auth/providers/github/callback?code=x&state=a&state=b`));
    const { body } = await start('google');
    await stranger(new URL(`${SITE}/api/auth/providers/github/callback?code=x&state=${body.state}`));
    const old = await start('github');
    ahead = AUTH_LIMITS.providerSignInLifeMs + 1000;
    await stranger(new URL(`${SITE}/api/auth/providers/github/callback?code=x&state=${old.body.state}`));
    ahead = 0;
    expect(doubles.github.asked.length + doubles.google.asked.length).toBe(before);
    const used = await allow('github', (await start('github')).body.url, { subject: subject() });
    expect((await page(used)).message?.ticket).toBeDefined();
    await stranger(used);
  });

  it('1§4: a used code, or one of another sign-in, fails on its verifier', async () => {
    const victim = await allow('github', (await start('github')).body.url, { subject: subject() });
    const mine = (await start('github')).body;
    const injected = new URL(victim);
    injected.searchParams.set('state', mine.state);
    const { message } = await page(injected);
    expect(message).toMatchObject({ error: { auth: 'auth/internal-error' } });
    expect(message?.ticket).toBeUndefined();
  });

  it('1§4: a ticket works once, for its provider, in time and unaltered', async () => {
    const { ticket } = await ticketFor('github', { subject: subject() });
    expect((await finish('google', ticket!)).status).toBe(401);
    const [said = '', seal = ''] = ticket!.split('.');
    const forged = Buffer.from(
      JSON.stringify({
        ...JSON.parse(Buffer.from(said, 'base64url').toString()),
        identity: { provider: 'github', subject: '1', email: null, runsMailbox: true },
      }),
    ).toString('base64url');
    for (const wrong of [`${forged}.${seal}`, said, `${said}.`, `${said}.${'0'.repeat(seal.length)}`, 'x.y', '.'])
      expect((await finish('github', wrong)).status, wrong).toBe(401);
    const answers = await Promise.all(Array.from({ length: 4 }, () => finish('github', ticket!)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    const late = await ticketFor('github', { subject: subject() });
    ahead = AUTH_LIMITS.customTokenLifeMs + 1000;
    expect((await finish('github', late.ticket!)).status).toBe(401);
  });

  it('1§4: a person lured into another’s provider sign-in links nothing and stays signed out', async () => {
    const attacker = await signIn(cloud, anyone());
    const victim = { subject: subject(), email: anyone(), verified: true };
    const { ticket } = await ticketFor('github', victim, { mode: 'link', session: attacker.session });
    // The page notified the victim's browser, which has no waiting window; nothing changed ashore.
    expect(await linkedOf(attacker.session)).toEqual([]);
    const other = await signIn(cloud, anyone());
    expect((await finish('github', ticket!, other.session)).status).toBe(401);
    expect((await finish('github', ticket!, null)).status).toBe(401);
    expect((await start('github', { mode: 'link' })).status).toBe(401);
    expect((await start('github', { mode: 'link', session: (await anonymous()).session })).body.error?.auth).toBe(
      'auth/operation-not-allowed',
    );
  });

  it.each([
    ['wrong nonce', { claims: (claims: object) => ({ ...claims, nonce: 'another' }) }],
    ['no nonce', { claims: ({ nonce: _nonce, ...claims }: Record<string, unknown>) => claims }],
    ['other audience', { claims: (claims: object) => ({ ...claims, aud: 'another-service' }) }],
    [
      'several audiences, made for another',
      { claims: (claims: { aud?: unknown }) => ({ ...claims, aud: [claims.aud, 'x'], azp: 'another-service' }) },
    ],
    ['other issuer', { claims: (claims: object) => ({ ...claims, iss: 'https://evil.example' }) }],
    ['expired', { claims: (claims: object) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - 3600 }) }],
    ['no end', { claims: ({ exp: _exp, ...claims }: Record<string, unknown>) => claims }],
    ['nobody', { claims: (claims: object) => ({ ...claims, sub: '' }) }],
    ['alg none', { sign: 'none' }],
    ['other key', { sign: 'other-key' }],
    ['public key as a secret', { sign: 'hmac' }],
  ] as const)('1§4: an id_token with %s is refused', async (_what, lie) => {
    doubles.google.lie = lie as ProviderDouble['lie'];
    const message = await ticketFor('google', { subject: subject(), email: anyone(), verified: true });
    expect(message).toEqual({
      source: 'reef-sign-in',
      state: message.state,
      error: { auth: 'auth/internal-error', message: 'An error occurred during authentication. Please try again.' },
    });
    doubles.google.lie = {};
    expect((await ticketFor('google', { subject: subject() })).ticket).toBeDefined();
  });

  it.each(['down', 'redirects'] as const)(
    '2§8: a provider that is %s is a network error, and no secret goes elsewhere',
    async (trouble) => {
      const { body } = await start('facebook');
      const back = await allow('facebook', body.url, { subject: subject() });
      doubles.facebook.trouble = trouble;
      expect((await page(back)).message?.error?.auth).toBe('auth/network-request-failed');
      expect(doubles.facebook.asked.some(({ path }) => path === '/elsewhere')).toBe(false);
    },
  );

  it('2§8: a denial at the provider is reported, and other query text is not shown', async () => {
    const words = '<script>alert(1)</script>';
    const back = (state: string, error: string) =>
      new URL(
        `${SITE}/api/auth/providers/twitter/callback?${new URLSearchParams({ state, error, error_description: words })}`,
      );
    const refused = await page(back((await start('twitter')).body.state, 'access_denied'));
    expect(refused.message?.error).toEqual({
      auth: 'auth/cancelled-popup-request',
      message: 'The sign-in window was cancelled. Please try again.',
    });
    const failed = await page(back((await start('twitter')).body.state, words));
    expect(failed.message?.error?.auth).toBe('auth/network-request-failed');
    expect(refused.text + failed.text).not.toContain('alert(1)');
  });

  it('1§4: the popup page notifies only the window that opened it', async () => {
    const { body } = await start('github', { origin: cloud.url });
    expect(body.from).toBe(SITE);
    const answer = await page(await allow('github', body.url, { subject: subject() }));
    expect([answer.status, answer.origin, answer.message?.state]).toEqual([200, cloud.url, body.state]);
    const policy = answer.headers.get('content-security-policy')!;
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect([answer.headers.get('cache-control'), answer.headers.get('referrer-policy')]).toEqual([
      'no-store',
      'no-referrer',
    ]);
    expect(answer.text).toContain('The window that started this sign-in is closed');
  });

  it.each([
    'https://evil.example',
    'null',
    '',
    '*',
    'https://reef.example.evil.example',
    'https://reef.example/',
    'https://reef.example@evil.example',
    'http://reef.example',
    'HTTPS://REEF.EXAMPLE',
    'javascript:alert(1)',
  ])('2§8: %j is not a valid popup origin', async (origin) => {
    const { status, body } = await start('github', { origin });
    expect([status, body.error?.auth]).toEqual([403, 'auth/unauthorized-domain']);
  });

  it('2§8: a page cannot name another origin, and an unknown provider is not enabled', async () => {
    const answer = await fetch(`${cloud.url}/api/auth/providers/github/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: cloud.url },
      body: JSON.stringify({ mode: 'sign-in', origin: SITE }),
    });
    expect(answer.status).toBe(403);
    for (const id of ['apple', 'constructor', '__proto__', 'GITHUB']) {
      const { status, body } = await start(id);
      expect([status, body.error?.auth], id).toEqual([404, 'auth/operation-not-allowed']);
    }
  });
});

describe('1§4: provider settings', () => {
  it('1§4: a provider without an id is off, and invalid settings are one clear line', () => {
    expect(readProviderSettings({})).toEqual({});
    expect(
      readProviderSettings({ PROVIDER_GOOGLE_ID: 'a', PROVIDER_GOOGLE_SECRET: 'b' }).google?.endpoints.issuer,
    ).toBe('https://accounts.google.com');
    expect(
      readProviderSettings({
        PROVIDER_GITHUB_ID: 'a',
        PROVIDER_GITHUB_SECRET: 'b',
        PROVIDER_GITHUB_ENDPOINTS: '{"profile":"https://git.example/user"}',
      }).github?.endpoints,
    ).toMatchObject({ profile: 'https://git.example/user', token: 'https://github.com/login/oauth/access_token' });
    const wrong: readonly Record<string, string>[] = [
      { PROVIDER_GITHUB_ID: 'a' },
      { PROVIDER_GITHUB_SECRET: 'a' },
      ...['http://elsewhere.example', 'x', '{', '{"token":"ftp://x"}', '{"tokens":"https://x.example"}'].map(
        (text) => ({ PROVIDER_GITHUB_ID: 'a', PROVIDER_GITHUB_SECRET: 'b', PROVIDER_GITHUB_ENDPOINTS: text }),
      ),
    ];
    for (const environment of wrong)
      expect(() => readProviderSettings(environment), JSON.stringify(environment)).toThrow(/^PROVIDER_GITHUB/);
  });
});
