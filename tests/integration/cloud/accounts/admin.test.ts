import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { replaceReferenceDocuments } from '../../../../cloud-sync/api/reference/reference-documents';
import { AUTH_MESSAGES, VALIDATION_MESSAGES } from '../../../../src/domain/messages';
import type { AdminUser, AuditEntry, AuditReply } from '../../../../src/protocol/accounts';
import type { TestCloud } from '../../../support/servers/cloud';
import { startCloud } from '../../../support/servers/cloud';
import { makeOp, newId, surveyOp } from '../../../support/servers/edge-client';
import type { SignedIn } from '../../../support/servers/people';
import {
  mailedCode,
  passSecondFactor,
  registerDevice,
  signIn,
  signInAs,
  signInStaff,
} from '../../../support/servers/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let cloud: TestCloud;
let admin: SignedIn;
let staff: SignedIn;
let ana: SignedIn;

type Answer = {
  readonly user: AdminUser;
  readonly error: { readonly code: string; readonly message: string; readonly auth?: string };
};
const find = (email: string, by = admin) =>
  cloud.get<Answer>(`/api/admin/users?email=${encodeURIComponent(email)}`, by.session);
const link = (email: string, handle: string, by = admin) =>
  cloud.post<Answer & Record<string, unknown>>('/api/admin/link', { email, handle }, by.session);
const give = ({ user }: SignedIn, roles: object, by = admin) =>
  cloud.post<Answer & Record<string, unknown>>(`/api/admin/users/${user.uid}/roles`, roles, by.session);
const audit = async (about: string) =>
  (await cloud.get<{ entries: AuditEntry[] }>(`/api/admin/audit?about=${about}`, admin.session)).body.entries;
const me = ({ session }: SignedIn) => cloud.get<Answer>('/api/me', session);

beforeAll(async () => {
  cloud = await startCloud();
  staff = await signInStaff(cloud, 'staff@example.org');
  admin = await signInAs(cloud, 'admin');
  ana = await signIn(cloud, 'ana@example.org');
  const { pool } = cloud.cloud.context.database;
  await replaceReferenceDocuments(pool, 'events', [{ id: newId(), handle: 'ReefWeek', regionId: 'gbr' }]);
  await replaceReferenceDocuments(pool, 'organisations', [{ id: newId(), handle: 'reefwatch', name: 'Reef Watch' }]);
});
afterAll(() => cloud.close());

describe('1§5: an admin links people to events and organisations', () => {
  it('1§5: an admin finds a user by email in any case, or gets the prescribed error', async () => {
    expect(await find(' ANA@Example.org ')).toMatchObject({
      status: 200,
      body: {
        user: { uid: ana.user.uid, email: 'ana@example.org', admin: false, disabled: false, domains: ['example.org'] },
      },
    });
    expect(await find('nobody@example.org')).toMatchObject({
      status: 404,
      body: { error: { message: VALIDATION_MESSAGES.noUserForEmail('nobody@example.org') } },
    });
    expect((await find('no address')).body.error).toMatchObject({ code: 'bad-message', auth: 'auth/invalid-email' });
  });

  it('1§5: an admin links by email and handle once, and the audit log names them', async () => {
    expect((await link('ana@example.org', 'reefWEEK')).body.user.domains).toEqual(['example.org', 'reefweek']);
    expect(await link('ana@example.org', 'reefweek')).toMatchObject({
      status: 400,
      body: { error: { message: VALIDATION_MESSAGES.userHasEventHandle('ana@example.org', 'reefweek') } },
    });
    const twice = await Promise.all([
      link('ana@example.org', 'reefwatch'),
      link('ana@example.org', 'reefwatch'),
      link('ana@example.org', 'reefwatch'),
    ]);
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect((await me(ana)).body.user).toMatchObject({
      domains: ['example.org', 'reefweek', 'reefwatch'],
      admin: false,
      staff: false,
    });
    expect(await link('ana@example.org', 'nowhere')).toMatchObject({
      status: 404,
      body: { error: { message: 'No event or organisation has the handle nowhere.' } },
    });
    expect(await link('nobody@example.org', 'reefweek')).toMatchObject({
      status: 404,
      body: { error: { message: VALIDATION_MESSAGES.noUserForEmail('nobody@example.org') } },
    });
    expect(await audit(ana.user.uid)).toMatchObject([
      { by: admin.user.uid, action: 'link', about: ana.user.uid, details: { handle: 'reefwatch' } },
      { details: { handle: 'reefweek' } },
    ]);
  });
});

