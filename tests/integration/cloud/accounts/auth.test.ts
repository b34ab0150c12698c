import { createHmac, generateKeyPairSync } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { SignJWT, decodeJwt, decodeProtectedHeader } from 'jose';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { setStaff } from '../../../../cloud-sync/api/accounts/people/staff-command';
import { AUTH_LIMITS } from '../../../../cloud-sync/api/accounts/auth-limits';
import type { MeReply, TokenReply } from '../../../../src/protocol/cloud-auth';
import type { TestCloud } from '../../../support/servers/cloud';
import { startCloud } from '../../../support/servers/cloud';
import { newId } from '../../../support/servers/edge-client';
import { codeIn, outboxMails } from '../../../support/servers/mail';
import { passSecondFactor, mailedCode, registerDevice, signIn } from '../../../support/servers/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let ahead = 0;
const clock = (): number => Date.now() + ahead;
let cloud: TestCloud;

beforeAll(async () => {
  cloud = await startCloud({ hooks: { clock }, env: { PUBLIC_URL: 'https://reef.example' } });
});
afterAll(() => cloud.close());

type Refusal = { error: { code: string; auth?: string; message: string; retryable: boolean; field?: string } };
const verify = (email: string, verificationCode: string) =>
  cloud.post<{ ok: boolean; token: string } & Partial<Refusal>>(
    '/api/fn/verify-user-login-code',
    { email, verificationCode },
    null,
  );
const exchange = (token: string) =>
  cloud.post<{ session: string } & Partial<Refusal>>('/api/auth/custom-token', { token }, null);
const me = (token: string | null) => cloud.get<MeReply & Partial<Refusal>>('/api/me', token);
const anyone = (): string => `${newId().toLowerCase()}@example.org`;
const wrong = (code: string): string =>
  String((Number(code) + 1) % 10 ** AUTH_LIMITS.codeDigits).padStart(AUTH_LIMITS.codeDigits, '0');

