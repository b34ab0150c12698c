import { expect, test } from 'vitest';
import { DEMO_REFERENCE } from '../../../cloud-sync/api/reference/demo-reference';
import { replaceReferenceDocuments } from '../../../cloud-sync/api/reference/reference-documents';
import type { SignInRepository } from '../../../src/data/repositories/account/sign-in-repository';
import { providerEnvironment, startProvider } from '../../support/doubles/providers';
import type { TestCloud } from '../../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../../support/servers/cloud';
import { codeIn, linkIn, outboxMails } from '../../support/servers/mail';
import { closers } from '../../support/tablet/closers';
import { edge, tablet, type RealTablet } from '../../support/tablet/real-scene';

const HANDLE = 'reef-week';
const SITE = 'https://reef.example';

async function startShore(env: Readonly<Record<string, string>> = {}): Promise<TestCloud> {
  const shore = await startCloud({ env: { PUBLIC_URL: SITE, ...env } });
  closers.push(() => shore.close());
  await replaceReferenceDocuments(shore.cloud.context.database.pool, 'events', [
    { id: 'event-of-handles', handle: HANDLE, regionId: 'gbr' },
  ]);
  return shore;
}

/** Domains ashore of the tablet's current user. */
async function domains(shore: TestCloud, { repositories: { account } }: RealTablet): Promise<readonly string[]> {
  return (await shore.cloud.context.accounts.people.byId(account.people.current.get()!.uid))?.domains ?? [];
}

async function byCode(shore: TestCloud, signIn: SignInRepository, email: string): Promise<void> {
  await signIn.sendCode(email);
  await signIn.withCode(email, codeIn(outboxMails(shore.outbox), email.toLowerCase()));
}

test('1§6 a handle survives code, password, reset, link, provider and no address', async () => {
  const google = await startProvider('google');
  closers.push(() => google.close());
  const shore = await startShore(providerEnvironment([google]));
  const ways: Readonly<Record<string, (signIn: SignInRepository, email: string) => Promise<unknown>>> = {
    code: (signIn, email) => byCode(shore, signIn, email),
    account: (signIn, email) => signIn.createAccount({ email, name: { first: 'Ana', last: '' } }),
    password: async (signIn, email) => {
      await shore.post('/api/fn/create-account', { email, password: 'six of it' }, null);
      await signIn.signInWithPassword(email, 'six of it');
    },
    reset: async (signIn, email) => {
      await shore.post('/api/fn/create-account', { email, password: 'six of it' }, null);
      await signIn.sendPasswordReset(email);
      await signIn.resetPassword(email, codeIn(outboxMails(shore.outbox), email), 'seven of it');
    },
    link: async (signIn, email) => {
      await signIn.sendLink(email, `/signup?handle=${HANDLE}`);
      const { hash } = new URL(linkIn(outboxMails(shore.outbox), email));
      await signIn.signInWithLink(email, new URLSearchParams(hash.slice(1)).get('token')!);
    },
    provider: async (signIn, email) => {
      google.person = { subject: '1001', email, verified: true };
      const { url } = await signIn.startProviderSignIn('google', SITE);
      const back = new URL((await fetch(url, { redirect: 'manual' })).headers.get('location')!);
      const page = await (await fetch(new URL(back.pathname + back.search, shore.url))).text();
      const message = /data-message="([^"]*)"/
        .exec(page)![1]!
        .replace(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)));
      await signIn.finishProviderSignIn('google', (JSON.parse(message) as { ticket: string }).ticket);
    },
    nameless: (signIn) => signIn.signInAnonymously(),
  };
  for (const [way, enter] of Object.entries(ways)) {
    const one = await tablet();
    const { signIn } = one.repositories.account;
    await signIn.acceptInvitation(HANDLE);
    await signIn.pinCloud(shore.url);
    await enter(signIn, `${way}@example.org`);
    expect(await domains(shore, one), way).toContain(HANDLE);
    expect(await one.context.store.getMeta('invitation'), way).toBeUndefined();
    await one.close();
  }
});

test('1§6 a handle that was opened at sea counts ashore, for that person alone', async () => {
  const [shore, box] = [await startShore(), await edge()];
  const [first, second] = [await tablet(), await tablet()];
  // One enters their name with no server, the other at the box.
  const ana = { name: { first: 'Ana', last: 'Reef' }, email: 'ana@example.org' };
  const alone = first.repositories;
  await alone.account.signIn.acceptInvitation(HANDLE);
  await alone.account.people.createPending(ana);
  const aboard = second.repositories;
  await aboard.edge.link.pair(box.url, box.code);
  await aboard.account.signIn.acceptInvitation(HANDLE);
  await aboard.edge.link.signIn({ name: { first: 'Ben', last: 'Deep' }, email: 'ben@example.org' });

  for (const [{ account }, one, email] of [
    [alone, first, 'ana@example.org'],
    [aboard, second, 'Ben@example.org'],
  ] as const) {
    await account.signIn.pinCloud(shore.url);
    await byCode(shore, account.signIn, `other-than-${email}`.toLowerCase());
    expect(await domains(shore, one), 'someone else').not.toContain(HANDLE);
    await byCode(shore, account.signIn, email);
    expect(await domains(shore, one), email).toContain(HANDLE);
  }
});

test('1§6 a handle that no event has changes nothing, and a sign-in that fails loses none', async () => {
  const shore = await startShore();
  const one = await tablet();
  const { signIn } = one.repositories.account;
  await signIn.pinCloud(shore.url);
  await signIn.acceptInvitation('nobodys');
  await byCode(shore, signIn, 'ana@example.org');
  expect(await domains(shore, one)).toEqual(['example.org']);

  await signIn.acceptInvitation(HANDLE);
  await expect(signIn.withCode('ben@example.org', '000000')).rejects.toMatchObject({});
  await byCode(shore, signIn, 'ben@example.org');
  await byCode(shore, signIn, 'ben@example.org');
  expect((await domains(shore, one)).filter((domain) => domain === HANDLE)).toEqual([HANDLE]);
});

test('1§6 the demo has an organisation to find and an event to come with', async () => {
  const shore = await startCloud({ env: { DEMO: '1' } });
  closers.push(() => shore.close());
  const one = await tablet();
  const { signIn, profile } = one.repositories.account;
  await signIn.pinCloud(shore.url);
  await signIn.acceptInvitation(DEMO_REFERENCE.events.handle);
  await byCode(shore, signIn, 'ana@example.org');
  expect(await domains(shore, one)).toEqual(['example.org', DEMO_REFERENCE.events.handle]);
  const { handle, name } = DEMO_REFERENCE.organisations;
  expect(await profile.organisations('demo')).toEqual([{ handle, name }]);
  const { items } = (await shore.get<{ items: object[] }>('/api/query/events?regionId=gbr', null)).body;
  expect(items).toMatchObject([{ handle: DEMO_REFERENCE.events.handle }]);

  // Content that staff put stays alone, even when it is nothing.
  await shore.ask('PUT', '/api/reference/events', [], STAFF_TOKEN);
  await shore.restart();
  expect((await shore.get<{ items: object[] }>('/api/query/events?regionId=gbr', null)).body.items).toEqual([]);
});
