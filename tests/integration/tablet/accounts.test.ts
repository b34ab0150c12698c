import { afterEach, describe, expect, test } from 'vitest';
import { ReefError } from '../../../src/domain/errors';
import type { PersonId } from '../../../src/domain/ids';
import { opIdOf } from '../../../src/domain/ids';
import { draftEdit, sealOp, documentStateOf } from '../../../src/domain/op/draft';
import { hashedText } from '../../../src/protocol/hash';
import type { CloudCall, ScriptedCloud } from '../../support/doubles/scripted-cloud';
import {
  closeTablets,
  runUntil,
  settled,
  shoreScene,
  signInAshore,
  type ShoreScene,
} from '../../support/tablet/tablet-scene';

afterEach(closeTablets);

const FACTS = {
  name: { first: ' Ana ', last: 'Lee' },
  loc: { value: 'Cairns', name: 'Cairns' },
  org: { handle: 'crew', name: 'Crew' },
  optin: false,
  additionalInfo: {},
} as const;

/** Scripts the cloud's account answers; the fake handles every other call. */
function answers(cloud: ScriptedCloud, on: Readonly<Record<string, (call: CloudCall) => object | ReefError>>): void {
  cloud.instead = (call) => {
    const answer = Object.hasOwn(on, call.path) ? on[call.path]?.(call) : undefined;
    return answer === undefined || answer instanceof ReefError ? answer : Response.json({ ok: true, ...answer });
  };
}

/** Signs in the person encoded in the token: `uid|email|first`. */
const byToken =
  (cloud: ScriptedCloud) =>
  ({ body }: CloudCall) => {
    const [uid = '', email = '', first = ''] = String(body['token']).split('|');
    const session = `session of ${uid}`;
    cloud.sessions.add(session);
    return { session, user: { uid, email, name: { first, last: '' } } };
  };

const profilesOf = ({ cloud }: ShoreScene, uid: string) =>
  [...cloud.ops.values()].filter(({ kind, docId }) => kind === 'profile' && docId === uid);

describe('2§4 accounts on a tablet', () => {
  test('2§2, 3§4 a new account keeps its typed name on the tablet and in the profile with its opt-in', async () => {
    const scene = await shoreScene();
    const { clock, cloud, tablet } = scene;
    const {
      account,
      account: { people },
    } = tablet.repositories;
    answers(cloud, {
      '/api/fn/create-account': () => ({ token: 'AccountOfAna00001|ana@example.org|' }),
      '/api/auth/custom-token': byToken(cloud),
    });
    await account.signIn.pinCloud(cloud.origin);
    await account.signIn.createAccount({
      email: ' ana@example.org ',
      name: { first: 'Ana', last: 'Lee' },
      optin: false,
      handle: 'reef-week',
    });
    expect(cloud.heard('/api/fn/create-account')[0]?.body).toEqual({
      email: 'ana@example.org',
      name: { first: 'Ana', last: 'Lee' },
      optin: false,
      handle: 'reef-week',
    });
    expect(people.current.get()).toMatchObject({
      uid: 'AccountOfAna00001',
      name: { first: 'Ana', last: 'Lee' },
      pending: false,
    });
    await runUntil(clock, settled(tablet), 'all ashore');
    expect(profilesOf(scene, 'AccountOfAna00001').map(({ body, by }) => [body['name'], body['optin'], by])).toEqual([
      [{ first: 'Ana', last: 'Lee' }, false, 'AccountOfAna00001'],
    ]);
  });

  test('2§4 an address in use returns its error code, and no one is signed in', async () => {
    const { cloud, tablet } = await shoreScene();
    const {
      account,
      account: { people },
    } = tablet.repositories;
    answers(cloud, {
      '/api/fn/create-account': () => new ReefError('bad-message', { auth: 'auth/email-already-in-use' }),
      '/api/fn/sign-in-with-password': () => new ReefError('bad-message', { auth: 'auth/wrong-password' }),
    });
    await account.signIn.pinCloud(cloud.origin);
    await expect(account.signIn.createAccount({ email: 'ana@example.org' })).rejects.toMatchObject({
      details: { auth: 'auth/email-already-in-use' },
    });
    await expect(account.signIn.signInWithPassword('ana@example.org', 'x')).rejects.toMatchObject({
      details: { auth: 'auth/wrong-password' },
    });
    expect([people.current.get(), account.signIn.facts.get().account]).toEqual([null, null]);
  });

  test('2§3 a nameless person is "Anonymous", and an anonymous session upgrades to an account', async () => {
    const scene = await shoreScene();
    const { clock, cloud, tablet } = scene;
    const {
      account,
      account: { people },
    } = tablet.repositories;
    answers(cloud, {
      '/api/fn/sign-in-anonymously': () => ({ token: 'Nameless000000001||' }),
      '/api/fn/create-account': () => ({ token: 'Nameless000000001|ana@example.org|Ana' }),
      '/api/auth/custom-token': byToken(cloud),
    });
    await account.signIn.pinCloud(cloud.origin);
    await account.signIn.signInAnonymously();
    expect(people.current.get()).toMatchObject({ uid: 'Nameless000000001', name: { first: 'Anonymous' }, email: '' });
    await runUntil(clock, settled(tablet), 'nothing owed');
    expect(profilesOf(scene, 'Nameless000000001')).toEqual([]);
    await account.signIn.createAccount({ email: 'ana@example.org' });
    expect(cloud.heard('/api/fn/create-account')[0]?.bearer).toBe('session of Nameless000000001');
    expect(people.current.get()).toMatchObject({ uid: 'Nameless000000001', name: { first: 'Ana' } });
    expect(await tablet.context.store.getMeta('people')).toEqual({ Nameless000000001: 'ana@example.org' });
  });
});

