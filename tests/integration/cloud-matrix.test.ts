import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { READ_FORMS } from '../../cloud-sync/api/store/reads';
import { CLOUD_POLICY, decideCloud, may } from '../../src/domain/policy/cloud-policy';
import type { CloudRole } from '../../src/domain/policy/roles';
import type { TestCloud } from '../support/cloud';
import { startCloud } from '../support/cloud';
import { makeOp, newId } from '../support/edge-client';
import type { SignedIn } from '../support/people';
import { registerDevice, signIn, signInAs, signInStaff } from '../support/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const WHO = ['stranger', 'anonymous', 'person', 'verified', 'expert', 'admin', 'device', 'box', 'staff'] as const;
type Who = (typeof WHO)[number];
const PEOPLE = ['anonymous', 'person', 'verified', 'expert', 'admin', 'staff'] as const;

/** Each sign stands for one of {@link WHO}, in that order; `-` refused. */
const [ALL, SENDERS, SIGNED, PERSON, ADMIN, STAFF, BOX, BOX_STAFF] = ['sapveAdbS', '-apveAdbS', '-apveA--S', '--pveA--S', '-----A--S', '--------S', '-------b-', '-------bS'] as const;

/** Who gets past the door, written out a second time: whoever changes the policy says so here too. */
const EXPECTED: Readonly<Record<string, string>> = {
  'GET /trace': ALL,
  'GET /api/keys': ALL,
  'POST /api/ops': SENDERS,
  'POST /api/have': SENDERS,
  'POST /api/previews': BOX,
  'POST /api/uploads': SENDERS,
  'PATCH /api/uploads/:id': SENDERS,
  'GET /api/uploads/:id': SENDERS,
  'GET /api/blobs/:sha256': SENDERS,
  'GET /api/changes': SENDERS,
  'GET /api/changes/stream': SENDERS,
  'GET /api/reference': ALL,
  'GET /api/reference/:name': ALL,
  'PUT /api/reference/:name': STAFF,
  'GET /api/fleet': STAFF,
  'POST /api/fleet/report': BOX,
  'POST /api/fleet/boxes': STAFF,
  'POST /api/fleet/boxes/:node/revoke': STAFF,
  'POST /api/fleet/keys': BOX,
  'GET /api/seal-key': ALL,
  'POST /api/import': BOX_STAFF,
  'GET /api/quarantine': STAFF,
  'POST /api/quarantine/:opId/release': STAFF,
  'POST /api/fn/send-user-login-code': ALL,
  'POST /api/fn/verify-user-login-code': ALL,
  'POST /api/fn/create-account': ALL,
  'POST /api/fn/sign-in-with-password': ALL,
  'POST /api/fn/send-password-reset': ALL,
  'POST /api/fn/verify-password-reset': ALL,
  'POST /api/fn/confirm-password-reset': ALL,
  'POST /api/account/password': PERSON,
  'POST /api/account/email': PERSON,
  'POST /api/account/email/confirm': PERSON,
  'POST /api/fn/sign-in-anonymously': ALL,
  'POST /api/fn/sendauthenticationlink': ALL,
  'POST /api/fn/verify-authentication-link': ALL,
  'GET /api/auth/providers': ALL,
  'POST /api/auth/providers/:id/start': ALL,
  'GET /api/auth/providers/:id/callback': ALL,
  'POST /api/auth/providers/:id/finish': ALL,
  'POST /api/auth/providers/:id/unlink': PERSON,
  'POST /api/auth/custom-token': ALL,
  'GET /api/auth/jwks': ALL,
  'GET /api/auth/token': SIGNED,
  'GET /api/auth/edge-token': SIGNED,
  'POST /api/auth/sign-out': SIGNED,
  'GET /api/me': SIGNED,
  'GET /api/devices': SIGNED,
  'POST /api/devices': SIGNED,
  'POST /api/devices/revoke': SIGNED,
  'PUT /api/account/photo': PERSON,
  'GET /users/:uid/profile.jpg': ALL,
  'GET /api/places': SIGNED,
  'GET /api/admin/users': ADMIN,
  'POST /api/admin/link': ADMIN,
  'POST /api/admin/users/:uid/roles': ADMIN,
  'GET /api/admin/audit': ADMIN,
  'POST /api/log': ALL,
  'POST /api/analytics': ALL,
  'GET /api/query/:name': ALL,
  'GET /api/openapi.json': ALL,
  'GET /cache/:size/:token/:url': ALL,
  'GET /console': ALL,
  'POST /console/sign-in': ALL,
  'POST /console/sign-out': STAFF,
  'POST /console/boxes': STAFF,
  'POST /console/boxes/revoke': STAFF,
  'POST /console/quarantine': STAFF,
  'POST /console/import': STAFF,
  'GET /console/receipts/:id': STAFF,
  'GET /console/aboard/:node': STAFF,
  'GET /console/previews/:sha256': STAFF,
  'GET /healthz': ALL,
  'GET /readyz': ALL,
  'GET /metrics': ALL,
  'GET /*': ALL,
  'OPTIONS *': ALL,
};

