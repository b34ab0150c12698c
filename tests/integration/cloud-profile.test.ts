import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PlacesReply } from '../../src/protocol/accounts';
import type { CloudUser } from '../../src/protocol/cloud-auth';
import type { TestCloud } from '../support/cloud';
import { startCloud } from '../support/cloud';
import { makeOp, newId, photograph, sha256 } from '../support/edge-client';
import type { SignedIn } from '../support/people';
import { registerDevice, signIn, signInStaff } from '../support/people';

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

const set = (hash: string | null, { session }: SignedIn) => cloud.ask<{ user: CloudUser; error: { code: string; message: string } }>('PUT', '/api/account/photo', { sha256: hash }, session);
const shown = (uid: string, headers: Record<string, string> = {}) => fetch(`${cloud.url}/users/${uid}/profile.jpg`, { headers });

describe('1§7: profile photo', () => {
  it('2§7: becomes users/{uid}/profile.jpg: 256 px, without what the camera wrote beside it, for anyone who sees the name', async () => {
    expect((await shown(ana.user.uid)).status).toBe(404);
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
    expect((await fetch(`${cloud.url}/users/${ana.user.uid}/profile.jpg`, { method: 'HEAD' })).headers.get('content-length')).toBe(String(bytes.length));
  });

  it('3§3: stands in the profile that others read, and nobody writes it there', async () => {
    const op = makeOp('profile', { uid: ana.user.uid, name: { first: 'Ana', last: '' }, photoURL: 'https://elsewhere.example/track.gif' }, { by: ana.user.uid as never });
    await cloud.ops([op], undefined, ana.session);
    const { body } = await cloud.get<{ items: { photoURL: string }[] }>(`/api/query/users?uids=${ana.user.uid}`, ben.session);
    expect(body.items[0]!.photoURL).toMatch(/^\/users\//);
    expect(body.items).toEqual([{ uid: ana.user.uid, name: { first: 'Ana', last: '' }, photoURL: body.items[0]!.photoURL }]);
  });

  it('1§6: one’s own alone, of bytes that one brought; what is no picture is refused and changes nothing', async () => {
    const mine = (await cloud.get<{ user: CloudUser }>('/api/me', ana.session)).body.user.photoURL;
    expect(await set(sha256(picture), ben), 'a hash that somebody learned').toMatchObject({ status: 409, body: { error: { code: 'incomplete' } } });
    expect((await set(sha256('nothing'), ana)).status).toBe(409);
    const broken = photograph(3000);
    await cloud.upload(broken, ana.session);
    expect(await set(sha256(broken), ana)).toMatchObject({ status: 415, body: { error: { message: expect.stringContaining('stays as it was') } } });
    for (const bad of [{}, { sha256: 'x' }, { sha256: 7 }, { sha256: sha256(picture), uid: ben.user.uid, admin: true }]) await cloud.ask('PUT', '/api/account/photo', bad, ana.session);
    expect((await cloud.get<{ user: CloudUser }>('/api/me', ana.session)).body.user).toMatchObject({ photoURL: mine, admin: false });
    expect((await shown(ben.user.uid)).status).toBe(404);
    for (const uid of [newId(), '..%2f..', 'x']) expect((await shown(uid)).status, uid).toBe(404);
  });

  it('2§7: brought by one’s tablet too; taken away again; not shown of an account that was disabled', async () => {
    const other = await sharp({ create: { width: 300, height: 500, channels: 4, background: '#fc8cac' } }).png().toBuffer();
    await cloud.upload(other, await registerDevice(cloud, ben));
    expect((await set(sha256(other), ben)).status).toBe(200);
    expect(await sharp(Buffer.from(await (await shown(ben.user.uid)).arrayBuffer())).metadata()).toMatchObject({ format: 'jpeg', width: 256, height: 256 });
    expect((await set(null, ana)).body.user.photoURL).toBeNull();
    expect((await shown(ana.user.uid)).status).toBe(404);
    const staff = await signInStaff(cloud, 'staff@example.org');
    await cloud.post(`/api/admin/users/${ben.user.uid}/roles`, { disabled: true }, staff.session);
    expect((await shown(ben.user.uid)).status).toBe(404);
  });
});

describe('2§5: location search', () => {
  it('2§5: up to five places from three characters on, for whoever is signed in', async () => {
    const ask = (q: string, token: string | null = ana.session) => cloud.get<PlacesReply & Record<string, unknown>>(`/api/places?q=${encodeURIComponent(q)}`, token);
    expect((await ask('Cair')).body.places[0]).toMatchObject({ value: 'Cairns, Queensland, Australia' });
    expect((await ask('ca')).body).toEqual({ ok: true, places: [] });
    expect((await ask(' c ')).body).toEqual({ ok: true, places: [] });
    expect((await ask('no such place')).body).toEqual({ ok: true, places: [] });
    expect((await ask('x'.repeat(201))).status).toBe(400);
    expect((await ask('Cairns', null)).status).toBe(401);
  });
});