describe('1§4: sign-in by a mailed code', () => {
  it('1§7: a mailed code becomes a custom token, then a session that names its person', async () => {
    const email = anyone();
    const code = await mailedCode(cloud, email);
    expect(code).toMatch(/^\d{6}$/);
    const { status, body } = await verify(` ${email.toUpperCase()} `, `${code.slice(0, 3)} ${code.slice(3)}`);
    expect({ status, ok: body.ok }).toEqual({ status: 200, ok: true });
    const { body: opened } = await exchange(body.token);
    const { body: answer } = await me(opened.session);
    expect(answer.user).toMatchObject({
      email,
      pending: false,
      isEmailVerified: true,
      staff: false,
      domains: ['example.org'],
    });
    expect(answer.user.uid).toMatch(/^[0-9A-Za-z]{12,19}$/);
    const again = await signIn(cloud, email);
    expect(again.user.uid).toBe(answer.user.uid);
    expect(again.session).not.toBe(opened.session);
  });

  it('1§7: a mail goes to one address, as text and HTML, and links to this site alone', async () => {
    const email = anyone();
    await cloud.post('/api/fn/send-user-login-code', { email, path: '/analysis?event=reef' }, null);
    await cloud.post('/api/fn/send-user-login-code', { email, path: '//evil.example/x' }, null);
    const [good, bad] = outboxMails(cloud.outbox).filter(({ to }) => to === email);
    expect(good!.text).toContain('multipart/alternative');
    expect(good!.text).toContain('https://reef.example/analysis?event=reef');
    expect(bad!.text).not.toContain('evil');
    for (const name of readdirSync(cloud.outbox))
      expect(statSync(path.join(cloud.outbox, name)).mode & 0o777).toBe(0o600);
    expect(readdirSync(cloud.outbox).filter((name) => !name.endsWith('.eml'))).toEqual([]);
  });

  it.each(['', 'ana', 'a@b', 'a@b.c,d@e.f', 'a@b.c\r\nBcc: d@e.f', `${'x'.repeat(300)}@b.cd`])(
    '1§5, 2§8: %j is not an address, and no mail is sent',
    async (email) => {
      const before = outboxMails(cloud.outbox).length;
      for (const [name, more] of [
        ['send', {}],
        ['verify', { verificationCode: '000000' }],
      ] as const) {
        const { status, body } = await cloud.post<Refusal>(`/api/fn/${name}-user-login-code`, { email, ...more }, null);
        expect(status).toBe(400);
        expect(body.error).toMatchObject({
          code: 'bad-message',
          auth: 'auth/invalid-email',
          message: 'Please enter a valid email address.',
          retryable: false,
        });
      }
      expect(outboxMails(cloud.outbox).length).toBe(before);
    },
  );

  it('1§7: known and unknown addresses get the same answer', async () => {
    const known = anyone();
    await signIn(cloud, known);
    const send = async (email: string) => cloud.post('/api/fn/send-user-login-code', { email, path: '/' }, null);
    const unknown = anyone();
    expect(await send(known)).toEqual(await send(unknown));
    const refused = await verify(known, wrong(codeIn(outboxMails(cloud.outbox), known)));
    expect(refused.status).toBe(400);
    expect(await verify(unknown, wrong(codeIn(outboxMails(cloud.outbox), unknown)))).toEqual(refused);
    expect(await verify(anyone(), '123456')).toEqual(refused);
    expect(refused.body.error).toMatchObject({ auth: 'auth/invalid-verification-code', retryable: false });
  });

  it('1§4: a code expires after use, after a newer code and after its time', async () => {
    const email = anyone();
    const used = await mailedCode(cloud, email);
    expect((await verify(email, used)).status).toBe(200);
    expect((await verify(email, used)).status).toBe(400);
    const first = await mailedCode(cloud, email);
    // Asking again keeps a valid code.
    expect(await mailedCode(cloud, email)).toBe(first);
    try {
      ahead = AUTH_LIMITS.codeReuseMs + 1000;
      const second = await mailedCode(cloud, email);
      expect(second).not.toBe(first);
      expect((await verify(email, first)).status).toBe(400);
      expect((await verify(email, second)).status).toBe(200);
    } finally {
      ahead = 0;
    }
    const old = await mailedCode(cloud, email);
    try {
      ahead = AUTH_LIMITS.codeLifeMs + 1000;
      expect((await verify(email, old)).status).toBe(400);
    } finally {
      ahead = 0;
    }
  });

  it('1§4: five wrong guesses void the right code', async () => {
    const email = anyone();
    const code = await mailedCode(cloud, email);
    for (let n = 0; n < AUTH_LIMITS.codeAttempts; n++) expect((await verify(email, wrong(code))).status).toBe(400);
    expect((await verify(email, code)).status).toBe(400);
    expect((await verify(email, await mailedCode(cloud, email))).status).toBe(200);
  });

  it('1§4: concurrent right answers, or copies of a custom token, succeed once', async () => {
    const email = anyone();
    const code = await mailedCode(cloud, email);
    const answers = await Promise.all(Array.from({ length: 4 }, () => verify(email, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    const { token } = answers.find(({ status }) => status === 200)!.body;
    const opened = await Promise.all(Array.from({ length: 4 }, () => exchange(token)));
    expect(opened.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    expect((await exchange(token)).status).toBe(401);
  });

  it('1§4: concurrent proofs of one address create one account', async () => {
    const { accountCreation } = cloud.cloud.context.accounts;
    const email = anyone();
    const made = await Promise.all(Array.from({ length: 8 }, () => accountCreation.findOrCreateByEmail(email)));
    expect(new Set(made.map(({ uid }) => uid)).size).toBe(1);
  });

  it('1§4: a custom token expires after some minutes', async () => {
    const email = anyone();
    const { body } = await verify(email, await mailedCode(cloud, email));
    try {
      ahead = AUTH_LIMITS.customTokenLifeMs + 1000;
      expect((await exchange(body.token)).status).toBe(401);
    } finally {
      ahead = 0;
    }
  });

  it('2§8: an address gets a limited number of codes, then the prescribed wait text', async () => {
    const email = anyone();
    for (let n = 0; n < AUTH_LIMITS.codesPerWindow; n++)
      expect((await cloud.post('/api/fn/send-user-login-code', { email }, null)).status).toBe(200);
    const { status, body } = await cloud.post<Refusal>('/api/fn/send-user-login-code', { email }, null);
    expect(status).toBe(429);
    expect(body.error).toMatchObject({
      code: 'rate-limited',
      auth: 'auth/too-many-requests',
      retryable: true,
      message: 'There were too many attempts. Please try again later or reset your password.',
    });
    try {
      ahead = AUTH_LIMITS.codeWindowMs + 1000;
      await cloud.post('/api/fn/send-user-login-code', { email }, null);
      expect((await verify(email, codeIn(outboxMails(cloud.outbox), email))).status).toBe(200);
    } finally {
      ahead = 0;
    }
  });

  it('1§6: roles in a body are ignored', async () => {
    const email = anyone();
    const more = { admin: true, staff: true, isExpert: true, roles: ['staff'], data: { admin: true }, uid: newId() };
    await cloud.post('/api/fn/send-user-login-code', { email, path: '/', ...more }, null);
    const { body } = await cloud.post<{ token: string }>(
      '/api/fn/verify-user-login-code',
      { email, verificationCode: codeIn(outboxMails(cloud.outbox), email), ...more },
      null,
    );
    const { body: opened } = await cloud.post<{ session: string; user: { uid: string; staff: boolean } }>(
      '/api/auth/custom-token',
      { token: body.token, ...more },
      null,
    );
    expect(opened.user.staff).toBe(false);
    expect(opened.user.uid).not.toBe(more.uid);
    const { caller } = (await cloud.cloud.context.accounts.callers.identify(opened.session))!;
    expect([...caller.roles].sort()).toEqual(['anyone', 'person']);
    await cloud.post('/api/devices', { device: { id: newId(), name: 'Tablet', staff: true }, ...more }, opened.session);
    expect((await me(opened.session)).body.user.staff).toBe(false);
  });

  it('1§6: staff are named on the server and must sign in once first', async () => {
    const { accounts } = cloud.cloud.context;
    const email = anyone();
    await expect(setStaff(accounts, [email])).rejects.toThrow(`No user found for given Email ID ${email}`);
    await expect(setStaff(accounts, [])).rejects.toThrow('npm run cloud -- staff');
    await signIn(cloud, email);
    expect(await setStaff(accounts, [email.toUpperCase()])).toContain('is staff now');
    const { session, user } = await signIn(cloud, email);
    expect(user).toMatchObject({ staff: false, secondFactor: { status: 'missing', roles: ['staff'] } });
    expect((await passSecondFactor(cloud, session)).user.staff).toBe(true);
    expect([...(await accounts.callers.identify(session))!.caller.roles].sort()).toEqual(['anyone', 'person', 'staff']);
    await setStaff(accounts, [email, 'off']);
    expect((await signIn(cloud, email)).user.staff).toBe(false);
  });
});

describe('1§4: sessions and tokens', () => {
  it('1§4: sign-out ends the session and device sign-in, and the tablet still relays', async () => {
    const person = await signIn(cloud, anyone());
    const { body: short } = await cloud.get<TokenReply & Record<string, unknown>>('/api/auth/token', person.session);
    const credential = await registerDevice(cloud, person);
    const { callers } = cloud.cloud.context.accounts;
    expect((await me(short.token)).status).toBe(200);
    expect((await callers.identify(credential))!.caller.person).toBe(person.user.uid);
    expect((await cloud.post('/api/auth/sign-out', {}, person.session)).status).toBe(200);
    const { status, body } = await me(person.session);
    expect(status).toBe(401);
    expect(body.error).toBeDefined();
    expect((await me(short.token)).status).toBe(401);
    expect((await callers.identify(credential))!.caller).toMatchObject({
      person: null,
      roles: new Set(['anyone', 'device']),
    });
    expect((await cloud.post('/api/have', { sha256: [] }, credential)).status).toBe(200);
  });

  it('1§4: a session survives a restart, extends with use and expires when idle', async () => {
    const { session } = await signIn(cloud, anyone());
    await cloud.restart();
    expect((await me(session)).status).toBe(200);
    try {
      ahead = AUTH_LIMITS.sessionLifeMs - 86_400_000;
      cloud.cloud.context.accounts.callers.clearCache();
      expect((await me(session)).status).toBe(200);
      ahead *= 2;
      cloud.cloud.context.accounts.callers.clearCache();
      expect((await me(session)).status).toBe(200);
      ahead += AUTH_LIMITS.sessionLifeMs + 1000;
      cloud.cloud.context.accounts.callers.clearCache();
      expect((await me(session)).status).toBe(401);
    } finally {
      ahead = 0;
      cloud.cloud.context.accounts.callers.clearCache();
    }
  });

  it('protocol, Edge socket 1: a box token has the box audience, lasts a voyage and verifies', async () => {
    const { session, user } = await signIn(cloud, anyone());
    const { body } = await cloud.get<TokenReply & Record<string, unknown>>('/api/auth/edge-token', session);
    const claims = decodeJwt(body.token);
    expect(claims).toMatchObject({ sub: user.uid, email: user.email });
    expect(claims.aud).toContain('reef-edge');
    expect(claims.exp! - claims.iat!).toBe(120 * 86_400);
    expect(Date.parse(body.expiresAt)).toBe(claims.exp! * 1000);
    const { kid, alg } = decodeProtectedHeader(body.token);
    expect(alg).toBe('EdDSA');
    const { body: jwks } = await cloud.get<{ keys: Record<string, string>[] }>('/api/auth/jwks', null);
    expect(jwks.keys.find((key) => key['kid'] === kid)).toMatchObject({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA' });
    for (const key of jwks.keys) expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'x']);
  });

  it('1§6: forged, unsigned, old or foreign tokens are refused', async () => {
    const { session, user } = await signIn(cloud, anyone());
    const { body: edge } = await cloud.get<TokenReply & Record<string, unknown>>('/api/auth/edge-token', session);
    const { body: short } = await cloud.get<TokenReply & Record<string, unknown>>('/api/auth/token', session);
    const claims = decodeJwt(short.token);
    const { body: jwks } = await cloud.get<{ keys: { kid: string; x: string }[] }>('/api/auth/jwks', null);
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const [head = '', body = '', signature = ''] = short.token.split('.');
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const own = publicKey.export({ format: 'jwk' }) as { readonly kty: string };
    const { kid, x } = jwks.keys[0]!;
    const hmacOf = (text: string) => createHmac('sha256', Buffer.from(x, 'base64url')).update(text).digest('base64url');
    const forged: Record<string, string> = {
      'alg none': `${part({ alg: 'none', kid })}.${part(claims)}.`,
      'alg none with its signature': `${part({ alg: 'none', kid })}.${part(claims)}.${signature}`,
      'a shared secret of the public key': `${part({ alg: 'HS256', kid })}.${part(claims)}.${hmacOf(`${part({ alg: 'HS256', kid })}.${part(claims)}`)}`,
      'another key under the same name': await new SignJWT(claims)
        .setProtectedHeader({ alg: 'EdDSA', kid })
        .sign(privateKey),
      'a key of its own in the header': await new SignJWT(claims)
        .setProtectedHeader({ alg: 'EdDSA', kid: 'mine', jwk: own })
        .sign(privateKey),
      'a key of its own under the known name': await new SignJWT(claims)
        .setProtectedHeader({ alg: 'EdDSA', kid, jwk: own })
        .sign(privateKey),
      'a place where its keys would be': await new SignJWT(claims)
        .setProtectedHeader({ alg: 'EdDSA', kid: 'mine', jku: `${cloud.url}/api/auth/jwks` })
        .sign(privateKey),
      'another body': `${head}.${part({ ...claims, sid: newId() })}.${signature}`,
      'no signature': `${head}.${body}.`,
      'the token for boxes': edge.token,
      'the uid': user.uid,
      'a session with another end': `${session.slice(0, -1)}${session.endsWith('A') ? 'Q' : 'A'}`,
      'a session under the name of a tablet': session.replace('reef-session-', 'reef-device-'),
      'a made-up tablet': `reef-device-${'A'.repeat(43)}`,
    };
    for (const [what, one] of Object.entries(forged)) {
      for (const place of ['/api/me', '/api/auth/edge-token', '/api/changes'])
        expect((await cloud.get(place, one)).status, `${what} at ${place}`).toBe(401);
    }
    expect((await me(short.token)).status).toBe(200);
    try {
      ahead = AUTH_LIMITS.appTokenLifeMs + 10_000;
      cloud.cloud.context.accounts.callers.clearCache();
      expect((await me(short.token)).status).toBe(401);
      expect((await me(session)).status).toBe(200);
    } finally {
      ahead = 0;
    }
  });

  it('1§6: a cross-site request is refused, and a cookie is ignored', async () => {
    const { session } = await signIn(cloud, anyone());
    const post = (headers: Record<string, string>) =>
      fetch(new URL('/api/auth/sign-out', cloud.url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      });
    expect((await post({ origin: 'https://evil.example', authorization: `Bearer ${session}` })).status).toBe(403);
    expect((await post({ origin: 'null', authorization: `Bearer ${session}` })).status).toBe(403);
    expect((await post({ cookie: `better-auth.session_token=${encodeURIComponent(session)}` })).status).toBe(401);
    const form = await fetch(new URL('/api/fn/send-user-login-code', cloud.url), {
      method: 'POST',
      headers: { origin: 'https://evil.example', 'content-type': 'text/plain' },
      body: JSON.stringify({ email: anyone() }),
    });
    expect(form.status).toBe(403);
    expect((await me(session)).status).toBe(200);
    expect((await post({ origin: 'https://reef.example', authorization: `Bearer ${session}` })).status).toBe(200);
  });

  it('1§4: a copy of the database opens no session and relays for no tablet', async () => {
    const person = await signIn(cloud, anyone());
    const credential = await registerDevice(cloud, person);
    const { rows } = await inDatabase<{ everything: string }>(
      `SELECT (SELECT json_agg(t)::text FROM auth."session" t) || (SELECT json_agg(t)::text FROM auth.device t) AS everything`,
    );
    for (const secret of [person.session, credential]) {
      const random = /^reef-(?:session|device)-(.{43})$/.exec(secret)![1]!;
      expect(rows[0]!.everything).not.toContain(random);
    }
    const { rows: kept } = await inDatabase<{ hash: string }>(
      'SELECT "token" AS hash FROM auth."session" UNION SELECT credential_hash FROM auth.device',
    );
    for (const { hash } of kept.slice(0, 8)) {
      for (const token of [hash, `reef-session-${hash}`, `reef-device-${hash}`])
        expect((await cloud.get('/api/changes', token)).status).toBe(401);
    }
  });
});

async function inDatabase<Row extends pg.QueryResultRow>(
  sql: string,
  values: unknown[] = [],
  at = cloud,
): Promise<pg.QueryResult<Row>> {
  const client = new pg.Client({ connectionString: at.databaseUrl });
  await client.connect();
  try {
    return await client.query<Row>(sql, values);
  } finally {
    await client.end();
  }
}