const ROLES: Readonly<Record<Who, readonly CloudRole[]>> = {
  stranger: ['anyone'],
  anonymous: ['anyone', 'anonymous'],
  person: ['anyone', 'person'],
  verified: ['anyone', 'person', 'verified'],
  expert: ['anyone', 'person', 'expert'],
  admin: ['anyone', 'person', 'admin'],
  device: ['anyone', 'device'],
  box: ['anyone', 'box'],
  staff: ['anyone', 'person', 'staff'],
};

/** What no body makes of anybody. */
const MORE = { admin: true, staff: true, isExpert: true, verified: true, roles: ['staff', 'admin'], role: 'staff', domains: ['reefwatch'], data: { admin: true }, user: { admin: true, uid: newId() }, uid: newId() };

let cloud: TestCloud;
let tokens: Record<Who, string | null>;
let people: Record<(typeof PEOPLE)[number], SignedIn>;

beforeAll(async () => {
  cloud = await startCloud();
  const [anonymous, person, verified, expert, admin] = await Promise.all([signInAs(cloud, 'anonymous'), signIn(cloud, 'person@example.org'), signInAs(cloud, 'verified'), signInAs(cloud, 'is_expert'), signInAs(cloud, 'admin')]);
  people = { anonymous, person, verified, expert, admin, staff: await signInStaff(cloud, 'staff@example.org') };
  tokens = { stranger: null, device: await registerDevice(cloud, person), box: cloud.boxToken, ...(Object.fromEntries(PEOPLE.map((who) => [who, people[who].session])) as Record<(typeof PEOPLE)[number], string>) };
});
afterAll(() => cloud.close());

/** A session of its own. */
async function freshSession(uid: string): Promise<string> {
  const { sessions } = cloud.cloud.context.accounts;
  return (await sessions.exchange(await sessions.customToken(uid as never))).session;
}

/** The status of a call whose content is of no use to anyone: whoever is let in is told so, or that there is nothing. */
async function statusOf(method: string, place: string, token: string | null): Promise<number> {
  const answer = await fetch(new URL(place, cloud.url), {
    method,
    headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...(method === 'GET' || method === 'OPTIONS' ? {} : { 'content-type': 'application/json' }) },
    ...(method === 'GET' || method === 'OPTIONS' ? {} : { body: JSON.stringify(MORE) }),
  });
  // A stream of hints has no end.
  await answer.body?.cancel();
  return answer.status;
}

const isPerson = (who: Who): who is (typeof PEOPLE)[number] => (PEOPLE as readonly string[]).includes(who);
interface RolesRow {
  readonly uid: string;
  readonly staff: boolean;
  readonly admin: boolean;
  readonly is_expert: boolean;
  readonly verified: boolean;
  readonly domains: readonly string[];
}
const roles = async () => (await cloud.cloud.context.database.pool.query<RolesRow>('SELECT uid, staff, admin, is_expert, verified, anonymous, disabled_at, domains FROM auth.person ORDER BY uid')).rows;

