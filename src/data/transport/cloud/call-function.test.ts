import { describe, expect, it } from 'vitest';
import { ManualClock, nodeHost } from '../../../../tests/support/tablet/tablet-host';
import { ReefError } from '../../../domain/errors';
import { ANALYSIS_LIMITS, LIMITS } from '../../../domain/limits';
import { CloudAccounts } from './cloud-accounts';
import { CloudHttp } from './cloud-http';
import { sendSignInLink } from './cloud-sign-in';
import { callFunction, retryableCode } from './call-function';

/** Call whose attempts answer in turn, each after some ms of a manual clock. */
function scene(answers: readonly (ReefError | string)[], lastsMs = 0) {
  const clock = new ManualClock();
  const began = clock.elapsed();
  const at: number[] = [];
  const attempt = async (withinMs: number): Promise<string> => {
    at.push(clock.elapsed() - began);
    const takes = Math.min(lastsMs, withinMs);
    if (takes > 0) await new Promise<void>((resolve) => clock.after(takes, resolve));
    if (lastsMs > withinMs) throw new ReefError('timeout');
    const answer = answers[Math.min(at.length, answers.length) - 1];
    if (answer instanceof ReefError) throw answer;
    return answer ?? '';
  };
  return {
    clock,
    at,
    call: (timeoutMs: number) => callFunction({ timers: clock, clock }, timeoutMs, attempt),
    since: () => clock.elapsed() - began,
  };
}

const failed = <T>(work: Promise<T>): Promise<unknown> =>
  work.then(
    () => 'answered',
    (error: unknown) => error,
  );

describe('1§8 1§9 retries of function calls', () => {
  it('1§9 a call is retried after 1000, 2000 and 4000 ms, then the last failure is reported', async () => {
    const { clock, at, call } = scene([new ReefError('disconnected')]);
    const told = failed(call(LIMITS.functionTimeoutMs));
    await clock.advance(60_000);
    expect(at).toEqual([0, 1000, 3000, 7000]);
    expect(await told).toMatchObject({ code: 'disconnected' });
  });

  it('1§8 an answer ends the retries', async () => {
    const { clock, at, call } = scene([new ReefError('internal'), new ReefError('timeout'), 'done']);
    const told = call(LIMITS.functionTimeoutMs);
    await clock.advance(3000);
    expect([at, await told]).toEqual([[0, 1000, 3000], 'done']);
  });

  it('1§8 only the specified error codes are retried', () => {
    const as = (code: string, details: { readonly [name: string]: unknown } = {}) =>
      retryableCode(new ReefError(code as never, details));
    expect(['timeout', 'rate-limited', 'internal', 'disconnected'].map((code) => as(code))).toEqual([
      'deadline-exceeded',
      'resource-exhausted',
      'internal',
      'network-request-failed',
    ]);
    for (const code of ['bad-message', 'unauthorised', 'forbidden', 'not-found', 'receipt-mismatch'])
      expect(as(code), code).toBeNull();
    expect(as('rate-limited', { auth: 'auth/too-many-requests' }), 'it got the reason').toBeNull();
    expect(retryableCode(new Error('ours'))).toBeNull();
  });

  it('1§8 a refusal is reported at once', async () => {
    const { clock, at, call } = scene([new ReefError('bad-message', { auth: 'auth/wrong-password' })]);
    const told = failed(call(LIMITS.functionTimeoutMs));
    await clock.advance(60_000);
    expect([at, ((await told) as ReefError).details['auth']]).toEqual([[0], 'auth/wrong-password']);
  });

  it('1§8 a retry waits as long as the service asks, or is dropped if that is too late', async () => {
    const later = scene([new ReefError('rate-limited', { retryAfterMs: 5000 }), 'done']);
    const told = later.call(LIMITS.functionTimeoutMs);
    await later.clock.advance(5000);
    expect([later.at, await told]).toEqual([[0, 5000], 'done']);
    const never = scene([new ReefError('rate-limited', { retryAfterMs: 60_000 }), 'done']);
    expect(await failed(never.call(ANALYSIS_LIMITS.codeSendTimeoutMs))).toMatchObject({ code: 'rate-limited' });
    expect(never.at).toEqual([0]);
  });

  it('1§9 2§7 the time-out bounds all attempts: 30 s for sending a code, 540 s otherwise', async () => {
    for (const timeoutMs of [ANALYSIS_LIMITS.codeSendTimeoutMs, LIMITS.functionTimeoutMs]) {
      const { clock, call, since } = scene([new ReefError('internal')], timeoutMs - 2500);
      let ended: number | undefined;
      const told = failed(call(timeoutMs)).finally(() => (ended = since()));
      await clock.advance(2 * timeoutMs);
      // The second attempt ends when the total time is over.
      expect(ended).toBe(timeoutMs);
      expect(await told).toMatchObject({ code: 'timeout' });
    }
    expect([ANALYSIS_LIMITS.codeSendTimeoutMs, LIMITS.functionTimeoutMs]).toEqual([30_000, 540_000]);
  });
});

describe('1§7 every function of the service is called with these retries', () => {
  const calls: readonly (readonly [string, number, (http: CloudHttp) => Promise<unknown>])[] = [
    ['send-user-login-code', 30_000, (http) => http.sendSignInCode('a@b.c', '/')],
    ['sendauthenticationlink', 30_000, (http) => sendSignInLink(http, 'a@b.c', '/')],
    ['send-password-reset', 30_000, (http) => new CloudAccounts(http).sendPasswordReset('a@b.c')],
    ['verify-user-login-code', 540_000, (http) => new CloudAccounts(http).verifyCode('a@b.c', '123456')],
    ['sign-in-with-password', 540_000, (http) => new CloudAccounts(http).verifyPassword('a@b.c', 'x')],
    ['verify-authentication-link', 540_000, (http) => new CloudAccounts(http).verifyLink('a@b.c', 'x')],
    ['sign-in-anonymously', 540_000, (http) => new CloudAccounts(http).signInAnonymously()],
    ['create-account', 540_000, (http) => new CloudAccounts(http).createAccount({ email: 'a@b.c' })],
    ['confirm-password-reset', 540_000, (http) => new CloudAccounts(http).resetPassword('a@b.c', '123456', 'x')],
  ];

  it.each(calls)(
    '1§7 %s: four attempts at a failing service, and %i ms at a silent one',
    async (name, timeoutMs, call) => {
      const clock = new ManualClock();
      const began = clock.elapsed();
      const asked: { url: string; at: number }[] = [];
      let silent = false;
      const host = nodeHost({
        clock,
        fetch: (url) => {
          asked.push({ url, at: clock.elapsed() - began });
          return silent
            ? new Promise(() => undefined)
            : Promise.resolve(Response.json({ ok: false, error: { code: 'internal' } }, { status: 500 }));
        },
      });
      const http = new CloudHttp(host, 'https://shore.test');
      const told = failed(call(http));
      await clock.advance(10_000);
      expect(asked).toEqual([0, 1000, 3000, 7000].map((at) => ({ url: `https://shore.test/api/fn/${name}`, at })));
      expect(await told).toMatchObject({ code: 'internal' });
      silent = true;
      let ended: number | undefined;
      const from = clock.elapsed();
      const waited = failed(call(http)).finally(() => (ended = clock.elapsed() - from));
      await clock.advance(600_000);
      expect([ended, ((await waited) as ReefError).code]).toEqual([timeoutMs, 'timeout']);
    },
  );
});
