import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUTH_LIMITS } from '../../cloud-sync/api/accounts/auth-limits';
import { resetFactor } from '../../cloud-sync/api/accounts/people/staff-command';
import type { CloudUser } from '../../src/protocol/cloud-auth';
import { accountCalls, anyone, cloudWithClock } from '../support/servers/accounts';
import type { TestCloud } from '../support/servers/cloud';
import { newId } from '../support/servers/edge-client';
import { codeIn, outboxMails } from '../support/servers/mail';
import type { SignedIn } from '../support/servers/people';
import { registerDevice, signIn, signInAs, signInStaff } from '../support/servers/people';
import type { Authenticator } from '../support/servers/second-factor';
import { setUpCodes } from '../support/servers/second-factor';

const { clock, start, later } = cloudWithClock();
let cloud: TestCloud;
beforeAll(async () => {
  cloud = await start();
});
afterAll(() => cloud.close());
const { enter } = accountCalls(() => cloud);

const STEP_MS = 30_000;
const PASS = '/api/auth/second-factor';
const SETUP = '/api/account/second-factor/codes';
const userOf = async (session: string) => (await cloud.get<{ user: CloudUser }>('/api/me', session)).body.user;
const fleet = async (session: string) => (await cloud.get('/api/fleet', session)).status;
const pass = (session: string, proof: object) => cloud.post<{ error?: { auth: string } }>(PASS, proof, session);

/** Staff with one-time codes, and a session of theirs that has not passed, as a thief of their mail has one. */
async function staffWithCodes(): Promise<{
  readonly email: string;
  readonly own: SignedIn;
  readonly thief: SignedIn;
  readonly app: Authenticator;
  readonly recoveryCodes: readonly string[];
}> {
  const email = anyone();
  await signIn(cloud, email);
  await cloud.cloud.context.accounts.people.setStaff(email, true);
  const own = await signIn(cloud, email);
  const made = await setUpCodes(cloud, own.session);
  return { email, own, thief: await signIn(cloud, email), ...made };
}

describe('1§6: a thief of a mailbox who signs in as staff', () => {
  it('1§6: is a volunteer everywhere until the second factor is shown', async () => {
    const { own, thief, app } = await staffWithCodes();
    const other = await signIn(cloud, anyone());
    const tablet = newId();
    await registerDevice(cloud, other, tablet);
    expect(thief.user).toMatchObject({
      staff: false,
      admin: false,
      secondFactor: { status: 'needed', roles: ['staff'] },
    });
    const staffCalls: readonly (readonly [string, string, object?])[] = [
      ['GET', '/api/fleet'],
      ['GET', '/api/quarantine'],
      ['GET', `/api/admin/users?email=${encodeURIComponent(other.user.email)}`],
      ['GET', '/api/admin/audit'],
      ['POST', `/api/admin/users/${thief.user.uid}/roles`, { admin: true }],
      ['POST', `/api/admin/users/${other.user.uid}/second-factor/reset`, {}],
      ['PUT', '/api/reference/events', []],
      ['POST', '/api/fleet/boxes', { name: 'A box' }],
    ];
    for (const [method, place, body] of staffCalls)
      expect((await cloud.ask(method, place, body, thief.session)).status, place).toBe(403);
    expect((await cloud.post('/api/devices/revoke', { device: { id: tablet } }, thief.session)).status).toBe(404);
    const { token } = (await cloud.get<{ token: string }>('/api/auth/token', thief.session)).body;
    expect(await fleet(token), 'by a short token').toBe(403);
    expect((await cloud.get('/api/admin/audit', own.session)).status).toBe(200);

    const passed = await later(STEP_MS, () => pass(thief.session, { code: app(clock()) }));
    expect(passed.status).toBe(200);
    expect(await userOf(thief.session)).toMatchObject({ staff: true, secondFactor: { status: 'passed' } });
    expect(await fleet(thief.session)).toBe(200);
  });

  it('1§6: cannot set up, renew or remove a second factor where there is one', async () => {
    const { thief, own } = await staffWithCodes();
    for (const [place, body] of [
      [SETUP, {}],
      ['/api/account/second-factor/recovery', {}],
      ['/api/account/second-factor/remove', { way: 'codes' }],
    ] as const) {
      const answer = await cloud.post<{ error: { auth: string } }>(place, body, thief.session);
      expect([answer.status, answer.body.error.auth], place).toEqual([403, 'auth/second-factor-needed']);
    }
    expect(await fleet(own.session)).toBe(200);
  });

  it('1§6: cannot set the first one up with a session older than ten minutes', async () => {
    const { session } = await signIn(cloud, anyone());
    expect((await later(AUTH_LIMITS.recentSignInMs - 30_000, () => cloud.post(SETUP, {}, session))).status).toBe(200);
    const late = await later(AUTH_LIMITS.recentSignInMs + 5000, () =>
      cloud.post<{ error: { auth: string } }>(SETUP, {}, session),
    );
    expect([late.status, late.body.error.auth]).toEqual([403, 'auth/requires-recent-login']);
  });

  it('1§6: cannot confirm with a secret that another session began', async () => {
    const email = anyone();
    const [own, thief] = [await signIn(cloud, email), await signIn(cloud, email)];
    const { app } = await setUpCodes(cloud, own.session);
    const answer = await cloud.post(`${SETUP}/confirm`, { code: app(clock() + STEP_MS) }, thief.session);
    expect(answer.status).toBe(403);
  });

  it('1§4: with an address that is not proven nothing can be set up', async () => {
    const { session } = await enter(anyone(), 'parrotfish');
    expect((await cloud.post(SETUP, {}, session)).status).toBe(403);
  });
});