describe('1§5: the audit log', () => {
  it('1§5: the audit log pages newest first, by person or kind, with names and no addresses', async () => {
    const { pool } = cloud.cloud.context.database;
    const about = newId();
    await pool.query(
      `INSERT INTO auth.audit (at, by_uid, action, about, details) SELECT now(), $1, CASE WHEN n % 3 = 0 THEN 'link' ELSE 'roles' END, $2, jsonb_build_object('n', n) FROM generate_series(1, 60) n`,
      [admin.user.uid, about],
    );
    const page = async (query: string) =>
      (await cloud.get<AuditReply & Record<string, unknown>>(`/api/admin/audit?about=${about}${query}`, admin.session))
        .body;
    const seen: unknown[] = [];
    let next: number | null = null;
    const sizes: number[] = [];
    do {
      const read: AuditReply = await page(next === null ? '' : `&before=${next}`);
      seen.push(...read.entries.map(({ details }) => details['n']));
      sizes.push(read.entries.length);
      next = read.next;
    } while (next !== null);
    expect(sizes).toEqual([25, 25, 10]);
    expect(seen).toEqual(Array.from({ length: 60 }, (_, i) => 60 - i));
    const links = await page('&action=link');
    expect(links.entries.map(({ details }) => details['n'])).toEqual(Array.from({ length: 20 }, (_, i) => 60 - 3 * i));
    expect(links.next).toBeNull();
    expect(Object.keys(links.names)).toEqual([admin.user.uid]);
    expect(JSON.stringify(links)).not.toContain('@');
    for (const bad of ['&before=0', '&before=x', '&action=all', '&about=..'])
      expect((await cloud.get(`/api/admin/audit?${bad.slice(1)}`, admin.session)).status, bad).toBe(400);
  });
});

describe('1§6: roles come from admins and staff', () => {
  it('1§6: admins grant lesser roles and staff all, effective at once in open sessions', async () => {
    expect((await give(ana, { isExpert: true, verified: true })).body.user).toMatchObject({
      isExpert: true,
      verified: true,
      admin: false,
    });
    expect((await me(ana)).body.user).toMatchObject({ isExpert: true, verified: true });
    for (const role of ['admin', 'staff']) expect((await give(ana, { [role]: true })).status, role).toBe(403);
    expect((await give(ana, { isExpert: false, staff: true })).status, 'nothing of it').toBe(403);
    expect((await me(ana)).body.user).toMatchObject({ isExpert: true, staff: false });
    expect((await cloud.get('/api/admin/audit', ana.session)).status).toBe(403);
    expect((await give(ana, { admin: true }, staff)).status).toBe(200);
    expect((await cloud.get('/api/admin/audit', ana.session)).status, 'without a second factor').toBe(403);
    await passSecondFactor(cloud, ana.session);
    expect((await cloud.get('/api/admin/audit', ana.session)).status).toBe(200);
    // Admins cannot change other admins, staff or themselves.
    for (const other of [ana, admin, staff]) expect((await give(other, { isExpert: true })).status).toBe(403);
    expect((await give(ana, { admin: false, isExpert: false, verified: false }, staff)).status).toBe(200);
    expect((await cloud.get('/api/admin/audit', ana.session)).status).toBe(403);
    expect((await audit(ana.user.uid))[0]).toMatchObject({
      by: staff.user.uid,
      action: 'roles',
      details: {
        before: { admin: true, isExpert: true, verified: true },
        after: { admin: false, isExpert: false, verified: false },
      },
    });
  });

  it('1§6: an unknown role is refused', async () => {
    const before = await audit(ana.user.uid);
    for (const roles of [{ admin: 'true' }, { isExpert: 1 }, { verified: null }, []])
      expect((await give(ana, roles)).status, JSON.stringify(roles)).toBe(400);
    expect((await give(ana, { owner: true })).status).toBe(200);
    expect((await give({ ...ana, user: { ...ana.user, uid: newId() } }, { verified: true })).status).toBe(404);
    expect(await audit(ana.user.uid)).toEqual(before);
  });

  it('1§6: the last staff member stays, also when two are removed at once', async () => {
    expect((await give(staff, { staff: false }, staff)).status).toBe(403);
    expect((await give(staff, { disabled: true }, staff)).status).toBe(403);
    const other = await signInStaff(cloud, 'second@example.org');
    const both = await Promise.all([give(staff, { staff: false }, other), give(other, { staff: false }, staff)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 403]);
    const { rows } = await cloud.cloud.context.database.pool.query('SELECT uid FROM auth.person WHERE staff');
    expect(rows).toHaveLength(1);
    await cloud.cloud.context.accounts.people.setStaff('staff@example.org', true);
    staff = await signInStaff(cloud, 'staff@example.org');
  });

  it('1§6: a person without a proven address gets no role', async () => {
    const nobody = await signInAs(cloud, 'anonymous');
    expect((await give(nobody, { verified: true }, staff)).status).toBe(403);
    expect((await me(nobody)).body.user).toMatchObject({ email: '', anonymous: true, verified: false });
    const claims = await signIn(cloud, 'claims@example.org');
    await cloud.cloud.context.database.pool.query('UPDATE auth."user" SET "emailVerified" = false WHERE "id" = $1', [
      claims.user.uid,
    ]);
    for (const role of ['verified', 'isExpert', 'admin', 'staff'])
      expect((await give(claims, { [role]: true }, staff)).status, role).toBe(403);
  });
});

