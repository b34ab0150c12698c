import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountCalls, anyone, cloudWithClock, refusal } from '../support/servers/accounts';
import type { TestCloud } from '../support/servers/cloud';
import { codeIn, outboxMails } from '../support/servers/mail';
import { askToCertify, newDeviceKey } from '../support/servers/device-keys';
import { newId } from '../support/servers/edge-client';
import { registerDevice, signIn, signInStaff } from '../support/servers/people';

const MINUTE_MS = 60_000;
const { start, later } = cloudWithClock();
let cloud: TestCloud;
const { post, enter, withPassword, exchange } = accountCalls(() => cloud);
beforeAll(async () => {
  cloud = await start();
});
afterAll(() => cloud.close());

const NEEDS_SIGN_IN = { status: 403, auth: 'auth/requires-recent-login' };
const codeFor = (email: string) => codeIn(outboxMails(cloud.outbox), email);

describe('a thief with a signed-in tablet', () => {
  it('changes neither address nor password, and links no provider, by the session alone', async () => {
    const email = anyone();
    const { session: token } = await signIn(cloud, email);
    const next = anyone();
    await later(11 * MINUTE_MS, async () => {
      const short = (await cloud.get<{ token: string }>('/api/auth/token', token)).body.token;
      for (const bearer of [token, short]) {
        const as = { token: bearer };
        expect(refusal(await post('/api/account/email', { email: next }, as))).toEqual(NEEDS_SIGN_IN);
        expect(refusal(await post('/api/account/password', { password: 'of the thief' }, as))).toEqual(NEEDS_SIGN_IN);
        const unlinking = await post('/api/auth/providers/google/unlink', {}, as);
        expect(refusal(unlinking)).toEqual(NEEDS_SIGN_IN);
      }
      expect((await cloud.get('/api/me', token)).body, 'everything else goes on').toMatchObject({ user: { email } });
    });
    expect(outboxMails(cloud.outbox).filter(({ to }) => to === next)).toEqual([]);
  });

  it('a code that the owner requested is neither used nor consumed by an older session of theirs', async () => {
    const email = anyone();
    const { session: stolen } = await enter(email, 'the first one');
    await later(25 * MINUTE_MS, async () => {
      const own = (await exchange((await withPassword(email, 'the first one')).body.token)).body.session;
      const next = anyone();
      expect((await post('/api/account/email', { email: next }, { token: own })).status).toBe(200);
      const verificationCode = codeFor(next);
      const confirm = (token: string) =>
        post('/api/account/email/confirm', { email: next, verificationCode }, { token });
      expect(refusal(await confirm(stolen))).toEqual(NEEDS_SIGN_IN);
      expect((await confirm(own)).status).toBe(200);
    });
  });

  it('the same person changes both after signing in again', async () => {
    const email = anyone();
    await enter(email, 'the first one');
    await later(24 * 60 * MINUTE_MS, async () => {
      const again = (await exchange((await withPassword(email, 'the first one')).body.token)).body;
      const as = { token: again.session };
      const next = anyone();
      expect((await post('/api/account/email', { email: next }, as)).status).toBe(200);
      const verificationCode = codeFor(next);
      expect((await post('/api/account/email/confirm', { email: next, verificationCode }, as)).status).toBe(200);
    });
  });

  it('the present password is a proof of its own, however old the session is', async () => {
    const { session: token } = await enter(anyone(), 'the first one');
    await later(24 * 60 * MINUTE_MS, async () => {
      const change = (current: string) =>
        post('/api/account/password', { password: 'the second one', current }, { token });
      expect(refusal(await change('a wrong one'))).toEqual({ status: 400, auth: 'auth/wrong-password' });
      expect((await change('the first one')).status).toBe(200);
    });
  });

  it.each([
    ['10 minutes', 10 * MINUTE_MS - 2000, 200],
    ['a minute more', 11 * MINUTE_MS, 403],
  ])('%s after the sign-in a new address gets %3$i', async (_when, ms, status) => {
    const { session: token } = await signIn(cloud, anyone());
    expect(await later(ms, async () => (await post('/api/account/email', { email: anyone() }, { token })).status)).toBe(
      status,
    );
  });

  it('a tablet revoked ashore keeps none of the sessions that were opened on it, and does not come back by them', async () => {
    for (const revokedBy of ['its person', 'staff'] as const) {
      const email = anyone();
      const [tablet, elsewhere] = [await signIn(cloud, email), await signIn(cloud, email)];
      const device = { id: newId(), name: 'Tablet' };
      await registerDevice(cloud, tablet, device.id);
      const short = (await cloud.get<{ token: string }>('/api/auth/token', tablet.session)).body.token;
      const owner = revokedBy === 'staff' ? await signInStaff(cloud, anyone()) : elsewhere;
      expect((await post('/api/devices/revoke', { device }, { token: owner.session })).status).toBe(200);
      for (const token of [tablet.session, short]) {
        for (const place of ['/api/me', '/api/changes', '/api/auth/edge-token'])
          expect((await cloud.get(place, token)).status, `${place}, revoked by ${revokedBy}`).toBe(401);
        expect((await post('/api/devices', { device }, { token })).status).toBe(401);
      }
      expect((await cloud.get('/api/me', elsewhere.session)).status, 'another device').toBe(200);
    }
  });

  it('a session of the revoked tablet’s key ends too, and the one that revokes stays', async () => {
    const email = anyone();
    const id = newId();
    const key = newDeviceKey();
    const [first, second, owner] = [await signIn(cloud, email), await signIn(cloud, email), await signIn(cloud, email)];
    for (const one of [first, second]) expect((await askToCertify(cloud, one, key)).status).toBe(200);
    await registerDevice(cloud, first, id);
    await registerDevice(cloud, owner, id);
    expect((await post('/api/devices/revoke', { device: { id } }, { token: owner.session })).status).toBe(200);
    for (const { session } of [first, second]) expect((await cloud.get('/api/me', session)).status).toBe(401);
    expect((await cloud.get('/api/me', owner.session)).status).toBe(200);
  });
});
