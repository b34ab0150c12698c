import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AUTH_LIMITS } from '../../../../cloud-sync/api/accounts/auth-limits';
import { setStaff } from '../../../../cloud-sync/api/accounts/people/staff-command';
import { accountCalls, anyone, cloudWithClock, network, refusal } from '../../../support/servers/accounts';
import type { TestCloud } from '../../../support/servers/cloud';
import { codeIn, outboxMails } from '../../../support/servers/mail';
import { mailedCode, registerDevice, signIn } from '../../../support/servers/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const { later, start } = cloudWithClock();
let cloud: TestCloud;

beforeAll(async () => void (cloud = await start()));
afterAll(() => cloud.close());

const { post, withPassword, exchange, enter } = accountCalls(() => cloud);
const mailsTo = (email: string) => outboxMails(cloud.outbox).filter(({ to }) => to === email);
const codeTo = (email: string): string => codeIn(outboxMails(cloud.outbox), email);
const wrong = (code: string): string =>
  String((Number(code) + 1) % 10 ** AUTH_LIMITS.codeDigits).padStart(AUTH_LIMITS.codeDigits, '0');
const statusAt = async (session: string): Promise<number> => (await cloud.get('/api/me', session)).status;
const verify = (email: string, verificationCode: string, more: { token?: string; from?: string } = {}) =>
  post('/api/fn/verify-user-login-code', { email, verificationCode }, more);
const sendReset = (email: string, from?: string) =>
  post('/api/fn/send-password-reset', { email }, from === undefined ? {} : { from });
const confirmReset = (email: string, verificationCode: string, password = 'a new one') =>
  post('/api/fn/confirm-password-reset', { email, verificationCode, password });

describe('1§4: an account with an unproven address', () => {
  it('1§3, 1§6: the owner’s proof of an address ends every sign-in of an impostor', async () => {
    const email = anyone();
    const attacker = await enter(email, 'of the attacker');
    const tablet = await registerDevice(cloud, attacker);
    const pending = (await withPassword(email, 'of the attacker')).body.token;
    expect(attacker.user).toMatchObject({ isEmailVerified: false, domains: [] });
    await expect(setStaff(cloud.cloud.context.accounts, [email])).rejects.toThrow('No user found');

    const owner = await signIn(cloud, email);
    expect(owner.user).toMatchObject({ uid: attacker.user.uid, isEmailVerified: true, domains: ['example.org'] });
    expect(await statusAt(attacker.session)).toBe(401);
    expect((await exchange(pending)).status).toBe(401);
    expect(refusal(await withPassword(email, 'of the attacker'))).toEqual({ status: 400, auth: 'auth/wrong-password' });
    expect(await cloud.post('/api/have', { sha256: [] }, tablet)).toMatchObject({
      status: 200,
      body: { ended: 'revoked' },
    });
    expect((await fetch(`${cloud.url}/api/changes`, { headers: { authorization: `Bearer ${tablet}` } })).status).toBe(
      403,
    );
    expect(
      (await post('/api/account/password', { password: 'of the attacker' }, { token: attacker.session })).status,
    ).toBe(401);
    // Owner's choice depends on nothing that the attacker knew.
    expect((await post('/api/account/password', { password: 'of the owner' }, { token: owner.session })).status).toBe(
      200,
    );
    expect((await withPassword(email, 'of the owner')).status).toBe(200);
    expect(await statusAt(owner.session)).toBe(200);
  });

  it('1§6: a sign-in during the proof is ended too', async () => {
    const email = anyone();
    await enter(email, 'of the attacker');
    const code = await mailedCode(cloud, email);
    const stop = { now: false };
    const sessions: string[] = [];
    const attack = async (): Promise<void> => {
      do {
        const { body } = await withPassword(email, 'of the attacker');
        if (body.token === undefined) return;
        const opened = await exchange(body.token);
        if (opened.status === 200) sessions.push(opened.body.session);
      } while (!stop.now);
    };
    const attacks = [attack(), attack(), attack()];
    await expect.poll(() => sessions.length, { timeout: 60_000 }).toBeGreaterThan(2);
    const proven = await verify(email, code);
    // Pending attempts run to their end.
    stop.now = true;
    await Promise.all(attacks);
    expect(proven.status).toBe(200);
    for (const session of sessions) expect(await statusAt(session)).toBe(401);
    expect(await statusAt((await exchange(proven.body.token)).body.session)).toBe(200);
  });

  it('1§4: the account’s own creator proves the address and keeps password and sessions', async () => {
    const email = anyone();
    const { session, user } = await enter(email);
    const { status, body } = await verify(email, await mailedCode(cloud, email), { token: session });
    expect(status).toBe(200);
    expect((await exchange(body.token)).body.user).toMatchObject({
      uid: user.uid,
      isEmailVerified: true,
      domains: ['example.org'],
    });
    expect(await statusAt(session)).toBe(200);
    expect((await withPassword(email, 'six of it')).status).toBe(200);
  });

  it('1§4: another person’s session proves nothing', async () => {
    const email = anyone();
    const { session } = await enter(email);
    const other = await enter(anyone());
    expect((await verify(email, await mailedCode(cloud, email), { token: other.session })).status).toBe(200);
    expect(await statusAt(session)).toBe(401);
    expect(await statusAt(other.session)).toBe(200);
  });
});

