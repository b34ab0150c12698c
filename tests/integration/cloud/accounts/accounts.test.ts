import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AUTH_LIMITS } from '../../../../cloud-sync/api/accounts/auth-limits';
import { AttemptLimiter } from '../../../../cloud-sync/api/accounts/sign-in/attempt-limiter';
import { replaceReferenceDocuments } from '../../../../cloud-sync/api/reference/reference-documents';
import type { MeReply } from '../../../../src/protocol/cloud-auth';
import { accountCalls, anyone, cloudWithClock, network, refusal } from '../../../support/servers/accounts';
import type { TestCloud } from '../../../support/servers/cloud';
import { outboxMails } from '../../../support/servers/mail';
import { mailedCode, signIn } from '../../../support/servers/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const { clock, later, start } = cloudWithClock();
let cloud: TestCloud;
let database: pg.Client;

beforeAll(async () => {
  cloud = await start();
  database = new pg.Client({ connectionString: cloud.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await cloud.close();
});

const { post, create, withPassword, exchange, enter } = accountCalls(() => cloud);

/** Creates a named account and returns its signed-in user. */
async function enterNamed(name: object): Promise<MeReply['user']> {
  return (await exchange((await create(anyone(), { name })).body.token)).body.user;
}

describe('1§7: an account by address and password', () => {
  it('1§7: a new account signs in at once with an unproven address, its name and no role', async () => {
    const email = anyone();
    const made = await create(` ${email.toUpperCase()} `, {
      password: 'pa\u0308sswo\u0308rd',
      name: { first: '  Zoë\u0000 ', last: `${'ü'.repeat(295)} 海 ` },
      optin: false,
      path: '/signup',
    });
    expect({ status: made.status, ok: made.body.ok }).toEqual({ status: 200, ok: true });
    const { body } = await exchange(made.body.token);
    expect(body.user).toMatchObject({
      email,
      isEmailVerified: false,
      pending: false,
      staff: false,
      domains: [],
      name: { first: 'Zoë', last: `${'ü'.repeat(295)} 海` },
    });
    expect((await exchange(made.body.token)).status).toBe(401);
    expect([...(await cloud.cloud.context.accounts.callers.identify(body.session))!.caller.roles].sort()).toEqual([
      'anyone',
      'person',
    ]);
    // Different Unicode encodings of the same letters.
    for (const typed of ['pässwörd', 'pa\u0308sswo\u0308rd', 'ｐässwörd']) {
      const signedIn = await exchange((await withPassword(email, typed)).body.token);
      expect(signedIn.body.user.uid).toBe(body.user.uid);
    }
    expect((await database.query(`SELECT 1 FROM auth."account" WHERE "password" LIKE '%ssw%'`)).rowCount).toBe(0);
  });

  it('1§5: an invisible name is refused, and a long one in any script is accepted', async () => {
    expect((await enterNamed({ first: '\u200b\u2060', last: ' \u3164' })).name).toEqual({ first: '', last: '' });
    const first = `${'é'.repeat(298)}👩`;
    expect((await enterNamed({ first, last: 'می‌خواهم' })).name).toEqual({ first, last: 'می‌خواهم' });
    expect(await create(anyone(), { name: { first: 'x'.repeat(301) } })).toMatchObject({
      status: 400,
      body: { error: { code: 'bad-message', field: 'name.first' } },
    });
  });

  it('2§2: an address in use returns the sign-up error and changes no account', async () => {
    const email = anyone();
    const { user } = await enter(email);
    const again = await create(email.toUpperCase(), { password: 'another one', name: { first: 'Mal' } });
    expect(again.status).toBe(400);
    expect(again.body.error).toMatchObject({
      code: 'bad-message',
      auth: 'auth/email-already-in-use',
      message: 'Account already exists with given email',
      retryable: false,
    });
    expect(refusal(await withPassword(email, 'another one'))).toEqual({ status: 400, auth: 'auth/wrong-password' });
    expect((await signIn(cloud, email)).user.uid).toBe(user.uid);
  });

  it('2§7: concurrent sign-ups with one address create one account', async () => {
    const email = anyone();
    const made = await Promise.all(Array.from({ length: 4 }, (_, n) => create(email, { password: `number ${n}` })));
    expect(made.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  });

  it.each(['', 'ana', 'a b@c.d', 'a@b.c,d@e.f', 'a@b.c\r\nBcc: d@e.f', `${'x'.repeat(300)}@b.cd`])(
    '2§5: %j is refused as an address by every call',
    async (email) => {
      const { session } = await signInOnce();
      const mails = outboxMails(cloud.outbox).length;
      for (const place of [
        'create-account',
        'sign-in-with-password',
        'send-password-reset',
        'verify-password-reset',
        'confirm-password-reset',
      ]) {
        const refused = await post(`/api/fn/${place}`, { email, password: 'long enough', verificationCode: '123456' });
        expect(refused.body.error, place).toMatchObject({
          code: 'bad-message',
          auth: 'auth/invalid-email',
          message: 'Please enter a valid email address.',
        });
      }
      expect(refusal(await post('/api/account/email', { email }, { token: session }))).toEqual({
        status: 400,
        auth: 'auth/invalid-email',
      });
      expect(outboxMails(cloud.outbox).length).toBe(mails);
    },
  );

  it('2§5: a password needs 6 characters of any script, and a weak one consumes no attempt', async () => {
    const email = anyone();
    for (const password of ['', '12345', '🐠🐠🐠🐠🐠']) {
      const refused = await create(email, { password });
      expect(refused.body.error, password).toMatchObject({
        auth: 'auth/weak-password',
        message: 'The password is too weak. Please use at least 6 characters.',
      });
    }
    expect((await create(email, { password: 'x'.repeat(201) })).body.error).toMatchObject({
      code: 'bad-message',
      field: 'password',
    });
    expect((await create(email, { password: 'x'.repeat(2000) })).status).toBe(400);
    expect((await create(email, { password: 'long enough', name: { first: 'x'.repeat(301) } })).status).toBe(400);
    expect(refusal(await withPassword(email, 'x'.repeat(201)))).toEqual({ status: 400, auth: 'auth/user-not-found' });
    expect((await create(email, { password: '🐠🐠🐠🐠🐠🐠' })).status).toBe(200);
    expect((await withPassword(email, '🐠🐠🐠🐠🐠🐠')).status).toBe(200);
  });

  it('2§7: an account without a password gets a secret one until its owner sets their own', async () => {
    const email = anyone();
    const { body } = await exchange((await create(email)).body.token);
    expect(refusal(await withPassword(email, ''))).toEqual({ status: 400, auth: 'auth/wrong-password' });
    expect((await post('/api/account/password', { password: 'my own one' }, { token: body.session })).status).toBe(200);
    expect((await withPassword(email, 'my own one')).status).toBe(200);
    expect(refusal(await post('/api/account/password', { password: 'the next one' }, { token: body.session }))).toEqual(
      { status: 400, auth: 'auth/wrong-password' },
    );
    expect(
      (
        await post(
          '/api/account/password',
          { password: 'the next one', current: 'my own one' },
          { token: body.session },
        )
      ).status,
    ).toBe(200);
    expect((await cloud.get('/api/me', body.session)).status).toBe(200);
  });

  it('1§3, 1§6: a handle of an event or organisation sets the domain and no role', async () => {
    await replaceReferenceDocuments(cloud.cloud.context.database.pool, 'events', [
      { id: 'event-of-accounts', handle: 'Reef-Week', regionId: 'r' },
      { id: 'gone', handle: 'long-gone', isDeleted: true },
    ]);
    for (const [handle, domains] of [
      ['REEF-week ', ['reef-week']],
      ['long-gone', []],
      ['nobodys', []],
    ] as const) {
      const { body } = await exchange((await create(anyone(), { handle })).body.token);
      expect(body.user).toMatchObject({ domains, staff: false });
    }
  });
});

it('1§4: concurrent sign-ups at one address leave one account, the mailbox owner’s', async () => {
  const email = anyone();
  const verificationCode = await mailedCode(cloud, email);
  const nameless = (await exchange((await post('/api/fn/sign-in-anonymously', {})).body.token)).body.session;
  const answers = await Promise.all([
    create(email, { password: 'six of it' }),
    post('/api/fn/verify-user-login-code', { email, verificationCode }),
    post('/api/fn/create-account', { email: email.toUpperCase(), password: 'six of it' }, { token: nameless }),
    post('/api/fn/verify-user-login-code', { email, verificationCode }, { token: nameless }),
    create(` ${email} `),
  ]);
  for (const { status } of answers) expect([200, 400]).toContain(status);
  await signIn(cloud, email);
  expect((await withPassword(email, 'six of it')).status, 'only the mailbox owner gets in').toBe(400);
  expect(
    (await database.query('SELECT FROM auth."user" WHERE "email" = $1 AND "emailVerified"', [email])).rowCount,
  ).toBe(1);
  expect(
    (
      await database.query(
        'SELECT FROM auth.person p WHERE NOT EXISTS (SELECT FROM auth."user" u WHERE u."id" = p.uid)',
      )
    ).rowCount,
  ).toBe(0);
});

it('1§6: a session that ends during a code check validates no other password', async () => {
  const { callers, accountCreation } = cloud.cloud.context.accounts;
  const email = anyone();
  const nameless = (await exchange((await post('/api/fn/sign-in-anonymously', {})).body.token)).body.session;
  const session = (await callers.identify(nameless))!.session!;
  // Previous user of the tablet acts first, with the same sign-in and the other's address.
  expect((await post('/api/fn/create-account', { email, password: 'six of it' }, { token: nameless })).status).toBe(
    200,
  );
  await accountCreation.upgradeOrFind(session, email);
  expect(refusal(await withPassword(email, 'six of it'))).toEqual({ status: 400, auth: 'auth/wrong-password' });
});

it('1§6: an anonymous user keeps their uid unless the address belongs to another account', async () => {
  const email = anyone();
  const nameless = async () => (await exchange((await post('/api/fn/sign-in-anonymously', {})).body.token)).body;
  const one = await nameless();
  const { body } = await exchange(
    (
      await post(
        '/api/fn/create-account',
        { email, password: 'six of it', name: { first: 'Ana' } },
        { token: one.session },
      )
    ).body.token,
  );
  expect(body.user).toMatchObject({
    uid: one.user.uid,
    email,
    anonymous: false,
    isEmailVerified: false,
    domains: [],
    name: { first: 'Ana' },
  });
  expect((await cloud.get('/api/me', one.session)).status).toBe(401);
  const other = await nameless();
  expect(
    refusal(await post('/api/fn/create-account', { email, password: 'another one' }, { token: other.session })),
  ).toEqual({ status: 400, auth: 'auth/email-already-in-use' });
  expect((await cloud.get<{ user: object }>('/api/me', other.session)).body.user).toMatchObject({
    uid: other.user.uid,
    anonymous: true,
  });
});

describe('1§4: sign-in by password', () => {
  it('2§8: an unknown address, wrong password or disabled account gets the prescribed text', async () => {
    const email = anyone();
    const { user } = await enter(email);
    expect((await withPassword(anyone(), 'six of it')).body.error).toMatchObject({
      auth: 'auth/user-not-found',
      message: "We couldn't find an account with this email. Would you like to create one?",
    });
    expect((await withPassword(email, 'six of It')).body.error).toMatchObject({
      auth: 'auth/wrong-password',
      message: 'The password is incorrect. Please try again or reset it.',
    });
    await database.query('UPDATE auth.person SET disabled_at = now() WHERE uid = $1', [user.uid]);
    expect(refusal(await withPassword(email, 'six of It'))).toEqual({ status: 400, auth: 'auth/wrong-password' });
    const refused = await withPassword(email, 'six of it');
    expect(refused.status).toBe(403);
    expect(refused.body.error).toMatchObject({
      auth: 'auth/user-disabled',
      message: 'This account is disabled. Please contact support.',
    });
  });

  it('1§4: a hundred concurrent guesses get few attempts, and the owner still gets in elsewhere', async () => {
    const [email, from] = [anyone(), network()];
    await enter(email);
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => withPassword(email, `guess ${n}`, from)));
    expect(answers.filter(({ body }) => body.error?.auth === 'auth/wrong-password').length).toBe(
      AUTH_LIMITS.passwordGuessesPerWindow,
    );
    const waiting = answers.filter(({ status }) => status === 429);
    expect(waiting.length).toBe(100 - AUTH_LIMITS.passwordGuessesPerWindow);
    expect(waiting.find(({ body }) => body.error?.auth !== undefined)!.body.error).toMatchObject({
      auth: 'auth/too-many-requests',
      retryable: true,
      message: 'There were too many attempts. Please try again later or reset your password.',
    });
    expect(waiting.every(({ body }) => (body.error?.retryAfterMs ?? 1) > 0)).toBe(true);
    expect((await withPassword(email, 'six of it', from)).status).toBe(429);
    expect((await withPassword(email, 'six of it')).status).toBe(200);
  });

  it('1§4: attempts are limited per network and in total, without affecting other networks', async () => {
    const tries = new AttemptLimiter(cloud.cloud.context.database.pool, 'a secret', clock);
    const email = anyone();
    const bound = { perNetwork: 3, total: 5, windowMs: 60_000 };
    const attempts = async (from: string, times: number): Promise<number> => {
      const made = await Promise.allSettled(
        Array.from({ length: times }, () => tries.consume('test', bound, { email, network: from })),
      );
      for (const refused of made.filter(({ status }) => status === 'rejected'))
        expect((refused as PromiseRejectedResult).reason).toMatchObject({
          code: 'rate-limited',
          details: { auth: 'auth/too-many-requests' },
        });
      return made.filter(({ status }) => status === 'fulfilled').length;
    };
    expect(await attempts('a', 20)).toBe(3);
    expect(await attempts('b', 20)).toBe(2);
    await tries.refund('test', { email, network: 'b' });
    expect(await attempts('c', 20)).toBe(1);
    expect(await later(61_000, () => attempts('c', 2))).toBe(2);
  });

  it('1§4: two concurrent correct passwords both sign in and use no attempt', async () => {
    const [email, from] = [anyone(), network()];
    await enter(email);
    for (let turn = 0; turn <= AUTH_LIMITS.passwordGuessesPerWindow / 2; turn++) {
      const answers = await Promise.all([
        withPassword(email, 'six of it', from),
        withPassword(email, 'six of it', from),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    }
  });
});

let once: Promise<{ session: string }> | undefined;
/** Signs in a new user. */
function signInOnce(): Promise<{ session: string }> {
  return (once ??= signIn(cloud, anyone()));
}