describe('2§5 the profile', () => {
  test('2§5 an offline edit is an op, validated with the prescribed texts, and sent later', async () => {
    const scene = await shoreScene();
    const { clock, cloud, tablet } = scene;
    await signInAshore(scene);
    await runUntil(clock, settled(tablet), 'nothing owed');
    cloud.down = true;
    const {
      account: { people, profile },
    } = tablet.repositories;
    await expect(profile.save({ ...FACTS, name: { first: ' ', last: 'Lee' } })).rejects.toMatchObject({
      code: 'bad-message',
      message: 'Validation failed: First name is required',
    });
    await profile.save(FACTS);
    await profile.save({ ...FACTS, optin: true });
    expect(people.current.get()).toMatchObject({ name: { first: 'Ana', last: 'Lee' }, org: { handle: 'crew' } });
    cloud.down = false;
    await runUntil(clock, () => profilesOf(scene, cloud.person.uid).length === 2, 'both ashore');
    const [first, edit] = profilesOf(scene, cloud.person.uid);
    expect(first?.body).toMatchObject({
      uid: cloud.person.uid,
      email: cloud.person.email,
      name: { first: 'Ana', last: 'Lee' },
      loc: { value: 'Cairns' },
      optin: false,
    });
    expect(Object.keys(edit?.over ?? {})).toEqual(['optin']);
  });

  test('3§4 a name changed elsewhere appears on the tablet', async () => {
    const scene = await shoreScene();
    const { clock, cloud, tablet } = scene;
    const {
      account: { people, profile },
    } = tablet.repositories;
    await signInAshore(scene);
    await profile.save(FACTS);
    await runUntil(clock, () => profilesOf(scene, cloud.person.uid).length === 1, 'ashore');
    const uid = cloud.person.uid as PersonId;
    const edit = draftEdit(
      documentStateOf('profile', uid, profilesOf(scene, uid)),
      { name: { first: 'Anna', last: 'Lee' } },
      { by: uid, madeAt: '2026-11-22T00:00:00.000Z', schema: 1 },
    );
    if (edit === undefined) throw new Error('nothing changed');
    cloud.write(
      sealOp(
        edit,
        opIdOf('OtherDevice00001' as never, 1),
        (await tablet.context.store.host.sha256(hashedText(edit.body))) as never,
      ),
    );
    const stop = profile.follow();
    await runUntil(clock, () => people.current.get()?.name.first === 'Anna', 'the new name');
    stop();
  });

  test('2§7 places, organisations and extra fields are empty on failure or the last known', async () => {
    const { cloud, tablet } = await shoreScene();
    const {
      account,
      account: { profile },
    } = tablet.repositories;
    expect(await Promise.all([profile.places('cai'), profile.organisations('c'), profile.fields()])).toEqual([
      [],
      [],
      [],
    ]);
    await account.signIn.pinCloud(cloud.origin);
    const place = {
      id: 'p1',
      value: 'Cairns, Australia',
      name: 'Cairns',
      country: 'Australia',
      _geoloc: { lat: -16.9, lng: 145.8 },
    };
    answers(cloud, {
      '/api/places': () => ({
        places: [...Array.from({ length: 6 }, (_, i) => ({ ...place, id: `p${i}` })), { id: 7 }],
      }),
      '/api/query/organisations': () => ({
        items: [{ id: 'o', handle: 'crew', name: 'Crew' }, { handle: 'cairns' }, {}],
        next: null,
      }),
    });
    cloud.references.set('profile-fields', [
      { id: 'school', label: ' School ', required: true },
      { id: 'school', label: 'twice' },
      { id: 'a b', label: 'x' },
      { label: 'none' },
    ]);
    expect((await profile.places('cai')).map(({ id }) => id)).toEqual(['p0', 'p1', 'p2', 'p3', 'p4']);
    expect(await profile.organisations('c')).toEqual([
      { handle: 'crew', name: 'Crew' },
      { handle: 'cairns', name: 'cairns' },
    ]);
    const fields = [{ id: 'school', label: 'School', required: true }];
    expect(await profile.fields()).toEqual(fields);
    cloud.down = true;
    expect([await profile.places('cai'), await profile.fields()]).toEqual([[], fields]);
  });

  test('2§7 a list that staff never put is not asked for, as a browser logs each 404 as an error', async () => {
    const scene = await shoreScene();
    const { clock, cloud, tablet } = scene;
    await signInAshore(scene);
    await runUntil(clock, settled(tablet), 'all ashore');
    expect(await tablet.repositories.account.profile.fields()).toEqual([]);
    expect(cloud.heard('/api/reference')).not.toEqual([]);
    expect(cloud.heard('/api/reference/')).toEqual([]);
  });

  test('2§7 a profile photo goes ashore as the person’s and appears on this tablet', async () => {
    const scene = await shoreScene();
    const { clock, cloud, tablet } = scene;
    const {
      account: { profile },
    } = tablet.repositories;
    const picture = new Blob([new Uint8Array(3000)], { type: 'image/jpeg' });
    await expect(profile.setPhoto(picture)).rejects.toMatchObject({ code: 'unauthorised' });
    await signInAshore(scene);
    const [session = ''] = cloud.sessions;
    cloud.credentials.add(session);
    answers(cloud, { '/api/account/photo': () => ({}) });
    const upload = await profile.setPhoto(picture);
    await runUntil(clock, () => upload.facts.get().status === 'done', 'it arrived');
    const [call] = cloud.heard('/api/account/photo');
    expect([call?.method, call?.bearer, cloud.bytes.has(String(call?.body['sha256']))]).toEqual(['PUT', session, true]);
    await runUntil(clock, () => profile.photo.get()?.size === 3000, 'it shows here');
  });
});
