import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PeopleReply } from '../../../../src/protocol/accounts';
import type { TestCloud } from '../../../support/servers/cloud';
import { startCloud } from '../../../support/servers/cloud';
import { makeOp } from '../../../support/servers/edge-client';
import type { SignedIn } from '../../../support/servers/people';
import { signIn, signInAs } from '../../../support/servers/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let cloud: TestCloud;
let admin: SignedIn;

type Page = PeopleReply & Record<string, unknown>;
async function page(q: string, after?: string): Promise<Page> {
  const query = new URLSearchParams({ q, ...(after === undefined ? {} : { after }) });
  const { status, body } = await cloud.get<Page>(`/api/admin/people?${query.toString()}`, admin.session);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** Addresses of all pages of a search, in order. */
async function found(q: string): Promise<readonly string[]> {
  const emails: string[] = [];
  let after: string | undefined;
  do {
    const { people, next } = await page(q, after);
    emails.push(...people.map(({ email }) => email));
    after = next ?? undefined;
  } while (after !== undefined);
  return emails;
}

async function name({ user, session }: SignedIn, first: string, last: string): Promise<void> {
  const op = makeOp('profile', { uid: user.uid, name: { first, last } }, { by: user.uid as never });
  expect((await cloud.ops([op], undefined, session))[0]).toMatchObject({ receipt: { accepted: true } });
}

beforeAll(async () => {
  cloud = await startCloud();
  admin = await signInAs(cloud, 'admin');
});
afterAll(() => cloud.close());

describe('1§5: people by the beginning of an address or of a name', () => {
  it('1§5: a search reads addresses and words of names in any case and script, without accents', async () => {
    await name(await signIn(cloud, 'jose@reef.example'), 'José', 'Ramírez O’Brien');
    await name(await signIn(cloud, 'olga@reef.example'), 'Ольга', 'Рифова');
    await signIn(cloud, 'obviously@reef.example');
    for (const q of [
      'jose',
      'JOSÉ',
      ' José ',
      'ram',
      'ramirez jo',
      'José Ramí',
      'o’brien',
      "O'Br",
      'JOSE@',
      'jose@reef.',
    ])
      expect(await found(q), q).toEqual(['jose@reef.example']);
    for (const q of ['ольга', 'РИФ', 'olg']) expect(await found(q), q).toEqual(['olga@reef.example']);
    expect(await found('ob')).toEqual(['jose@reef.example', 'obviously@reef.example']);
    for (const q of ['ose', 'amirez', 'jose x', 'reef.example', 'obviously@reef.example.org', 'ramirez@'])
      expect(await found(q), q).toEqual([]);
  });

  it('1§5: the present name counts, that of the sign-up until there is one', async () => {
    const email = 'early@reef.example';
    await cloud.post('/api/fn/create-account', { email, name: { first: 'Early', last: 'Bîrd' } }, null);
    expect(await found('bird')).toEqual([email]);
    const person = await signIn(cloud, email);
    await name(person, 'Later', 'Name');
    expect([await found('bird'), await found('later')]).toEqual([[], [email]]);
    expect((await page('later n')).people).toMatchObject([
      {
        uid: person.user.uid,
        name: { first: 'Later', last: 'Name' },
        isEmailVerified: true,
        domains: ['reef.example'],
      },
    ]);
  });

  it('1§5: an anonymous person is listed once they have a name, without an address', async () => {
    const nobody = await signInAs(cloud, 'anonymous');
    const { pool } = cloud.cloud.context.database;
    const placeholder = 'zzq7@without-address.invalid';
    await pool.query('UPDATE auth."user" SET "email" = $2 WHERE "id" = $1', [nobody.user.uid, placeholder]);
    expect(await found('zzq7')).toEqual([]);
    const uids = async (q: string) => (await page(q)).people.map(({ uid }) => uid);
    expect(await uids('')).not.toContain(nobody.user.uid);
    await name(nobody, 'Walk', 'In');
    expect((await page('walk')).people).toMatchObject([{ uid: nobody.user.uid, email: '', anonymous: true }]);
    expect(await found('zzq7')).toEqual([]);
  });

  it('1§5: a profile that an earlier version wrote is found after the next start', async () => {
    await name(await signIn(cloud, 'old@reef.example'), 'Óld', 'Hand');
    await cloud.cloud.context.database.pool.query(`UPDATE docs SET name = NULL WHERE kind = 'profile'`);
    expect(await found('old hand')).toEqual([]);
    await cloud.restart();
    expect(await found('old hand')).toEqual(['old@reef.example']);
    expect(await found('jose')).toEqual(['jose@reef.example']);
  });
});

describe('1§5: ten thousand people', () => {
  const PEOPLE = 10_000;
  const emailOf = (n: number): string => `p${String(n).padStart(5, '0')}@many.example`;

  it('1§5: every person is on one page, in order, also if someone joins between pages', async () => {
    const { pool } = cloud.cloud.context.database;
    await pool.query(
      `INSERT INTO auth."user" ("id", "name", "email", "emailVerified") SELECT 'Many' || lpad(n::text, 12, '0'), '', 'p' || lpad(n::text, 5, '0') || '@many.example', true FROM generate_series(1, ${PEOPLE}) n`,
    );
    const thousand = Array.from({ length: 1000 }, (_, i) => emailOf(3000 + i));
    expect(await found('p03')).toEqual(thousand);
    expect(await found(emailOf(7777))).toEqual([emailOf(7777)]);

    const first = await page('p03');
    await pool.query(`INSERT INTO auth."user" ("id", "name", "email", "emailVerified") VALUES
      ('ManyBefore000001', '', 'p030000@many.example', true), ('ManyAfter0000001', '', 'p03024z@many.example', true)`);
    const second = await page('p03', first.next ?? undefined);
    expect(first.people.map(({ email }) => email)).toEqual(thousand.slice(0, 25));
    expect(second.people.map(({ email }) => email)).toEqual(['p03024z@many.example', ...thousand.slice(25, 49)]);
  });
});
