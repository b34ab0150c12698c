import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { READ_SIGNATURES } from '../../cloud-sync/api/reads/reads';
import type { Op } from '../../src/domain/op/op';
import { CLOUD_POLICY } from '../../src/domain/policy/cloud-policy';
import type { CloudOpResult } from '../../src/protocol/cloud-http';
import type { TestCloud } from '../support/servers/cloud';
import { startCloud } from '../support/servers/cloud';
import type { TestDeviceKey } from '../support/servers/device-keys';
import { askToCertify, newDeviceKey, signedBy } from '../support/servers/device-keys';
import { imageOp, makeOp, newId, photograph, sha256, surveyOp } from '../support/servers/edge-client';
import { codeIn, outboxMails } from '../support/servers/mail';
import type { SignedIn } from '../support/servers/people';
import { registerDevice, signIn } from '../support/servers/people';
import type { RealTablet } from '../support/tablet/real-scene';
import { survey } from '../support/tablet/real-scene';
import { openTestTablet, photograph as picture, until } from '../support/tablet/tablet';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startCloud();
});
afterAll(() => cloud.close());

interface Lost {
  readonly id: string;
  readonly credential: string;
  readonly key: TestDeviceKey;
  /** Session of the person on another tablet. */
  readonly owner: SignedIn;
  /** Survey of theirs that is stored ashore. */
  readonly survey: Op;
}

/** Tablet that a person registered, wrote with and then revoked from another one. */
async function lostTablet(email: string): Promise<Lost> {
  const [person, owner] = [await signIn(cloud, email), await signIn(cloud, email)];
  const [id, key] = [newId(), newDeviceKey()];
  const credential = await registerDevice(cloud, person, id);
  expect((await askToCertify(cloud, person, key)).status).toBe(200);
  const survey = signedBy(key, surveyOp(person.user.uid));
  expect(accepted(await cloud.ops([survey], undefined, credential))).toEqual([true]);
  expect((await cloud.get('/api/changes', credential)).status, 'it reads until then').toBe(200);
  expect((await cloud.post('/api/devices/revoke', { device: { id } }, owner.session)).status).toBe(200);
  return { id, credential, key, owner, survey };
}

const accepted = (results: readonly CloudOpResult[]) =>
  results.map((result) => ('receipt' in result ? result.receipt.accepted : result));
const deliver = ({ credential }: Lost, ops: readonly object[]) => cloud.ops(ops, undefined, credential);
const nameAshore = async ({ owner }: Lost) =>
  (await cloud.cloud.context.store.document('profile', owner.user.uid))?.folded.doc['name'];