describe('1§6: every route and every role ashore', () => {
  it('1§6: the policy is what stands here, route for route, and the app reads the same table', () => {
    expect(Object.keys(EXPECTED).sort()).toEqual(Object.keys(CLOUD_POLICY).sort());
    for (const [route, signs] of Object.entries(EXPECTED)) {
      for (const [n, who] of WHO.entries()) {
        expect(decideCloud(route, new Set(ROLES[who])) === 'allowed', `${route} for ${who}`).toBe(signs[n] !== '-');
        expect(may(new Set(ROLES[who]), route as 'GET /trace')).toBe(signs[n] !== '-');
      }
    }
  });

  it.each(Object.keys(EXPECTED).filter((route) => route !== 'OPTIONS *'))('1§6: %s lets in whom it should and nobody else, and makes nobody more than they are', async (route) => {
    const [method, place] = route.split(' ') as [string, string];
    const address = place.replace('/*', '/').replace(/:\w+/g, newId());
    const before = await roles();
    for (const [n, who] of WHO.entries()) {
      // Signing out ends the session: each gets one of its own.
      const token = route.endsWith('/sign-out') && isPerson(who) ? await freshSession(people[who].user.uid) : tokens[who];
      const status = await statusOf(method, address, token);
      // The door of the console is for anyone; who has an account and is no staff is told so there, with the sign-in below.
      if (route === 'GET /console' && isPerson(who) && who !== 'staff' && who !== 'anonymous') expect(status).toBe(403);
      else if (EXPECTED[route]![n] === '-') expect(status, `${route} for ${who}`).toBe(who === 'stranger' ? 401 : 403);
      else expect([401, 403], `${route} for ${who}: ${status}`).not.toContain(status);
    }
    // Who was made by the call (somebody without an address) is nobody special.
    const isNew = ({ uid }: { readonly uid: string }) => !before.some((one) => one.uid === uid);
    const after = await roles();
    expect(after.filter((row) => !isNew(row))).toEqual(before);
    expect(after.filter((row) => isNew(row) && (row.staff || row.admin || row.is_expert || row.verified || row.domains.length > 0))).toEqual([]);
  });

  it.each(Object.entries(READ_FORMS))('1§6: the read %s is for whom its form says', async (name, { forWhom }) => {
    for (const who of WHO) {
      const status = await statusOf('GET', `/api/query/${name}`, tokens[who]);
      if (forWhom === 'signed' && who === 'stranger') expect(status).toBe(401);
      else if (forWhom === 'staff' && who !== 'staff') expect(status, who).toBe(who === 'stranger' ? 401 : 403);
      else expect([401, 403], `${name} for ${who}`).not.toContain(status);
    }
  });

  it('1§6: what a person writes of their roles into their own profile counts for nothing; what the server knows is joined in', async () => {
    const { user, session } = people.verified;
    const op = makeOp('profile', { ...MORE, uid: user.uid, name: { first: 'Vera', last: '' }, isEmailVerified: false, since: 'x', lastLoginAt: 'x' }, { by: user.uid as never });
    const [result] = await cloud.ops([op], undefined, session);
    expect(result).toMatchObject({ receipt: { accepted: true } });
    const { body } = await cloud.get<{ items: { admin: unknown }[] }>(`/api/query/users?uids=${user.uid}`, people.staff.session);
    expect(body.items).toMatchObject([{ uid: user.uid, name: { first: 'Vera' }, admin: false, isExpert: false, verified: true, isEmailVerified: true, domains: ['example.org'], since: expect.stringMatching(/^20/), lastLoginAt: expect.stringMatching(/^20/) }]);
    expect((await cloud.get<{ user: object }>('/api/me', session)).body.user).toMatchObject({ name: { first: 'Vera' }, staff: false, admin: false, isExpert: false, verified: true, anonymous: false });
  });
});
