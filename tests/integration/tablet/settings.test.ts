import { afterEach, describe, expect, test } from 'vitest';
import { ReefError } from '../../../src/domain/errors';
import type { CloudCall, ScriptedCloud } from '../../support/doubles/scripted-cloud';
import {
  addSurvey,
  closeTablets,
  runUntil,
  settled,
  shoreScene,
  signInAshore,
  type ShoreScene,
} from '../../support/tablet/tablet-scene';

afterEach(closeTablets);

/** Scripts the cloud's account answers. */
function answers(cloud: ScriptedCloud, on: Readonly<Record<string, (call: CloudCall) => object | ReefError>>): void {
  cloud.instead = (call) => {
    const answer = Object.hasOwn(on, call.path) ? on[call.path]?.(call) : undefined;
    return answer === undefined || answer instanceof ReefError ? answer : Response.json({ ok: true, ...answer });
  };
}
const lastOf = (cloud: ScriptedCloud, path: string) => cloud.heard(path).at(-1);
const sessionOf = ({ cloud }: ShoreScene): string => [...cloud.sessions].at(-1) ?? 'none';

describe('1§4 account settings on the tablet', () => {
  test('1§4 settings read the account, change the password, link and unlink in the session', async () => {
    const scene = await shoreScene();
    const { cloud, tablet } = scene;
    await signInAshore(scene);
    answers(cloud, {
      '/api/me': () => ({
        user: { uid: cloud.person.uid, email: 'ana@example.org', isEmailVerified: true, anonymous: false },
      }),
      '/api/auth/providers': () => ({
        password: true,
        providers: [
          { id: 'github', name: 'GitHub', linked: true },
          { id: 'of-tomorrow', name: 'X', linked: false },
        ],
      }),
      '/api/account/password': () => ({}),
      '/api/auth/providers/github/start': () => ({ url: 'https://github.test/', state: 's', from: cloud.origin }),
      '/api/auth/providers/github/finish': () => ({}),
      '/api/auth/providers/github/unlink': () => new ReefError('forbidden', { field: 'id', message: 'The only way.' }),
    });
    const { settings } = tablet.repositories.account;
    expect(await settings.read()).toEqual({
      email: 'ana@example.org',
      isEmailVerified: true,
      anonymous: false,
      hasPassword: true,
      providers: [{ id: 'github', name: 'GitHub', linked: true }],
    });
    await settings.changePassword('coral and sand', '');
    expect(lastOf(cloud, '/api/account/password')).toMatchObject({
      bearer: sessionOf(scene),
      body: { password: 'coral and sand' },
    });
    await settings.changePassword('sand and coral', 'coral and sand');
    expect(lastOf(cloud, '/api/account/password')?.body).toEqual({
      password: 'sand and coral',
      current: 'coral and sand',
    });
    expect(await settings.startLinkingProvider('github', 'https://app.test')).toEqual({
      url: 'https://github.test/',
      state: 's',
      from: cloud.origin,
    });
    expect(lastOf(cloud, '/api/auth/providers/github/start')?.body).toEqual({
      mode: 'link',
      origin: 'https://app.test',
    });
    await settings.finishLinkingProvider('github', 'ticket');
    expect(lastOf(cloud, '/api/auth/providers/github/finish')).toMatchObject({
      bearer: sessionOf(scene),
      body: { ticket: 'ticket' },
    });
    await expect(settings.unlinkProvider('github')).rejects.toMatchObject({
      code: 'forbidden',
      message: 'The only way.',
    });
  });

  test('1§4 a new address with a confirmed code applies on the tablet and in the profile', async () => {
    const scene = await shoreScene();
    const { clock, cloud, tablet } = scene;
    await signInAshore(scene);
    const {
      account,
      account: { people, profile },
    } = tablet.repositories;
    await profile.save({ name: { first: 'Ana', last: 'Reef' }, loc: null, org: null, optin: true, additionalInfo: {} });
    let isRight = false;
    answers(cloud, {
      '/api/account/email': () => ({}),
      '/api/account/email/confirm': () =>
        isRight ? {} : new ReefError('bad-message', { auth: 'auth/invalid-verification-code' }),
    });
    const { settings } = account;
    await settings.sendEmailChangeCode(' new@example.org ');
    expect(lastOf(cloud, '/api/account/email')?.body).toEqual({ email: 'new@example.org' });
    await expect(settings.changeEmail('new@example.org', '111 111')).rejects.toMatchObject({
      details: { auth: 'auth/invalid-verification-code' },
    });
    expect(people.current.get()?.email).toBe('ana@example.org');
    isRight = true;
    await settings.changeEmail('new@example.org', '246 810');
    expect(lastOf(cloud, '/api/account/email/confirm')?.body).toEqual({
      email: 'new@example.org',
      verificationCode: '246810',
    });
    expect([
      people.current.get()?.email,
      people.current.get()?.uid,
      await tablet.context.store.getMeta('people'),
    ]).toEqual(['new@example.org', cloud.person.uid, { [cloud.person.uid]: 'new@example.org' }]);
    await runUntil(clock, settled(tablet), 'all ashore');
    expect([...cloud.ops.values()].filter(({ kind }) => kind === 'profile').map(({ body }) => body['email'])).toEqual([
      'ana@example.org',
      'new@example.org',
    ]);
    expect(account.signIn.facts.get().account?.email).toBe('new@example.org');
  });

  test('1§8, 2§7 a photo is removed ashore and here, and without a session nothing is requested', async () => {
    const scene = await shoreScene();
    const { cloud, tablet } = scene;
    const {
      account,
      account: { profile },
    } = tablet.repositories;
    await expect(profile.removePhoto()).rejects.toMatchObject({ code: 'unauthorised' });
    await expect(account.settings.read()).rejects.toMatchObject({
      code: 'unauthorised',
      message: 'No user is currently signed in',
    });
    expect(cloud.heard('/api/account')).toEqual([]);
    await signInAshore(scene);
    await tablet.context.store.setMeta('photo', { uid: cloud.person.uid, picture: new Blob(['picture']) });
    answers(cloud, { '/api/account/photo': () => new ReefError('unauthorised') });
    await expect(profile.removePhoto()).rejects.toMatchObject({ code: 'unauthorised' });
    expect(await tablet.context.store.getMeta('photo')).toBeDefined();
    answers(cloud, { '/api/account/photo': () => ({}) });
    await profile.removePhoto();
    expect(lastOf(cloud, '/api/account/photo')).toMatchObject({
      method: 'PUT',
      bearer: sessionOf(scene),
      body: { sha256: null },
    });
    expect(await tablet.context.store.getMeta('photo')).toBeUndefined();
  });
});