describe('1§4: password reset', () => {
  it('1§4: the mailed code sets a new password once and ends all sessions', async () => {
    const email = anyone();
    await signIn(cloud, email);
    const { session } = await signIn(cloud, email);
    await post('/api/account/password', { password: 'the old one' }, { token: session });
    expect((await sendReset(email)).body).toEqual({ ok: true });
    const code = codeTo(email);
    expect(mailsTo(email).at(-1)!.text).toContain('multipart/alternative');
    expect((await post('/api/fn/verify-password-reset', { email, verificationCode: code })).body).toEqual({ ok: true });
    expect(refusal(await post('/api/fn/verify-password-reset', { email, verificationCode: wrong(code) }))).toEqual({
      status: 400,
      auth: 'auth/invalid-verification-code',
    });
    expect(refusal(await confirmReset(email, code, '12345'))).toEqual({ status: 400, auth: 'auth/weak-password' });
    const answers = await Promise.all([confirmReset(email, code), confirmReset(email, code)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(await statusAt(session)).toBe(401);
    expect((await exchange(answers.find(({ status }) => status === 200)!.body.token)).body.user.email).toBe(email);
    expect(refusal(await withPassword(email, 'the old one'))).toEqual({ status: 400, auth: 'auth/wrong-password' });
    expect((await withPassword(email, 'a new one')).status).toBe(200);
    expect((await confirmReset(email, code)).status).toBe(400);
    await expect.poll(() => mailsTo(email).at(-1)!.subject).toBe('Your password was changed');
  });

  it('1§4: an address without an account gets the same answer and creates none', async () => {
    const [known, unknown] = [anyone(), anyone()];
    await signIn(cloud, known);
    expect(await sendReset(unknown)).toEqual(await sendReset(known));
    expect(mailsTo(unknown).at(-1)!.subject).toBe('No account with this address');
    expect(mailsTo(unknown).at(-1)!.text).not.toMatch(/\d{3} \d{3}/);
    const refused = await confirmReset(known, wrong(codeTo(known)));
    expect(await confirmReset(unknown, '123456')).toEqual(refused);
    expect(await confirmReset(anyone(), '123456')).toEqual(refused);
    expect(refusal(await withPassword(unknown, 'a new one'))).toEqual({ status: 400, auth: 'auth/user-not-found' });
  });

  it('1§4: a password code does not sign in, a sign-in code sets no password, old ones expire', async () => {
    const email = anyone();
    await signIn(cloud, email);
    const login = await mailedCode(cloud, email);
    await sendReset(email);
    const reset = codeTo(email);
    if (login !== reset) {
      expect((await verify(email, reset)).status).toBe(400);
      expect((await confirmReset(email, login)).status).toBe(400);
    }
    await later(AUTH_LIMITS.codeLifeMs + 1000, async () => expect((await confirmReset(email, reset)).status).toBe(400));
  });

  it('1§6: a reset proves the address and ends the access of an account’s false creator', async () => {
    const email = anyone();
    const attacker = await enter(email, 'of the attacker');
    await sendReset(email);
    const { body } = await confirmReset(email, codeTo(email));
    expect((await exchange(body.token)).body.user).toMatchObject({
      uid: attacker.user.uid,
      isEmailVerified: true,
      domains: ['example.org'],
    });
    expect(await statusAt(attacker.session)).toBe(401);
    expect((await withPassword(email, 'of the attacker')).status).toBe(400);
    expect((await withPassword(email, 'a new one')).status).toBe(200);
  });
});

describe('1§7: account changes', () => {
  it('1§7: a new password ends the other sessions and notifies the owner by mail', async () => {
    const email = anyone();
    const [here, there] = [await signIn(cloud, email), await signIn(cloud, email)];
    expect(refusal(await post('/api/account/password', { password: '12345' }, { token: here.session }))).toEqual({
      status: 400,
      auth: 'auth/weak-password',
    });
    expect((await post('/api/account/password', { password: 'my own one' }, { token: here.session })).status).toBe(200);
    expect([await statusAt(here.session), await statusAt(there.session)]).toEqual([200, 401]);
    await expect.poll(() => mailsTo(email).at(-1)!.subject).toBe('Your password was changed');
    // Guessing on the owner's tablet fails too.
    const from = network();
    for (let n = 0; n < AUTH_LIMITS.passwordGuessesPerWindow; n++)
      expect(
        refusal(
          await post(
            '/api/account/password',
            { password: 'of a thief', current: `guess ${n}` },
            { token: here.session, from },
          ),
        ),
      ).toEqual({ status: 400, auth: 'auth/wrong-password' });
    expect(
      refusal(
        await post(
          '/api/account/password',
          { password: 'of a thief', current: 'my own one' },
          { token: here.session, from },
        ),
      ),
    ).toEqual({ status: 429, auth: 'auth/too-many-requests' });
  });

  it('1§7: a new address counts after its code is confirmed, and the old one is notified', async () => {
    const [old, next] = [anyone(), anyone()];
    const { session, user } = await signIn(cloud, old);
    const other = await signIn(cloud, anyone());
    expect((await post('/api/account/email', { email: ` ${next.toUpperCase()}` }, { token: session })).body).toEqual({
      ok: true,
    });
    const code = codeTo(next);
    const confirm = (token: string, verificationCode: string) =>
      post('/api/account/email/confirm', { email: next, verificationCode }, { token });
    expect(refusal(await confirm(other.session, code))).toEqual({
      status: 400,
      auth: 'auth/invalid-verification-code',
    });
    expect((await confirm(session, wrong(code))).status).toBe(400);
    expect((await verify(next, code)).status).toBe(400);
    expect((await confirm(session, code)).body).toEqual({ ok: true });
    expect((await cloud.get<{ user: object }>('/api/me', session)).body.user).toMatchObject({
      uid: user.uid,
      email: next,
      isEmailVerified: true,
    });
    expect((await confirm(session, code)).status).toBe(400);
    await expect.poll(() => mailsTo(old).at(-1)!.subject).toBe('The address of your account was changed');
    expect(mailsTo(old).at(-1)!.text).not.toContain(next);
    expect((await signIn(cloud, next)).user.uid).toBe(user.uid);
    expect((await signIn(cloud, old)).user.uid).not.toBe(user.uid);
  });

  it('1§7: an address in use gets the same answer, and its owner is notified by mail', async () => {
    const [mine, taken, free] = [anyone(), anyone(), anyone()];
    const { session } = await signIn(cloud, mine);
    await signIn(cloud, taken);
    expect(await post('/api/account/email', { email: taken }, { token: session })).toEqual(
      await post('/api/account/email', { email: free }, { token: session }),
    );
    expect(mailsTo(taken).at(-1)!.subject).toBe('You have an account with this address');
    // Address taken between mail and answer: its proven owner may know.
    await signIn(cloud, free);
    const code = codeIn(
      outboxMails(cloud.outbox).filter(({ subject }) => subject === 'Your code for a new address'),
      free,
    );
    expect(
      refusal(await post('/api/account/email/confirm', { email: free, verificationCode: code }, { token: session })),
    ).toEqual({ status: 400, auth: 'auth/email-already-in-use' });
    expect((await cloud.get<{ user: { email: string } }>('/api/me', session)).body.user.email).toBe(mine);
  });
});

describe('1§4: codes requested by others', () => {
  it('1§4: code requests and guesses by others never lock the owner out', async () => {
    const email = anyone();
    const from = network();
    const send = () => post('/api/fn/send-user-login-code', { email }, { from });
    for (let n = 0; n < AUTH_LIMITS.codesPerWindow; n++) expect((await send()).status).toBe(200);
    expect(refusal(await send())).toEqual({ status: 429, auth: 'auth/too-many-requests' });
    const guesses = await Promise.all(Array.from({ length: 40 }, () => verify(email, '000000', { from })));
    expect(guesses.filter(({ status }) => status === 400).length).toBe(AUTH_LIMITS.codeGuessesPerWindow);
    expect(guesses.filter(({ status }) => status === 429).length).toBe(40 - AUTH_LIMITS.codeGuessesPerWindow);
    expect((await signIn(cloud, email)).user.email).toBe(email);
  });

  it('1§4: guesses from many networks all fail, and the owner signs in with the latest mail', async () => {
    const email = anyone();
    const code = await mailedCode(cloud, email);
    const guess = (n: number, digits: number) => String((Number(code) + 1 + n) % 10 ** digits).padStart(digits, '0');
    // Hundred parallel guesses from different networks: five are checked, then the code is void.
    const guesses = await Promise.all(
      Array.from({ length: 100 }, (_, n) => verify(email, guess(n, AUTH_LIMITS.codeDigits))),
    );
    for (const one of guesses) expect(refusal(one)).toEqual({ status: 400, auth: 'auth/invalid-verification-code' });
    expect((await verify(email, code)).status).toBe(400);

    for (let n = 0; n < AUTH_LIMITS.codesPerWindowTotal + 10; n++)
      expect((await post('/api/fn/send-user-login-code', { email })).status).toBe(200);
    expect(mailsTo(email).length, 'a mailbox is not flooded').toBeLessThanOrEqual(AUTH_LIMITS.codesPerWindowTotal + 1);
    const long = codeTo(email);
    expect(long).toHaveLength(AUTH_LIMITS.codeDigitsLong);
    const more = await Promise.all(
      Array.from({ length: 100 }, (_, n) => verify(email, guess(n, AUTH_LIMITS.codeDigitsLong))),
    );
    for (const one of more) expect(refusal(one)).toEqual({ status: 400, auth: 'auth/invalid-verification-code' });
    expect((await verify(email, long)).status).toBe(200);
    expect((await verify(email, long)).status, 'once').toBe(400);
    // A used or expired link is replaced on request, however often others asked.
    expect((await verify(email, await mailedCode(cloud, email))).status).toBe(200);
    const left = await mailedCode(cloud, email);
    await later(AUTH_LIMITS.codeLifeMs + 1000, async () => {
      expect((await verify(email, left)).status).toBe(400);
      expect((await verify(email, await mailedCode(cloud, email))).status).toBe(200);
    });
  });

  it('1§4: guesses from the owner’s own network lock them out for minutes at most', async () => {
    const [email, from] = [anyone(), network()];
    await mailedCode(cloud, email);
    for (let n = 0; n <= AUTH_LIMITS.codeGuessesPerWindow; n++) await verify(email, '000000', { from });
    expect(refusal(await verify(email, '000000', { from }))).toEqual({ status: 429, auth: 'auth/too-many-requests' });
    const send = () => post('/api/fn/send-user-login-code', { email }, { from });
    for (let n = 0; n < AUTH_LIMITS.codesPerWindow; n++) expect((await send()).status).toBe(200);
    const over = await send();
    expect(refusal(over)).toEqual({ status: 429, auth: 'auth/too-many-requests' });
    expect(over.body.error?.retryAfterMs).toBeLessThanOrEqual(AUTH_LIMITS.codeLifeMs);
    expect((await verify(email, codeTo(email), { from })).status, 'the existing mail is enough').toBe(200);
    expect((await send()).status, 'and with none valid the next one is sent').toBe(200);
    expect((await verify(email, codeTo(email), { from })).status).toBe(200);
  });

  it('3§4: link requests by others never keep the owner from a link', async () => {
    const email = anyone();
    for (let n = 0; n < AUTH_LIMITS.codesPerWindowTotal + 10; n++)
      expect((await post('/api/fn/sendauthenticationlink', { email, path: '/' })).status).toBe(200);
    expect(mailsTo(email).length).toBe(AUTH_LIMITS.codesPerWindowTotal);
    await later(AUTH_LIMITS.linkLifeMs + 1000, async () => {
      expect((await post('/api/fn/sendauthenticationlink', { email, path: '/' })).status).toBe(200);
      expect(mailsTo(email).length, 'none was still valid').toBe(AUTH_LIMITS.codesPerWindowTotal + 1);
    });
  });

  it('1§4: a mailed code stays valid while others request one', async () => {
    const email = anyone();
    const code = await mailedCode(cloud, email);
    for (let n = 0; n < 3; n++) await post('/api/fn/send-user-login-code', { email });
    expect(codeTo(email)).toBe(code);
    expect((await verify(email, code)).status).toBe(200);
  });
});
