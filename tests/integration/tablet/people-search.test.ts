import { expect, test, vi } from 'vitest';
import { replaceReferenceDocuments } from '../../../cloud-sync/api/reference/reference-documents';
import type { TestCloud } from '../../support/servers/cloud';
import { startCloud } from '../../support/servers/cloud';
import { makeOp, newId } from '../../support/servers/edge-client';
import { codeIn, outboxMails } from '../../support/servers/mail';
import { passSecondFactor, signIn } from '../../support/servers/people';
import { closers } from '../../support/tablet/closers';
import { tablet, type RealTablet } from '../../support/tablet/real-scene';

vi.setConfig({ testTimeout: 60_000 });

async function signInOn({ repositories: { account } }: RealTablet, shore: TestCloud, email: string): Promise<void> {
  await account.signIn.pinCloud(shore.url);
  await account.signIn.sendCode(email);
  await account.signIn.withCode(email, codeIn(outboxMails(shore.outbox), email));
}

/** Tablet on which an admin has signed in and passed the second factor. */
async function adminTablet(shore: TestCloud): Promise<RealTablet> {
  const { user } = await signIn(shore, 'admin@example.org');
  await shore.cloud.context.database.pool.query('UPDATE auth.person SET admin = true WHERE uid = $1', [user.uid]);
  const one = await tablet();
  await signInOn(one, shore, 'admin@example.org');
  const { store } = one.context;
  const [account] = await store.run(() => store.db.accounts.toArray());
  await passSecondFactor(shore, account!.session);
  return one;
}

test('1§5 an admin’s tablet lists, searches, pages and links people of a real shore', async () => {
  const shore = await startCloud();
  closers.push(() => shore.close());
  const { pool } = shore.cloud.context.database;
  await replaceReferenceDocuments(pool, 'organisations', [
    { id: newId(), handle: 'reefwatch', name: 'Reef Watch' },
    { id: newId(), handle: 'divers', name: 'Divers' },
  ]);
  await replaceReferenceDocuments(pool, 'events', [
    { id: newId(), handle: 'ReefWeek', name: 'Reef Week', regionId: 'gbr', version: '2', timestart: '2026-10-01' },
  ]);
  const one = await adminTablet(shore);
  const { admin } = one.repositories.account;
  const ana = await signIn(shore, 'ana@example.org');
  const op = makeOp(
    'profile',
    { uid: ana.user.uid, name: { first: 'Añá', last: 'Reef' } },
    { by: ana.user.uid as never },
  );
  await shore.ops([op], undefined, ana.session);
  await pool.query(
    `INSERT INTO auth."user" ("id", "name", "email", "emailVerified") SELECT 'Many' || lpad(n::text, 12, '0'), '', 'p' || lpad(n::text, 2, '0') || '@many.example', true FROM generate_series(1, 60) n`,
  );

  const seen: string[] = [];
  const sizes: number[] = [];
  for (let after: string | undefined; ;) {
    const { people, next } = await admin.people({ text: '', ...(after === undefined ? {} : { after }) });
    seen.push(...people.map(({ email }) => email));
    sizes.push(people.length);
    if (next === null) break;
    after = next;
  }
  expect(sizes).toEqual([25, 25, 12]);
  expect(seen.slice(0, 3)).toEqual(['admin@example.org', 'ana@example.org', 'p01@many.example']);
  expect(new Set(seen).size).toBe(62);
  const found = async () => (await admin.people({ text: 'reef ana' })).people;
  expect(await found()).toMatchObject([
    { uid: ana.user.uid, name: { first: 'Añá', last: 'Reef' }, isEmailVerified: true, disabled: false },
  ]);
  expect((await admin.people({ text: '%' })).people).toEqual([]);

  // Suggestions have the handle as it is linked, the name, and which of the two it is.
  const reefweek = { handle: 'ReefWeek', name: 'Reef Week', kind: 'event' };
  expect(await admin.handles('Reef')).toEqual([
    { handle: 'reefwatch', name: 'Reef Watch', kind: 'organisation' },
    reefweek,
  ]);
  expect(await admin.handles('reefwe')).toEqual([reefweek]);
  expect(await admin.handles('nothing')).toEqual([]);
  expect((await admin.link('ana@example.org', reefweek.handle)).domains).toContain('reefweek');
  expect((await found())[0]?.domains).toContain('reefweek');

  await expect(admin.people({ text: 'a'.repeat(4000) })).rejects.toMatchObject({
    code: 'bad-message',
    message: expect.stringContaining('longer than 200 characters') as string,
  });
  await pool.query('UPDATE auth.person SET admin = false');
  shore.cloud.context.accounts.callers.clearCache();
  await expect(admin.people({ text: '' }), 'a role that was removed').rejects.toMatchObject({ code: 'forbidden' });
  await shore.stop();
  await expect(admin.people({ text: '' })).rejects.toMatchObject({ code: 'disconnected' });
});

test('1§5 a volunteer’s tablet and one without a sign-in get no list', async () => {
  const shore = await startCloud();
  closers.push(() => shore.close());
  const one = await tablet();
  const { admin } = one.repositories.account;
  await expect(admin.people({ text: '' })).rejects.toMatchObject({ code: 'unauthorised' });
  await signInOn(one, shore, 'ben@example.org');
  await expect(admin.people({ text: 'ben' })).rejects.toMatchObject({ code: 'forbidden' });
});
