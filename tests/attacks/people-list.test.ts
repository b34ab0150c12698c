import { afterAll, beforeAll, expect, it } from 'vitest';
import { replaceReferenceDocuments } from '../../cloud-sync/api/reference/reference-documents';
import { READ_SIGNATURES } from '../../cloud-sync/api/reads/reads';
import { LIMITS } from '../../src/domain/limits';
import type { PeopleReply } from '../../src/protocol/accounts';
import type { TestCloud } from '../support/servers/cloud';
import { DEVICE_TOKEN, startCloud } from '../support/servers/cloud';
import { makeOp, newId } from '../support/servers/edge-client';
import type { SignedIn } from '../support/servers/people';
import { registerDevice, signIn, signInAs, signInStaff } from '../support/servers/people';

const VICTIM = 'victim@private.example';
let cloud: TestCloud;
let admin: SignedIn;
let victim: SignedIn;

type Answer = PeopleReply & { readonly error: { readonly code: string; readonly field?: string } };
const people = (query: string, token: string | null) =>
  cloud.get<Answer & Record<string, unknown>>(`/api/admin/people?${query}`, token);
const search = (q: string) => people(new URLSearchParams({ q }).toString(), admin.session);
const emails = async (q: string) => (await search(q)).body.people.map(({ email }) => email);

beforeAll(async () => {
  cloud = await startCloud();
  admin = await signInAs(cloud, 'admin');
  victim = await signIn(cloud, VICTIM);
  const op = makeOp(
    'profile',
    { uid: victim.user.uid, name: { first: 'Vic', last: 'Tim' }, email: VICTIM },
    { by: victim.user.uid as never },
  );
  await cloud.ops([op], undefined, victim.session);
});
afterAll(() => cloud.close());

/** Everyone who is signed in some way and may not administer accounts. */
async function others(): Promise<Readonly<Record<string, string | null>>> {
  const creator = await signIn(cloud, 'creator@example.org');
  const { pool } = cloud.cloud.context.database;
  await replaceReferenceDocuments(pool, 'events', [
    { id: newId(), handle: 'reefweek', regionId: 'gbr', createdBy: creator.user.uid, user: { uid: creator.user.uid } },
  ]);
  await cloud.cloud.context.accounts.people.joinByHandle(creator.user.uid as never, 'reefweek');
  const demoted = await signInAs(cloud, 'admin', 'demoted@example.org');
  await pool.query('UPDATE auth.person SET admin = false WHERE uid = $1', [demoted.user.uid]);
  const ended = await signInAs(cloud, 'admin', 'ended@example.org');
  await cloud.post('/api/auth/sign-out', {}, ended.session);
  const disabled = await signInAs(cloud, 'admin', 'disabled@example.org');
  await pool.query('UPDATE auth.person SET disabled_at = now() WHERE uid = $1', [disabled.user.uid]);
  const unproven = await signInAs(cloud, 'admin', 'unproven@example.org');
  await pool.query('UPDATE auth."session" SET factor_at = NULL WHERE "userId" = $1', [unproven.user.uid]);
  cloud.cloud.context.accounts.callers.clearCache();
  return {
    'signed out': null,
    'a wrong token': 'no-such-token',
    volunteer: (await signIn(cloud, 'volunteer@example.org')).session,
    'the creator of an event': creator.session,
    verified: (await signInAs(cloud, 'verified')).session,
    expert: (await signInAs(cloud, 'is_expert')).session,
    'without an address': (await signInAs(cloud, 'anonymous')).session,
    'a tablet of an admin': await registerDevice(cloud, admin),
    tablet: DEVICE_TOKEN,
    box: cloud.boxToken,
    'a former admin': demoted.session,
    'an admin who signed out': ended.session,
    'a disabled admin': disabled.session,
    'an admin without the second factor': unproven.session,
  };
}

it('1§5: only admins and staff list people; no other reader of any query gets an address', async () => {
  const callers = await others();
  for (const [who, token] of Object.entries(callers))
    for (const query of ['', 'q=victim', 'q=', 'after=a~', 'q=%00']) {
      const { status, body } = await people(query, token);
      expect([401, 403], `${who}: ${status}`).toContain(status);
      expect(JSON.stringify(body), who).not.toContain('@');
    }
  for (const one of [admin, await signInStaff(cloud, 'staff@example.org')])
    expect((await people('q=victim', one.session)).body.people.map(({ email }) => email)).toEqual([VICTIM]);

  for (const [who, token] of Object.entries(callers))
    for (const name of Object.keys(READ_SIGNATURES)) {
      const query = `uids=${victim.user.uid}&uid=${victim.user.uid}&q=victim&prefix=victim&email=${VICTIM}`;
      const { body } = await cloud.get(`/api/query/${name}?${query}`, token);
      expect(JSON.stringify(body), `${name} for ${who}`).not.toContain('private.example');
    }
});

it('1§5: characters of SQL and of search syntax are text', async () => {
  const odd = ["o'%x@example.org", 'a_b@example.org', 'tick`!x@example.org'];
  const { pool } = cloud.cloud.context.database;
  for (const email of odd)
    await pool.query(`INSERT INTO auth."user" ("id", "name", "email", "emailVerified") VALUES ($1, '', $2, true)`, [
      newId(),
      email,
    ]);
  expect(await emails("O'%")).toEqual([odd[0]]);
  expect(await emails('a_')).toEqual([odd[1]]);
  expect(await emails('tick`!')).toEqual([odd[2]]);
  for (const q of [
    '%',
    '_',
    '%victim',
    '_ictim',
    'vic_im',
    "'",
    '"',
    '\\',
    "' OR '1'='1",
    '\'; DROP TABLE auth."user"; --',
    "'x':* | 'vic':*",
    '!x | vic',
    'vic:* & !x',
    '<->',
    '\u{10ffff}',
    '$1',
    '🐠',
  ])
    expect(await emails(q), q).not.toContain(VICTIM);
  expect(await emails('vic tim')).toEqual([VICTIM]);
});

it('1§5: a long, broken or repeated parameter is refused, and the service goes on', async () => {
  expect((await search('v'.repeat(LIMITS.peopleSearchMax))).status).toBe(200);
  expect((await search('v '.repeat(LIMITS.peopleSearchMax / 2))).status).toBe(200);
  for (const q of ['v'.repeat(LIMITS.peopleSearchMax + 1), 'v'.repeat(4000), 'vic\u0000', 'vic\n'])
    expect(await search(q), q.slice(0, 9)).toMatchObject({ status: 400, body: { error: { field: 'q' } } });
  for (const after of ['x', '~', 'a b~c', `a~${'c'.repeat(600)}`, 'a~\u0000', "a'~b"])
    expect(await people(new URLSearchParams({ after }).toString(), admin.session), after).toMatchObject({
      status: 400,
      body: { error: { field: 'after' } },
    });
  expect((await people('q=a&q=b', admin.session)).status).toBe(400);
  // A cursor that no page gave is a place in the list and opens nothing else.
  expect((await people(`after=${encodeURIComponent("x~' OR '1'='1")}`, admin.session)).status).toBe(200);
  expect(await emails('victim')).toEqual([VICTIM]);
});

it('1§5: a page is not stored on the way', async () => {
  const answer = await fetch(`${cloud.url}/api/admin/people`, {
    headers: { authorization: `Bearer ${admin.session}` },
  });
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('etag')).toBeNull();
});