describe('2§8: a disabled account', () => {
  it('2§8: its sessions, tokens and device sign-ins end at once, and its unsent work still goes', async () => {
    const ben = await signIn(cloud, 'ben@example.org');
    const device = newId();
    const credential = await registerDevice(cloud, ben, device);
    const short = (await cloud.get<{ token: string }>('/api/auth/token', ben.session)).body.token;
    const code = await mailedCode(cloud, 'ben@example.org');
    const { body: proven } = await cloud.post<{ token: string }>(
      '/api/fn/verify-user-login-code',
      { email: 'ben@example.org', verificationCode: code },
      null,
    );
    expect((await give(ben, { disabled: true })).body.user).toMatchObject({ disabled: true });
    for (const token of [ben.session, short])
      expect(await me({ ...ben, session: token })).toMatchObject({
        status: 403,
        body: { error: { auth: 'auth/user-disabled', message: AUTH_MESSAGES['auth/user-disabled'] } },
      });
    expect((await cloud.post('/api/auth/custom-token', { token: proven.token }, null)).status).toBe(401);
    expect((await cloud.cloud.context.accounts.callers.identify(credential))!.caller.person).toBeNull();
    const unsent = surveyOp(ben.user.uid);
    const [result] = await cloud.ops([{ ...unsent, opId: `${device}-1` as never }], undefined, credential);
    expect(result, 'held for staff').toMatchObject({ receipt: { opId: `${device}-1` } });
    // New codes do not let them in either.
    const again = await mailedCode(cloud, 'ben@example.org');
    const { body } = await cloud.post<{ token: string }>(
      '/api/fn/verify-user-login-code',
      { email: 'ben@example.org', verificationCode: again },
      null,
    );
    expect(await cloud.post('/api/auth/custom-token', { token: body.token }, null)).toMatchObject({
      status: 403,
      body: { error: { auth: 'auth/user-disabled' } },
    });
    // Enabled again, they must sign in again: old sessions stay closed.
    expect((await give(ben, { disabled: false })).status).toBe(200);
    expect((await me(ben)).status).toBe(401);
    expect((await me(await signIn(cloud, 'ben@example.org'))).status).toBe(200);
  });

  it('1§6: a profile stays where it was, with or without roles', async () => {
    const op = makeOp(
      'profile',
      { uid: ana.user.uid, name: { first: 'Ana', last: 'Reef' } },
      { by: ana.user.uid as never },
    );
    expect((await cloud.ops([op], undefined, ana.session))[0]).toMatchObject({ receipt: { accepted: true } });
    await give(ana, { verified: true });
    const { body } = await cloud.get<{ items: object[] }>(`/api/query/users?uids=${ana.user.uid}`, staff.session);
    expect(body.items).toMatchObject([
      {
        verified: true,
        isExpert: false,
        domains: ['example.org', 'reefweek', 'reefwatch'],
        name: { first: 'Ana', last: 'Reef' },
      },
    ]);
    const others = await cloud.get<{ items: object[] }>(`/api/query/users?uids=${ana.user.uid}`, admin.session);
    expect(Object.keys(others.body.items[0]!).sort(), 'nothing of what they may').toEqual(['name', 'uid']);
  });
});
