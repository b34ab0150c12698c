import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { removeIdlePeople } from '../../../../cloud-sync/api/accounts/people/idle-people';
import type { PlacesReply } from '../../../../src/protocol/accounts';
import type { CloudUser } from '../../../../src/protocol/cloud-auth';
import type { TestCloud } from '../../../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../../../support/servers/cloud';
import { imageOp, makeOp, newId, photograph, sha256, surveyOp } from '../../../support/servers/edge-client';
import { codeIn, outboxMails } from '../../../support/servers/mail';
import type { SignedIn } from '../../../support/servers/people';
import { registerDevice, signIn, signInStaff } from '../../../support/servers/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let cloud: TestCloud;
let ana: SignedIn;
let ben: SignedIn;
let picture: Buffer;

beforeAll(async () => {
  cloud = await startCloud();
  [ana, ben] = [await signIn(cloud, 'ana@example.org'), await signIn(cloud, 'ben@example.org')];
  picture = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#4cc5c6' } })
    .withExif({ IFD0: { Make: 'Secret camera' }, IFD3: { GPSLatitudeRef: 'S', GPSLatitude: '16/1 55/1 0/1' } })
    .jpeg()
    .toBuffer();
});
afterAll(() => cloud.close());

const set = (hash: string | null, { session }: SignedIn) =>
  cloud.ask<{ user: CloudUser; error: { code: string; message: string } }>(
    'PUT',
    '/api/account/photo',
    { sha256: hash },
    session,
  );
const shown = (uid: string, headers: Record<string, string> = {}) =>
  fetch(`${cloud.url}/users/${uid}/profile.jpg`, { headers });

describe('1§7: profile photo', () => {
  it('2§7: an upload becomes users/{uid}/profile.jpg at 256 px, without metadata', async () => {
    expect((await shown(ana.user.uid)).status).toBe(404);
    // A browser would log a 404 as an error, at each start of the app.
    expect((await fetch(`${cloud.url}/users/${ana.user.uid}/profile.jpg?none=204`)).status).toBe(204);
    await cloud.upload(picture, ana.session);
    const { status, body } = await set(sha256(picture), ana);
    expect(status).toBe(200);
    expect(body.user.photoURL).toMatch(new RegExp(`^/users/${ana.user.uid}/profile\\.jpg\\?v=`));
    const answer = await fetch(new URL(body.user.photoURL!, cloud.url));
    expect(answer.headers.get('content-type')).toBe('image/jpeg');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 256, height: 256 });
    expect((await sharp(bytes).metadata()).exif).toBeUndefined();
    expect(bytes.includes('Secret camera')).toBe(false);
    expect(picture.includes('Secret camera')).toBe(true);
    const etag = answer.headers.get('etag')!;
    expect((await shown(ana.user.uid, { 'if-none-match': etag })).status).toBe(304);
    expect(
      (await fetch(`${cloud.url}/users/${ana.user.uid}/profile.jpg`, { method: 'HEAD' })).headers.get('content-length'),
    ).toBe(String(bytes.length));
  });

  it('3§3: the public profile shows it, and no client writes it there', async () => {
    const op = makeOp(
      'profile',
      { uid: ana.user.uid, name: { first: 'Ana', last: '' }, photoURL: 'https://elsewhere.example/track.gif' },
      { by: ana.user.uid as never },
    );
    await cloud.ops([op], undefined, ana.session);
    const { body } = await cloud.get<{ items: { photoURL: string }[] }>(
      `/api/query/users?uids=${ana.user.uid}`,
      ben.session,
    );
    expect(body.items[0]!.photoURL).toMatch(/^\/users\//);
    expect(body.items).toEqual([
      { uid: ana.user.uid, name: { first: 'Ana', last: '' }, photoURL: body.items[0]!.photoURL },
    ]);
  });

  it('1§6: a person sets only their own, from their own bytes; an invalid picture is refused', async () => {
    const mine = (await cloud.get<{ user: CloudUser }>('/api/me', ana.session)).body.user.photoURL;
    expect(await set(sha256(picture), ben), 'a hash learned from elsewhere').toMatchObject({
      status: 409,
      body: { error: { code: 'incomplete' } },
    });
    expect((await set(sha256('nothing'), ana)).status).toBe(409);
    const broken = photograph(3000);
    await cloud.upload(broken, ana.session);
    expect(await set(sha256(broken), ana)).toMatchObject({
      status: 415,
      body: { error: { message: expect.stringContaining('is unchanged') } },
    });
    for (const bad of [{}, { sha256: 'x' }, { sha256: 7 }, { sha256: sha256(picture), uid: ben.user.uid, admin: true }])
      await cloud.ask('PUT', '/api/account/photo', bad, ana.session);
    expect((await cloud.get<{ user: CloudUser }>('/api/me', ana.session)).body.user).toMatchObject({
      photoURL: mine,
      admin: false,
    });
    expect((await shown(ben.user.uid)).status).toBe(404);
    for (const uid of [newId(), '..%2f..', 'x']) expect((await shown(uid)).status, uid).toBe(404);
  });

  it('2§7: a tablet can upload it, removal works, and disabled accounts do not show it', async () => {
    const other = await sharp({ create: { width: 300, height: 500, channels: 4, background: '#fc8cac' } })
      .png()
      .toBuffer();
    await cloud.upload(other, await registerDevice(cloud, ben));
    expect((await set(sha256(other), ben)).status).toBe(200);
    expect(await sharp(Buffer.from(await (await shown(ben.user.uid)).arrayBuffer())).metadata()).toMatchObject({
      format: 'jpeg',
      width: 256,
      height: 256,
    });
    expect((await set(null, ana)).body.user.photoURL).toBeNull();
    expect((await shown(ana.user.uid)).status).toBe(404);
    const staff = await signInStaff(cloud, 'staff@example.org');
    await cloud.post(`/api/admin/users/${ben.user.uid}/roles`, { disabled: true }, staff.session);
    expect((await shown(ben.user.uid)).status).toBe(404);
  });
});

