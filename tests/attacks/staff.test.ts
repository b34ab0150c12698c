import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Passwords } from '../../cloud-sync/api/accounts/sign-in/passwords';
import { REFUSALS_PER_MINUTE } from '../../src/server/http/refusals';
import { ReefError } from '../../src/domain/errors';
import { accountCalls, anyone, network } from '../support/servers/accounts';
import type { TestCloud } from '../support/servers/cloud';
import { startCloud } from '../support/servers/cloud';
import { signIn } from '../support/servers/people';

let cloud: TestCloud;
let log: string[] = [];
beforeAll(async () => {
  const stream = { write: (line: string): unknown => log.push(line) };
  cloud = await startCloud({ hooks: { log: pino({ level: 'info' }, stream) } });
});
afterAll(() => cloud.close());
beforeEach(() => {
  log = [];
});
const { post, create, enter, withPassword } = accountCalls(() => cloud);

describe('2§5: a guesser who tries the most common passwords', () => {
  it('2§5: no one can choose one of them at sign-up or by a change', async () => {
    for (const password of ['123456', 'Password', 'qwerty123', 'sunshine1!']) {
      const { status, body } = await create(anyone(), { password });
      expect(status, password).toBe(400);
      expect(body.error).toMatchObject({
        field: 'password',
        message: expect.stringContaining('most common') as string,
      });
    }
    const email = anyone();
    const { session } = await enter(email, 'parrotfish');
    const changed = await post(
      '/api/account/password',
      { password: 'letmein', current: 'parrotfish' },
      { token: session },
    );
    expect(changed.status).toBe(400);
    expect((await withPassword(email, 'parrotfish')).status).toBe(200);
  });

  it('1§7: a person who chose one before still signs in with it', async () => {
    const email = anyone();
    const { user } = await enter(email, 'parrotfish');
    const stored = await new Passwords(1, { logN: 4, r: 8, p: 1 }).hash('123456');
    await cloud.cloud.context.database.pool.query('UPDATE auth."account" SET "password" = $2 WHERE "userId" = $1', [
      user.uid,
      stored,
    ]);
    expect((await withPassword(email, '123456')).status).toBe(200);
  });
});

describe('protocol: refused sign-ins and rights are logged', () => {
  const lines = (): Record<string, unknown>[] => log.map((line) => JSON.parse(line) as Record<string, unknown>);

  it('protocol: with route, reason and id, and without address, token, password or network', async () => {
    const email = anyone();
    await enter(email, 'parrotfish');
    const mine = await signIn(cloud, anyone());
    log = [];
    await withPassword(email, 'angelfish', '203.0.113.77');
    await post('/api/fn/verify-user-login-code', { email, verificationCode: '000 000' });
    await cloud.get('/api/fleet', mine.session);
    await cloud.get('/api/fleet', 'a-guessed-token-of-a-box');
    expect(lines()).toMatchObject([
      { msg: 'a sign-in was refused', route: 'POST /api/fn/sign-in-with-password', auth: 'auth/wrong-password' },
      { msg: 'a sign-in was refused', route: 'POST /api/fn/verify-user-login-code' },
      { msg: 'a right was refused', route: 'GET /api/fleet', code: 'forbidden', by: mine.user.uid },
      { msg: 'a right was refused', route: 'GET /api/fleet', code: 'unauthorised' },
    ]);
    for (const secret of [email, mine.session, 'angelfish', '203.0.113', '127.0.0.1', 'guessed', '000 000'])
      expect(log.join('')).not.toContain(secret);
  });

  it('protocol: a network that is refused too often has to wait, and its known callers do not', async () => {
    const [mine, other] = [await signIn(cloud, anyone()), await signIn(cloud, anyone())];
    const from = network();
    const { refusals } = cloud.cloud.context;
    for (let n = 1; n < REFUSALS_PER_MINUTE; n++) refusals.limit(from, new ReefError('unauthorised'));
    const guess = (token: string) => post('/api/fleet/boxes', { name: 'A box' }, { from, token });
    expect((await guess('first')).status).toBe(401);
    const { status, body } = await guess('second');
    expect([status, body.error?.code]).toEqual([429, 'rate-limited']);
    expect(body.error?.retryAfterMs).toBeGreaterThan(0);
    expect((await post('/api/auth/sign-out', { everywhere: true }, { from, token: other.session })).status).toBe(200);
    expect((await post('/api/fleet/boxes', { name: 'A box' }, { from, token: mine.session })).status).toBe(403);
  });
});