test('2§5 places are searched in the person’s session, which the cloud requires', async () => {
  const scene = await shoreScene();
  const { cloud, tablet } = scene;
  await signInAshore(scene);
  cloud.instead = ({ path, bearer }) =>
    path !== '/api/places'
      ? undefined
      : cloud.sessions.has(bearer)
        ? Response.json({
            ok: true,
            places: [
              { id: 'p', value: 'Cairns', name: 'Cairns', country: 'Australia', _geoloc: { lat: -16.9, lng: 145.8 } },
            ],
          })
        : new ReefError('unauthorised');
  expect((await tablet.repositories.account.profile.places('cai')).map(({ name }) => name)).toEqual(['Cairns']);
});

describe('3§4 a mailed link and anonymous users', () => {
  const byToken =
    (cloud: ScriptedCloud) =>
    ({ body }: CloudCall) => {
      const [uid = '', email = ''] = String(body['token']).split('|');
      cloud.sessions.add(`session of ${uid}`);
      return { session: `session of ${uid}`, user: { uid, email, name: { first: '', last: '' } } };
    };

  test('3§4 the tablet remembers the requested address until a link signs in', async () => {
    const { cloud, tablet } = await shoreScene();
    const {
      account,
      account: { people },
    } = tablet.repositories;
    answers(cloud, {
      '/api/fn/sendauthenticationlink': () => ({}),
      '/api/fn/verify-authentication-link': () => ({ token: 'AccountOfAna00001|ana@example.org' }),
      '/api/auth/custom-token': byToken(cloud),
    });
    await account.signIn.pinCloud(cloud.origin);
    expect(await account.signIn.pendingLinkEmail()).toBeNull();
    await expect(account.signIn.sendLink('ana@', '/you')).rejects.toMatchObject({ details: { field: 'email' } });
    await account.signIn.sendLink(' ana@example.org ', '/you?el=shore');
    expect(lastOf(cloud, '/api/fn/sendauthenticationlink')?.body).toEqual({
      email: 'ana@example.org',
      path: '/you?el=shore',
    });
    expect(await account.signIn.pendingLinkEmail()).toBe('ana@example.org');
    await account.signIn.signInWithLink('ana@example.org', 'token');
    expect([people.current.get()?.uid, await account.signIn.pendingLinkEmail()]).toEqual(['AccountOfAna00001', null]);
  });

  test('2§4 a new account keeps name and uid, and an existing one gains the earlier work', async () => {
    const scene = await shoreScene();
    const { clock, cloud, tablet } = scene;
    const {
      account,
      account: { people, profile },
    } = tablet.repositories;
    answers(cloud, {
      '/api/fn/sign-in-anonymously': () => ({ token: 'Nameless000000001|' }),
      '/api/fn/verify-user-login-code': ({ body }) => ({
        token:
          body['email'] === 'ana@example.org'
            ? 'Nameless000000001|ana@example.org'
            : 'AccountOfBen00001|ben@example.org',
      }),
      '/api/auth/custom-token': byToken(cloud),
    });
    await account.signIn.pinCloud(cloud.origin);
    await account.signIn.signInAnonymously();
    await profile.save({ name: { first: 'Ana', last: 'Lee' }, loc: null, org: null, optin: true, additionalInfo: {} });
    await account.signIn.withCode('ana@example.org', '246810');
    expect(lastOf(cloud, '/api/fn/verify-user-login-code')?.bearer).toBe('session of Nameless000000001');
    expect(people.current.get()).toMatchObject({
      uid: 'Nameless000000001',
      email: 'ana@example.org',
      name: { first: 'Ana' },
    });
    await runUntil(clock, settled(tablet), 'all ashore');
    expect([...cloud.ops.values()].filter(({ kind }) => kind === 'profile').at(-1)?.body).toMatchObject({
      email: 'ana@example.org',
      name: { first: 'Ana', last: 'Lee' },
    });

    await account.signIn.signOut();
    await people.clearCurrent();
    await account.signIn.signInAnonymously();
    const survey = await addSurvey(tablet);
    await account.signIn.withCode('ben@example.org', '246810');
    expect(people.current.get()?.uid).toBe('AccountOfBen00001');
    expect((await tablet.context.store.getMeta('people'))?.['Nameless000000001']).toBe('ben@example.org');
    await runUntil(clock, settled(tablet), 'all ashore');
    expect(
      cloud.ops.size > 0 &&
        [...cloud.ops.values()].some(({ docId, by }) => docId === survey && by === 'Nameless000000001'),
    ).toBe(true);
  });
});

