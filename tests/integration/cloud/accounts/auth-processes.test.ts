import { existsSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SCHEMA_LOCK } from '../../../../cloud-sync/api/postgres/schema-lock';
import { AUTH_LIMITS } from '../../../../cloud-sync/api/accounts/auth-limits';
import type { TokenReply } from '../../../../src/protocol/cloud-auth';
import type { TestCloud } from '../../../support/servers/cloud';
import { startCloud } from '../../../support/servers/cloud';
import { newId, photograph } from '../../../support/servers/edge-client';
import type { MailServer } from '../../../support/servers/mail';
import { codeIn, startMailServer } from '../../../support/servers/mail';
import { mailedCode } from '../../../support/servers/people';
import type { TestDatabase } from '../../../support/postgres/postgres';
import { SERVICE_SERVER, testDatabase } from '../../../support/postgres/postgres';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

type Refusal = { error: { code: string; auth?: string; message: string; retryable: boolean; field?: string } };
const anyone = (): string => `${newId().toLowerCase()}@example.org`;

describe('1§4: two processes of the service over one database', () => {
  let database: TestDatabase;
  let first: TestCloud;
  let second: TestCloud;
  beforeAll(async () => {
    database = await testDatabase(SERVICE_SERVER);
    // Both start at once on an empty database and create the tables between them.
    [first, second] = await Promise.all([
      startCloud({ databaseUrl: database.url }),
      startCloud({ databaseUrl: database.url }),
    ]);
  });
  afterAll(async () => {
    await second.close();
    await first.close();
    await database.close();
  });

  it('1§4: a starting service waits while another migrates the tables', async () => {
    const empty = await testDatabase(SERVICE_SERVER);
    const other = new pg.Client({ connectionString: empty.url });
    await other.connect();
    await other.query('SELECT pg_advisory_lock($1)', [SCHEMA_LOCK]);
    const third = startCloud({ databaseUrl: empty.url });
    const waiting = async (): Promise<number | null> =>
      (
        await other.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND NOT granted", [
          SCHEMA_LOCK,
        ])
      ).rowCount;
    await expect
      .poll(waiting)
      .toBe(1)
      .finally(() => other.end());
    await (await third).close();
    await empty.close();
  });

  const guess = (at: TestCloud, email: string, verificationCode: string) =>
    at.post<Refusal & { token?: string }>('/api/fn/verify-user-login-code', { email, verificationCode }, null);

  it('1§4: a code or session from one process is valid at the other', async () => {
    const email = anyone();
    const { body } = await guess(second, email, await mailedCode(first, email));
    const { body: opened } = await first.post<{ session: string }>(
      '/api/auth/custom-token',
      { token: body.token },
      null,
    );
    for (const at of [first, second]) expect((await at.get('/api/me', opened.session)).status).toBe(200);
    const { body: short } = await second.get<TokenReply & Record<string, unknown>>('/api/auth/token', opened.session);
    expect((await first.get('/api/me', short.token)).status).toBe(200);
  });

  it('1§4: by default a password is hashed with 32 MiB, and a process with another cost checks it too', async () => {
    const usual = await startCloud({ databaseUrl: database.url, hooks: { passwordCost: undefined } });
    const email = anyone();
    const made = await usual.post('/api/fn/create-account', { email, password: 'six of it' }, null);
    await usual.close();
    expect(made.status).toBe(200);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client
      .query<{ password: string }>(
        'SELECT a."password" FROM auth."account" a JOIN auth."user" u ON u."id" = a."userId" WHERE u."email" = $1',
        [email],
      )
      .finally(() => client.end());
    expect(rows.map(({ password }) => password.split('$').slice(0, 4).join('$'))).toEqual(['scrypt$15$8$3']);
    const enter = (password: string) => first.post('/api/fn/sign-in-with-password', { email, password }, null);
    expect((await enter('six of it')).status).toBe(200);
    expect((await enter('six of them')).status).toBe(400);
  });

  it('1§4: a hundred guesses at two processes get five attempts, then the code expires', async () => {
    const email = anyone();
    const code = await mailedCode(first, email);
    const content = photograph(300_000);
    const guesses = Array.from({ length: 100 }, (_, n) =>
      guess(n % 2 === 0 ? first : second, email, String((Number(code) + 1 + n) % 1_000_000).padStart(6, '0')),
    );
    expect(await first.upload(content)).toMatchObject({ ok: true, offset: content.length });
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    // Further guesses are not compared: the limit per network and address is reached.
    expect(statuses.filter((status) => status === 400).length).toBe(AUTH_LIMITS.codeGuessesPerWindow);
    expect(statuses.filter((status) => status === 429).length).toBe(100 - AUTH_LIMITS.codeGuessesPerWindow);
    expect((await guess(second, email, code)).status).toBe(429);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client
      .query<{ attempts: number }>('SELECT max(attempts) AS attempts FROM auth.code')
      .finally(() => client.end());
    expect(rows[0]!.attempts).toBe(AUTH_LIMITS.codeAttempts);
  });

  it('2§8: repeated guesses from one address are delayed, and a tablet there still sends', async () => {
    const answers = await Promise.all(
      Array.from({ length: AUTH_LIMITS.guessesPerMinute + 1 }, () => guess(first, anyone(), '123456')),
    );
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body.error).toMatchObject({ code: 'rate-limited', retryable: true });
    // Caller address comes from the proxy in front: others must not wait for them.
    const elsewhere = await fetch(`${first.url}/api/fn/verify-user-login-code`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.4, 203.0.113.7' },
      body: JSON.stringify({ email: anyone(), verificationCode: '123456' }),
    });
    expect(elsewhere.status).toBe(400);
    const content = photograph(100_000);
    expect(await first.upload(content)).toMatchObject({ ok: true, offset: content.length });
    expect((await first.post('/api/have', { sha256: [] })).status).toBe(200);
  });
});

describe('1§7: mail through a mail server', () => {
  let server: MailServer;
  let other: TestCloud;
  beforeAll(async () => {
    server = await startMailServer();
    other = await startCloud({ env: { SMTP_URL: server.url, MAIL_FROM: 'Reef <census@reef.example>' } });
  });
  afterAll(async () => {
    await other.close();
    await server.close();
  });

  it('1§7: the code arrives by mail and signs in, and the outbox stays empty', async () => {
    const email = anyone();
    expect((await other.post('/api/fn/send-user-login-code', { email, path: '/' }, null)).status).toBe(200);
    const mail = server.mails.at(-1)!;
    expect(mail).toMatchObject({ to: email, subject: 'Your code for the Great Reef Census' });
    expect(mail.text).toContain('From: Reef <census@reef.example>');
    expect(
      (
        await other.post(
          '/api/fn/verify-user-login-code',
          { email, verificationCode: codeIn(server.mails, email) },
          null,
        )
      ).status,
    ).toBe(200);
    expect(existsSync(other.outbox)).toBe(false);
  });

  it('1§7: a refusing mail server is reported without its name, and a retry works', async () => {
    const email = anyone();
    server.behave('refuse');
    const { status, body } = await other.post<Refusal>('/api/fn/send-user-login-code', { email }, null);
    expect(status).toBe(500);
    expect(body.error).toMatchObject({
      code: 'internal',
      retryable: true,
      message: 'The mail could not be sent. Please try again.',
    });
    server.behave('take');
    expect((await other.post('/api/fn/send-user-login-code', { email }, null)).status).toBe(200);
  });
});
