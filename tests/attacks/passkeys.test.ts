import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUTH_LIMITS } from '../../cloud-sync/api/accounts/auth-limits';
import { androidAttestation } from '../support/doubles/android-attestation';
import type { Forgery } from '../support/doubles/soft-authenticator';
import { SoftAuthenticator } from '../support/doubles/soft-authenticator';
import { anyone, cloudWithClock } from '../support/servers/accounts';
import type { TestCloud } from '../support/servers/cloud';
import { signIn } from '../support/servers/people';

const { start, later } = cloudWithClock();
const SITE = 'https://reef.example';
let cloud: TestCloud;
beforeAll(async () => {
  cloud = await start();
});
afterAll(() => cloud.close());

interface Answer {
  readonly options: { readonly challenge: string; readonly rp: { readonly id: string } };
  readonly passkey: { readonly challenge: string; readonly rpId: string } | null;
  readonly recoveryCodes: readonly string[];
  readonly error?: { readonly code: string; readonly auth?: string };
}
/** Posts as a page of an origin does. */
async function post(
  session: string,
  place: string,
  body: object,
  origin: string | null = SITE,
): Promise<{ readonly status: number; readonly body: Answer }> {
  const answer = await fetch(cloud.url + place, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${session}`,
      'content-type': 'application/json',
      ...(origin === null ? {} : { origin }),
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Answer };
}
const ADD = '/api/account/second-factor/passkeys';
const PASS = '/api/auth/second-factor';
const fleet = async (session: string) => (await cloud.get('/api/fleet', session)).status;

async function add(session: string, device: SoftAuthenticator, forgery: Forgery = {}) {
  const { body } = await post(session, ADD, {});
  return post(session, `${ADD}/confirm`, { name: 'Key', response: await device.create(body.options, forgery) });
}

async function pass(session: string, device: SoftAuthenticator, forgery: Forgery = {}) {
  const { body } = await post(session, `${PASS}/start`, {});
  return post(session, PASS, { passkey: device.get(body.passkey!, forgery) });
}

/** Staff with a passkey, and a session of theirs that has not passed. */
async function staffWithPasskey() {
  const email = anyone();
  await signIn(cloud, email);
  await cloud.cloud.context.accounts.people.setStaff(email, true);
  const own = await signIn(cloud, email);
  const device = new SoftAuthenticator(SITE);
  const added = await add(own.session, device);
  expect(added.status, JSON.stringify(added.body)).toBe(200);
  expect(added.body.recoveryCodes).toHaveLength(10);
  return { own: own.session, thief: (await signIn(cloud, email)).session, device };
}

describe('1§6: passkeys as second factor', () => {
  it('1§6: one is added, passes, and is removed', async () => {
    const { own, thief: second, device } = await staffWithPasskey();
    expect([await fleet(own), await fleet(second)]).toEqual([200, 403]);
    expect((await pass(second, device)).status).toBe(200);
    expect(await fleet(second)).toBe(200);
    const { body } = await cloud.get<{ passkeys: { id: string }[] }>('/api/account/second-factor', own);
    expect(body.passkeys).toMatchObject([{ name: 'Key', usedAt: expect.any(String) as string }]);
    expect(
      (await post(own, '/api/account/second-factor/remove', { way: 'passkey', id: body.passkeys[0]!.id })).status,
    ).toBe(200);
    expect([await fleet(own), await fleet(second)]).toEqual([403, 403]);
  });

  it.each<[string, Forgery]>([
    ['signed with another key', { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }],
    ['of another page', { origin: 'https://reef.example.evil' }],
    ['for another site', { host: 'evil.example' }],
    ['to another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['that a person did not touch', { isPresent: false }],
    ['of a registration', { type: 'webauthn.create' }],
    ['of a copied authenticator', { counter: 0 }],
  ])('1§6: an answer %s is refused', async (_name, forgery) => {
    const { thief, device } = await staffWithPasskey();
    // A counter of zero means none until one was seen.
    expect((await pass(thief, device)).status).toBe(200);
    await cloud.cloud.context.database.pool.query('UPDATE auth."session" SET factor_at = NULL');
    cloud.cloud.context.accounts.callers.clearCache();
    const refused = await pass(thief, device, forgery);
    expect([refused.status, refused.body.error?.auth]).toEqual([400, 'auth/invalid-second-factor']);
    expect(await fleet(thief)).toBe(403);
  });

  it('1§6: an answer counts once, for its own session, within five minutes', async () => {
    const { own, thief, device } = await staffWithPasskey();
    const { body } = await post(thief, `${PASS}/start`, {});
    // Many passkeys count nothing; then the challenge alone tells a copy.
    const passkey = device.get(body.passkey!, { counter: 0 });
    expect((await post(own, PASS, { passkey })).status, 'in another session').toBe(400);
    expect((await post(thief, PASS, { passkey })).status).toBe(200);
    expect((await post(thief, PASS, { passkey })).status, 'again').toBe(400);
    const next = await post(thief, `${PASS}/start`, {});
    const late = device.get(next.body.passkey!, { counter: 0 });
    expect((await later(AUTH_LIMITS.passkeyChallengeMs, () => post(thief, PASS, { passkey: late }))).status).toBe(400);
  });

  it('1§6: another person’s passkey passes for no one else', async () => {
    const [ana, ben] = [await staffWithPasskey(), await staffWithPasskey()];
    expect((await pass(ana.thief, ben.device)).status).toBe(400);
    expect((await add(ana.own, ben.device)).status, 'nor is it added again').toBe(400);
  });

  it('1§6: none is asked for by a page at an address without a name, by a script without a page, or where one is set up', async () => {
    const { own, thief } = await staffWithPasskey();
    for (const origin of [null, cloud.url]) expect((await post(own, ADD, {}, origin)).status, String(origin)).toBe(400);
    expect((await post(thief, `${PASS}/start`, {}, null)).body.passkey).toBeNull();
    expect((await post(thief, ADD, {})).body.error?.auth).toBe('auth/second-factor-needed');
  });

  it('1§6: an attestation is dropped unread, so that its certificates make the service fetch nothing', async () => {
    let fetched = 0;
    const list = createServer((_request, answer) => {
      fetched += 1;
      answer.end();
    });
    await new Promise<void>((resolve) => list.listen(0, '127.0.0.1', resolve));
    const { port } = list.address() as AddressInfo;
    const { session } = await signIn(cloud, anyone());
    const attest = androidAttestation(`http://127.0.0.1:${port}/list`);
    expect([(await add(session, new SoftAuthenticator(SITE), { attest })).status, fetched]).toEqual([200, 0]);
    await new Promise((resolve) => list.close(resolve));
  });

  it('1§6: at the fleet console a passkey opens the fleet; a forged, repeated or unread answer does not', async () => {
    const email = anyone();
    await signIn(cloud, email);
    await cloud.cloud.context.accounts.people.setStaff(email, true);
    const site = cloud.url.replace('127.0.0.1', 'localhost');
    const device = new SoftAuthenticator(site);
    const send = async (session: string, form?: Record<string, string>) => {
      const answer = await fetch(`${site}/console${form === undefined ? '' : '/second-factor'}`, {
        method: form === undefined ? 'GET' : 'POST',
        redirect: 'manual',
        headers: { cookie: `__Secure-reef-console=${session}` },
        ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    /** Options that a page of the console carries for its script. */
    const optionsIn = (page: string): Parameters<SoftAuthenticator['get']>[0] =>
      JSON.parse(
        /data-(?:get|create)="([^"]+)"/
          .exec(page)![1]!
          .replace(/&#(\d+);/g, (_all, n) => String.fromCharCode(Number(n))),
      ) as Parameters<SoftAuthenticator['get']>[0];

    const { session: own } = await signIn(cloud, email);
    const adding = optionsIn((await send(own, { step: 'begin-passkey' })).text);
    const made = JSON.stringify(await device.create(adding));
    const added = await send(own, { step: 'confirm-passkey', name: 'Key', passkey: made });
    expect(added.text.match(/<li>(\w{4}-){2}\w{4}<\/li>/g)).toHaveLength(10);
    expect((await send(own)).text).toContain('Register a box');

    const { session } = await signIn(cloud, email);
    const asked = await send(session);
    expect(asked.text).not.toContain('Register a box');
    const forged = device.get(optionsIn(asked.text), { origin: 'https://reef.example.evil' });
    const refused = await send(session, { step: 'passkey', passkey: JSON.stringify(forged) });
    expect([refused.status, refused.text.includes('role="alert"')]).toEqual([400, true]);
    expect((await send(session, { step: 'passkey', passkey: '{' })).status).toBe(400);
    const passkey = JSON.stringify(device.get(optionsIn((await send(session)).text)));
    expect((await send(session, { step: 'passkey', passkey })).status).toBe(303);
    expect((await send(session)).text).toContain('Register a box');
    expect((await send(session, { step: 'passkey', passkey })).status, 'again').toBe(400);
  });
});