describe('1§6: a guesser of second factors', () => {
  it('1§6: a code that was used, or is older, does not count again', async () => {
    const { thief, app } = await staffWithCodes();
    const used = app(clock());
    for (const code of [used, app(clock() - STEP_MS)])
      expect((await pass(thief.session, { code })).body.error?.auth).toBe('auth/invalid-second-factor');
    await later(STEP_MS, async () => {
      const code = app(clock());
      const both = await Promise.all([pass(thief.session, { code }), pass(thief.session, { code })]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    });
  });

  it('1§6: ten wrong codes are answered, and the next try waits even if it is right', async () => {
    const { thief, app, recoveryCodes } = await staffWithCodes();
    for (let n = 0; n < AUTH_LIMITS.factorGuessesPerWindow; n++)
      expect((await pass(thief.session, n % 2 === 0 ? { code: 'x' } : { recoveryCode: 'x' })).status).toBe(400);
    await later(STEP_MS, async () => {
      expect((await pass(thief.session, { code: app(clock()) })).status).toBe(429);
      expect((await pass(thief.session, { recoveryCode: recoveryCodes[0] })).status).toBe(429);
    });
    await later(AUTH_LIMITS.factorWindowMs + 1000, async () =>
      expect((await pass(thief.session, { code: app(clock()) })).status).toBe(200),
    );
  });

  it('1§6: right codes are not counted', async () => {
    const { thief, app } = await staffWithCodes();
    for (let n = 1; n <= AUTH_LIMITS.factorGuessesPerWindow + 1; n++)
      await later(n * STEP_MS, async () =>
        expect((await pass(thief.session, { code: app(clock()) })).status).toBe(200),
      );
  });

  it('1§6: a recovery code passes once, also when two use it at the same time', async () => {
    const { thief, own, recoveryCodes } = await staffWithCodes();
    expect(new Set(recoveryCodes).size).toBe(10);
    const recoveryCode = recoveryCodes[3]!.toLowerCase().replaceAll('-', ' ');
    const both = await Promise.all([pass(thief.session, { recoveryCode }), pass(thief.session, { recoveryCode })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    const left = await cloud.get<{ recoveryCodes: number }>('/api/account/second-factor', own.session);
    expect(left.body.recoveryCodes).toBe(9);
    const renewed = await cloud.post<{ recoveryCodes: string[] }>(
      '/api/account/second-factor/recovery',
      {},
      own.session,
    );
    expect((await pass(thief.session, { recoveryCode: recoveryCodes[4] })).status).toBe(400);
    expect((await pass(thief.session, { recoveryCode: renewed.body.recoveryCodes[0] })).status).toBe(200);
  });
});

describe('1§6: a lost or stolen second factor', () => {
  it('1§6: a session that passed is a volunteer’s again after twelve hours, and after the last way is removed', async () => {
    const { own } = await staffWithCodes();
    expect(await later(AUTH_LIMITS.factorLifeMs - 60_000, () => fleet(own.session))).toBe(200);
    cloud.cloud.context.accounts.callers.clearCache();
    expect(await later(AUTH_LIMITS.factorLifeMs + 1000, () => fleet(own.session))).toBe(403);
    cloud.cloud.context.accounts.callers.clearCache();
    expect((await cloud.post('/api/account/second-factor/remove', { way: 'codes' }, own.session)).status).toBe(200);
    expect(await fleet(own.session)).toBe(403);
    expect((await userOf(own.session)).secondFactor).toEqual({ status: 'missing', roles: ['staff'] });
  });

  it('1§6: other staff reset it and end the sign-ins; an admin, the person and a volunteer cannot', async () => {
    const { own, email } = await staffWithCodes();
    const [staff, admin] = [await signInStaff(cloud, anyone()), await signInAs(cloud, 'admin', anyone())];
    const reset = (by: SignedIn) => cloud.post(`/api/admin/users/${own.user.uid}/second-factor/reset`, {}, by.session);
    for (const by of [admin, own, await signIn(cloud, anyone())]) expect((await reset(by)).status).toBe(403);
    expect((await reset(staff)).status).toBe(200);
    expect((await cloud.get('/api/me', own.session)).status).toBe(401);
    const again = await signIn(cloud, email);
    expect(again.user.secondFactor?.status).toBe('missing');
    await setUpCodes(cloud, again.session);
    expect(await fleet(again.session)).toBe(200);
    const { entries } = (
      await cloud.get<{ entries: { by: string; details: object }[] }>(
        `/api/admin/audit?about=${own.user.uid}&action=second-factor`,
        staff.session,
      )
    ).body;
    expect(entries.map(({ by, details }) => [by, details])).toEqual([
      [own.user.uid, { change: 'codes set up' }],
      [staff.user.uid, { change: 'reset' }],
      [own.user.uid, { change: 'codes set up' }],
    ]);
  });

  it('1§6: the operator resets it on the command line', async () => {
    const { own, email } = await staffWithCodes();
    const { accounts } = cloud.cloud.context;
    await expect(resetFactor(accounts, [])).rejects.toThrow('npm run cloud -- reset-second-factor');
    await expect(resetFactor(accounts, [anyone()])).rejects.toThrow('No user found');
    expect(await resetFactor(accounts, [email])).toContain('no second step now');
    expect((await cloud.get('/api/me', own.session)).status).toBe(401);
  });

  it('1§6: the person gets a mail of each change', async () => {
    const { email } = await staffWithCodes();
    const notices = () =>
      outboxMails(cloud.outbox).filter(({ to, subject }) => to === email && subject.includes('second step'));
    await expect.poll(notices).toHaveLength(1);
  });
});

describe('1§6: the token for boxes', () => {
  it('1§6: names an admin only after the second factor', async () => {
    const { email } = (await signInAs(cloud, 'admin', anyone())).user;
    const claims = async (session: string) => {
      const { token } = (await cloud.get<{ token: string }>('/api/auth/edge-token', session)).body;
      return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { admin: boolean };
    };
    const { session } = await signIn(cloud, email);
    expect((await claims(session)).admin).toBe(false);
    await setUpCodes(cloud, session);
    expect((await claims(session)).admin).toBe(true);
  });
});

describe('1§6: a thief of a mailbox at the fleet console', () => {
  it('1§6: sees the second step instead of the fleet, and its forms are refused', async () => {
    const { app, email } = await staffWithCodes();
    const send = async (place: string, form?: Record<string, string>, cookie = '') => {
      const answer = await fetch(cloud.url + place, {
        method: form === undefined ? 'GET' : 'POST',
        redirect: 'manual',
        headers: { cookie },
        ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
      });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    };
    await send('/console/sign-in', { email });
    const signed = await send('/console/sign-in', { email, code: codeIn(outboxMails(cloud.outbox), email) });
    const cookie = signed.headers.get('set-cookie')!.split(';')[0]!;
    const page = await send('/console', undefined, cookie);
    expect(page.text).toContain('Confirm that it is you');
    expect(page.text).not.toContain('Register a box');
    expect((await send('/console/boxes', { name: 'A box' }, cookie)).status).toBe(403);
    const wrong = await send('/console/second-factor', { step: 'code', code: '000000' }, cookie);
    expect([wrong.status, wrong.text.includes('role="alert"')]).toEqual([400, true]);
    expect((await send('/console/second-factor', { step: 'begin' }, cookie)).status).toBe(403);
    await later(STEP_MS, async () => {
      const right = await send('/console/second-factor', { step: 'code', code: app(clock()) }, cookie);
      expect([right.status, right.headers.get('location')]).toEqual([303, '/console']);
    });
    expect((await send('/console', undefined, cookie)).text).toContain('Register a box');
  });
});