describe('a tablet revoked ashore', () => {
  it('reads nothing: every read and every other call is forbidden', async () => {
    const { credential, survey } = await lostTablet('reads@example.org');
    const delivers = [
      'POST /api/ops',
      'POST /api/have',
      'POST /api/uploads',
      'PATCH /api/uploads/:id',
      'GET /api/uploads/:id',
    ];
    for (const [route, roles] of Object.entries(CLOUD_POLICY)) {
      if (roles.includes('anyone')) continue;
      const [method = '', place = ''] = route.split(' ');
      const { status, body } = await cloud
        .ask<{ error?: object }>(
          method,
          place.replace(/:\w+/g, survey.docId),
          method === 'GET' ? undefined : {},
          credential,
        )
        .catch(() => ({ status: 403, body: { error: { code: 'forbidden', field: 'device' } } }));
      if (delivers.includes(route)) expect(status, route).not.toBe(403);
      else if (!route.includes('/console'))
        expect([status, body], route).toMatchObject([403, { error: { code: 'forbidden', field: 'device' } }]);
      else expect(status, route).toBe(403);
    }
    for (const [name, { audience }] of Object.entries(READ_SIGNATURES))
      if (audience !== 'anyone') expect((await cloud.get(`/api/query/${name}`, credential)).status, name).toBe(403);
    expect((await cloud.get('/api/reference/revocations', credential)).status).toBe(403);
  });

  it('delivers what it owes, with receipts, and what names a person waits for them', async () => {
    const lost = await lostTablet('owes@example.org');
    const { uid } = lost.owner.user;
    const content = photograph(5000);
    const next = signedBy(lost.key, surveyOp(uid));
    const body = { ...imageOp(next.docId, content).body, user: { uid } };
    const image = signedBy(lost.key, makeOp('image', body, { by: uid as never }));
    const nobodys = makeOp('survey', surveyOp().body);
    expect(await deliver(lost, [next, image])).toMatchObject([
      { receipt: { accepted: false } },
      { needs: [sha256(content)] },
    ]);
    expect(await cloud.upload(content, lost.credential)).toMatchObject({ ok: true, offset: content.length });
    expect(await deliver(lost, [image, nobodys])).toMatchObject([
      { receipt: { accepted: false, blob: { sha256: sha256(content) } } },
      { receipt: { accepted: true } },
    ]);
    const { context } = cloud.cloud;
    expect(await context.store.document('survey', next.docId)).toBeUndefined();
    const again = await signIn(cloud, lost.owner.user.email);
    await registerDevice(cloud, again, lost.id);
    await vi.waitFor(async () => {
      expect(await context.store.document('survey', next.docId)).toBeDefined();
      expect(await context.store.document('image', image.docId)).toBeDefined();
    }, 30_000);
  });

  it('speaks for nobody: neither its person nor another of the tablet, signed or not', async () => {
    const lost = await lostTablet('speaks@example.org');
    const { uid, email } = lost.owner.user;
    const mate = await signIn(cloud, 'mate@example.org');
    const { body } = await cloud.post(
      '/api/devices',
      { device: { id: newId(), name: 'Same' }, before: lost.credential },
      mate.session,
    );
    expect(body).toMatchObject({ ok: true });
    const edit = (more: object, by: string | null) =>
      makeOp('survey', { ...lost.survey.body, ...more }, by === null ? {} : { by: by as never });
    const profile = (by: string) =>
      makeOp('profile', { uid: by, email, name: { first: 'Thief', last: '' } }, { by: by as never });
    const forged: readonly object[] = [
      edit({ notes: 'mine' }, uid),
      signedBy(lost.key, edit({ notes: 'mine' }, uid)),
      { op: edit({ notes: 'mine' }, null), by: uid },
      surveyOp(uid),
      signedBy(lost.key, surveyOp(uid)),
      surveyOp(mate.user.uid),
      profile(uid),
      signedBy(lost.key, profile(uid)),
      profile(mate.user.uid),
    ];
    expect(accepted(await deliver(lost, forged))).toEqual(forged.map(() => false));
    const stored = await cloud.cloud.context.store.document('survey', lost.survey.docId);
    expect(stored?.folded.doc['notes']).toBeUndefined();
    expect(await nameAshore(lost)).not.toMatchObject({ first: 'Thief' });
  });

  it('the app goes on sending, says that it was revoked, and is itself again after a sign-in', async () => {
    const email = 'app@example.org';
    const [tablet, home] = [await openTestTablet({ name: 'Lost' }), await openTestTablet({ name: 'Home' })];
    try {
      const { signIn: shore } = tablet.repositories.account;
      const { context } = cloud.cloud;
      await signInHere(tablet, email);
      const id = await survey(tablet);
      await until(async () => (await context.store.document('survey', id)) !== undefined, 'the survey is ashore');
      await signInHere(home, email);
      const { settings } = home.repositories.account;
      const [lost, own] = [...(await settings.tablets())].sort((a, b) => Number(a.current) - Number(b.current));
      expect([lost, own]).toMatchObject([
        { name: 'Lost', revokedAt: null, current: false },
        { name: 'Home', revokedAt: null, current: true },
      ]);
      await settings.revokeTablet(lost!.id);
      expect((await settings.tablets()).filter(({ revokedAt }) => revokedAt !== null)).toMatchObject([
        { id: lost!.id },
      ]);
      tablet.context.cloudLink.drop();
      const image = await tablet.repositories.census.images.addPhotograph(picture(1), id);
      await until(async () => context.blobs.has(image.sha256), 'the bytes are ashore');
      await until(() => shore.facts.get().link === 'revoked', 'the tablet is told');
      await until(() => tablet.context.cloudLink.state.get().status === 'idle', 'nothing is left to send');
      expect(shore.facts.get().link, 'it says so without a connection').toBe('revoked');
      await signInHere(tablet, email);
      await until(async () => (await context.store.document('image', image.id)) !== undefined, 'its record counts');
      await until(() => shore.facts.get().link !== 'revoked', 'the tablet is known again');
    } finally {
      await tablet.close();
      await home.close();
    }
  });
});

async function signInHere({ repositories: { account } }: RealTablet, email: string): Promise<void> {
  await account.signIn.pinCloud(cloud.url);
  await account.signIn.sendCode(email);
  await account.signIn.withCode(email, codeIn(outboxMails(cloud.outbox), email));
}