describe('protocol: box notices for a person', () => {
  const ENDED = 'This sign-in was ended ashore.';

  test('protocol: a notice is stored for its person until they read it, and then not repeated', async () => {
    const { clock, box, tablet } = await shoreScene();
    const {
      edge,
      account: { people },
    } = tablet.repositories;
    await people.createPending({ name: { first: 'Ana', last: 'Reef' }, email: 'ana@example.org' });
    await edge.link.pair(box.origin);
    edge.link.state.subscribe(() => undefined);
    const verified = (): number => box.heard.filter(({ event }) => event === 'verify').length;
    const anew = async (): Promise<void> => {
      const before = verified();
      box.cutAll();
      await runUntil(clock, () => verified() > before && edge.link.state.get().status === 'connected', 'reconnected');
    };
    await runUntil(clock, () => edge.link.state.get().status === 'connected', 'connected');
    expect(edge.link.notice.get()).toBeNull();
    box.besides = { notice: ENDED };
    await anew();
    await runUntil(clock, () => edge.link.notice.get() === ENDED, 'shown');
    await edge.link.dismissNotice();
    await runUntil(clock, () => edge.link.notice.get() === null, 'read');
    await anew();
    expect(edge.link.notice.get(), 'once is enough').toBeNull();

    await people.clearCurrent();
    await people.createPending({ name: { first: 'Ben', last: 'Reef' }, email: 'ben@example.org' });
    expect(edge.link.notice.get(), 'no one else reads it').toBeNull();
    await anew();
    await runUntil(clock, () => edge.link.notice.get() === ENDED, 'shown to Ben');
    // Box knows the person again: no notice is due.
    box.besides = {
      user: { uid: 'AccountOfBen00001', email: 'ben@example.org', name: { first: 'Ben', last: '' }, pending: false },
    };
    await anew();
    await runUntil(clock, () => edge.link.notice.get() === null, 'gone');
  });

  test('protocol: a notice arrives with any answer of an open socket', async () => {
    const { clock, box, tablet } = await shoreScene();
    const { edge } = tablet.repositories;
    await edge.link.pair(box.origin);
    edge.link.state.subscribe(() => undefined);
    box.misbehave = (event) =>
      event === 'survey' ? { tamper: (receipt) => receipt, besides: { notice: ENDED } } : undefined;
    await addSurvey(tablet);
    await runUntil(clock, settled(tablet), 'sent');
    await runUntil(clock, () => edge.link.notice.get() === ENDED, 'shown');
  });
});