describe('1§4, 2§7: unused data', () => {
  const plain = (background: string) =>
    sharp({ create: { width: 320, height: 320, channels: 3, background } })
      .jpeg()
      .toBuffer();
  const has = (content: Buffer) => cloud.cloud.context.blobs.has(sha256(content));

  it('2§7: bytes of an unused profile photo are deleted unless a record or profile needs them', async () => {
    const [cleo, dan] = [await signIn(cloud, 'cleo@example.org'), await signIn(cloud, 'dan@example.org')];
    const [one, two, census] = [await plain('#003556'), await plain('#ffeab6'), await plain('#4cc5c6')];
    for (const content of [one, two, census]) {
      await cloud.upload(content, cleo.session);
      expect((await set(sha256(content), cleo)).status).toBe(200);
      // Same picture of two people is stored once.
      if (content === two) {
        await cloud.cloud.context.blobAccess.recordUploader(sha256(two), {
          roles: new Set(['anyone', 'person'] as const),
          person: dan.user.uid as never,
          deviceId: null,
          node: null,
        });
        expect((await set(sha256(two), dan)).status).toBe(200);
      }
    }
    await expect.poll(() => has(one)).toBe(false);
    const survey = surveyOp(cleo.user.uid);
    expect(
      await cloud.ops(
        [
          survey,
          makeOp(
            'image',
            { ...imageOp(survey.docId, census).body, user: { uid: cleo.user.uid } },
            { by: cleo.user.uid as never },
          ),
        ],
        undefined,
        cleo.session,
      ),
    ).toMatchObject([{ receipt: { accepted: true } }, { receipt: { accepted: true } }]);
    expect((await set(null, cleo)).status).toBe(200);
    await cloud.cloud.context.housekeeping.run();
    expect([await has(one), await has(two), await has(census)]).toEqual([false, true, true]);
    expect((await shown(dan.user.uid)).status).toBe(200);
    expect((await set(null, dan)).status).toBe(200);
    await expect.poll(() => has(two)).toBe(false);
    expect((await shown(dan.user.uid)).status).toBe(404);
    // It can be uploaded and shown again.
    await cloud.upload(two, dan.session);
    expect((await set(sha256(two), dan)).status).toBe(200);
    expect((await shown(dan.user.uid)).status).toBe(200);
  });

  it('1§4: an idle anonymous account without work is deleted with all its data', async () => {
    const { pool } = cloud.cloud.context.database;
    const anonymous = async (): Promise<SignedIn> => {
      const { body } = await cloud.post<{ token: string }>('/api/fn/sign-in-anonymously', {}, null);
      return (
        await cloud.post<SignedIn & Record<string, unknown>>('/api/auth/custom-token', { token: body.token }, null)
      ).body;
    };
    const [looked, wrote, brought, held, back] = [
      await anonymous(),
      await anonymous(),
      await anonymous(),
      await anonymous(),
      await anonymous(),
    ];
    const tablet = await registerDevice(cloud, looked);
    expect((await cloud.post('/api/log', { message: 'it stopped', uid: looked.user.uid }, looked.session)).status).toBe(
      200,
    );
    expect(await cloud.ops([surveyOp(wrote.user.uid)], undefined, wrote.session)).toMatchObject([
      { receipt: { accepted: true } },
    ]);
    await cloud.upload(await plain('#02253b'), brought.session);
    expect(
      await cloud.ops(
        [makeOp('profile', { uid: ana.user.uid, name: { first: 'X', last: '' } }, { by: held.user.uid as never })],
        undefined,
        held.session,
      ),
    ).toMatchObject([{ receipt: { accepted: false } }]);
    const left = async () =>
      (
        await pool.query<{ id: string }>('SELECT "id" AS id FROM auth."user" WHERE "id" = ANY($1::text[])', [
          [looked, wrote, brought, held, back].map(({ user }) => user.uid),
        ])
      ).rows
        .map(({ id }) => id)
        .sort();
    const everybody = await left();
    expect(everybody).toHaveLength(5);
    const DAY = 86_400_000;
    expect(await removeIdlePeople(pool, Date.now() + 29 * DAY, 30)).toBe(0);
    await pool.query('UPDATE auth."session" SET "updatedAt" = $2 WHERE "userId" = $1', [
      back.user.uid,
      new Date(Date.now() + 20 * DAY),
    ]);
    expect(await removeIdlePeople(pool, Date.now() + 31 * DAY, 30)).toBe(1);
    expect(await left()).toEqual(everybody.filter((uid) => uid !== looked.user.uid));
    cloud.cloud.context.accounts.callers.clearCache();
    expect((await cloud.get('/api/me', looked.session)).status).toBe(401);
    expect((await cloud.post('/api/have', { sha256: [] }, tablet)).status).toBe(401);
    for (const table of ['auth.person', 'auth."session"', 'auth.device', 'owned_fields', 'error_groups']) {
      const { rows } = await pool.query<{ row: string }>(
        `SELECT t::text AS row FROM ${table} t WHERE strpos(t::text, $1) > 0`,
        [looked.user.uid],
      );
      expect(rows, table).toEqual([]);
    }
    expect((await cloud.get('/api/me', ana.session)).status).toBe(200);
  });

  it('1§3: a new address reaches the public profile without a new sign-in', async () => {
    const { store, accounts } = cloud.cloud.context;
    const person = await signIn(cloud, 'before@first.example');
    const owned = async () => (await store.document('profile', person.user.uid))?.owned;
    await cloud.ops(
      [makeOp('profile', { uid: person.user.uid, name: { first: 'P', last: '' } }, { by: person.user.uid as never })],
      undefined,
      person.session,
    );
    expect(await owned()).toMatchObject({ domains: ['first.example'], isEmailVerified: true });
    expect((await cloud.post('/api/account/email', { email: 'after@second.example' }, person.session)).status).toBe(
      200,
    );
    const verificationCode = codeIn(outboxMails(cloud.outbox), 'after@second.example');
    expect(
      (
        await cloud.post(
          '/api/account/email/confirm',
          { email: 'after@second.example', verificationCode },
          person.session,
        )
      ).status,
    ).toBe(200);
    expect(await owned()).toMatchObject({ domains: ['first.example', 'second.example'], isEmailVerified: true });
    // Proven by the owner of an address that someone else registered.
    const { body: made } = await cloud.post<{ token: string }>(
      '/api/fn/create-account',
      { email: 'claimed@third.example', password: 'six of it' },
      null,
    );
    const { user } = (
      await cloud.post<SignedIn & Record<string, unknown>>('/api/auth/custom-token', { token: made.token }, null)
    ).body;
    const profile = makeOp('profile', { uid: user.uid, name: { first: 'C', last: '' } }, { by: user.uid as never });
    await cloud.ops([profile], undefined, STAFF_TOKEN);
    expect((await store.document('profile', user.uid))?.owned).toMatchObject({ domains: [], isEmailVerified: false });
    await accounts.accountCreation.findOrCreateByEmail('claimed@third.example');
    expect((await store.document('profile', user.uid))?.owned).toMatchObject({
      domains: ['third.example'],
      isEmailVerified: true,
    });
  });
});

describe('2§5: location search', () => {
  it('2§5: a signed-in user gets up to five places from three characters on', async () => {
    const ask = (q: string, token: string | null = ana.session) =>
      cloud.get<PlacesReply & Record<string, unknown>>(`/api/places?q=${encodeURIComponent(q)}`, token);
    expect((await ask('Cair')).body.places[0]).toMatchObject({ value: 'Cairns, Queensland, Australia' });
    expect((await ask('ca')).body).toEqual({ ok: true, places: [] });
    expect((await ask(' c ')).body).toEqual({ ok: true, places: [] });
    expect((await ask('no such place')).body).toEqual({ ok: true, places: [] });
    expect((await ask('x'.repeat(201))).status).toBe(400);
    expect((await ask('Cairns', null)).status).toBe(401);
  });
});
