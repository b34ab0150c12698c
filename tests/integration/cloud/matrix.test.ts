import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { READ_SIGNATURES } from '../../../cloud-sync/api/reads/reads';
import { CLOUD_POLICY, decideCloud, isAllowed } from '../../../src/domain/policy/cloud-policy';
import type { CloudRole } from '../../../src/domain/policy/roles';
import type { TestCloud } from '../../support/servers/cloud';
import { startCloud } from '../../support/servers/cloud';
import { makeOp, newId } from '../../support/servers/edge-client';
import type { SignedIn } from '../../support/servers/people';
import { registerDevice, signIn, signInAs, signInStaff } from '../../support/servers/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const WHO = [
  'stranger',
  'anonymous',
  'person',
  'verified',
  'expert',
  'admin',
  'device',
  'box',
  'staff',
  'revoked',
] as const;
type Who = (typeof WHO)[number];
const PEOPLE = ['anonymous', 'person', 'verified', 'expert', 'admin', 'staff'] as const;

/** One sign per entry of {@link WHO}, in order; `-` is refused. */
const [ALL, SENDERS, READERS, SIGNED, PERSON, ADMIN, STAFF, BOX, BOX_STAFF] = [
  'sapveAdbSr',
  '-apveAdbSr',
  '-apveAdbS-',
  '-apveA--S-',
  '--pveA--S-',
  '-----A--S-',
  '--------S-',
  '-------b--',
  '-------bS-',
] as const;

function expected(
  groups: readonly (readonly [signs: string, ...routes: string[]])[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(groups.flatMap(([signs, ...routes]) => routes.map((route) => [route, signs])));
}

/** Access repeated by hand, so that a policy change must be confirmed here. */
const EXPECTED: Readonly<Record<string, string>> = expected([
  [
    ALL,
    'GET /trace',
    'GET /api/keys',
    'GET /api/reference',
    'GET /api/reference/:name',
    'GET /api/seal-key',
    'POST /api/fn/send-user-login-code',
    'POST /api/fn/verify-user-login-code',
    'POST /api/fn/create-account',
    'POST /api/fn/sign-in-with-password',
    'POST /api/fn/send-password-reset',
    'POST /api/fn/verify-password-reset',
    'POST /api/fn/confirm-password-reset',
    'POST /api/fn/sign-in-anonymously',
    'POST /api/fn/sendauthenticationlink',
    'POST /api/fn/verify-authentication-link',
    'GET /api/auth/providers',
    'POST /api/auth/providers/:id/start',
    'GET /api/auth/providers/:id/callback',
    'POST /api/auth/providers/:id/finish',
    'POST /api/auth/window/start',
    'GET /api/auth/window',
    'POST /api/auth/window',
    'POST /api/auth/window/finish',
    'POST /api/auth/custom-token',
    'GET /api/auth/jwks',
    'GET /users/:uid/profile.jpg',
    'POST /api/log',
    'POST /api/analytics',
    'GET /api/query/:name',
    'GET /api/openapi.json',
    'GET /cache/:size/:token/:url',
    'GET /cdn/map/*',
    'GET /console',
    'GET /console/passkey.js',
    'POST /console/sign-in',
    'GET /tiles/:archive',
    'GET /tiles/:source/:z/:x/:y',
    'GET /api/map-files',
    'GET /api/map-files/:sha256',
    'GET /healthz',
    'GET /readyz',
    'GET /*',
    'OPTIONS *',
  ],
  [SENDERS, 'POST /api/ops', 'POST /api/have', 'POST /api/uploads', 'PATCH /api/uploads/:id', 'GET /api/uploads/:id'],
  [READERS, 'GET /api/blobs/:sha256', 'GET /api/changes', 'GET /api/changes/stream', 'GET /mlRequestJson'],
  [BOX, 'POST /api/previews', 'POST /api/fleet/report', 'POST /api/fleet/keys'],
  [
    STAFF,
    'POST /api/figures/renew',
    'GET /api/figures/broken',
    'POST /api/figures/broken/retry',
    'GET /metrics',
    'PUT /api/reference/:name',
    'GET /api/fleet',
    'POST /api/fleet/boxes',
    'POST /api/fleet/boxes/:node/revoke',
    'GET /api/quarantine',
    'POST /api/quarantine/:opId/release',
    'GET /api/quarantine/groups',
    'POST /api/quarantine/release',
    'POST /api/quarantine/dismiss',
    'POST /api/quarantine/restore',
    'GET /api/admin/users/:uid/devices',
    'POST /api/admin/users/:uid/second-factor/reset',
    'POST /console/boxes',
    'POST /console/boxes/revoke',
    'POST /console/quarantine',
    'GET /console/held',
    'POST /console/held',
    'GET /api/errors',
    'POST /api/errors/close',
    'GET /console/errors',
    'POST /console/errors',
    'GET /console/datasets',
    'POST /console/datasets',
    'GET /console/figures',
    'POST /console/figures',
    'POST /console/pictures',
    'POST /console/import',
    'GET /console/receipts/:id',
    'GET /console/aboard/:node',
    'GET /console/previews/:sha256',
  ],
  [BOX_STAFF, 'POST /api/import'],
  [
    PERSON,
    'POST /api/account/password',
    'POST /api/account/email',
    'POST /api/account/email/confirm',
    'POST /api/auth/providers/:id/unlink',
    'PUT /api/account/photo',
    'GET /api/account/second-factor',
    'POST /api/account/second-factor/codes',
    'POST /api/account/second-factor/codes/confirm',
    'POST /api/account/second-factor/passkeys',
    'POST /api/account/second-factor/passkeys/confirm',
    'POST /api/account/second-factor/recovery',
    'POST /api/account/second-factor/remove',
    'POST /api/auth/second-factor/start',
    'POST /api/auth/second-factor',
    'POST /console/second-factor',
    'POST /console/sign-out',
  ],
  [
    SIGNED,
    'GET /api/auth/token',
    'GET /api/auth/edge-token',
    'POST /api/auth/key',
    'POST /api/auth/sign-out',
    'GET /api/me',
    'GET /api/devices',
    'POST /api/devices',
    'POST /api/devices/revoke',
    'GET /api/places',
  ],
  [
    ADMIN,
    'GET /api/admin/users',
    'GET /api/admin/people',
    'POST /api/admin/link',
    'POST /api/admin/users/:uid/roles',
    'GET /api/admin/audit',
    'POST /api/datasets',
    'PATCH /api/datasets/:id',
    'DELETE /api/datasets/:id',
    'POST /api/datasets/:id/restore',
    'POST /api/datasets/:id/link',
    'POST /api/dataset-tag-surveys',
    'POST /api/dataset-reporting-stats-backfill',
  ],
]);

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
  revoked: ['anyone', 'revoked'],
};

/** Claims that grant no role to anyone. */
const MORE = {
  admin: true,
  staff: true,
  isExpert: true,
  verified: true,
  roles: ['staff', 'admin'],
  role: 'staff',
  domains: ['reefwatch'],
  data: { admin: true },
  user: { admin: true, uid: newId() },
  uid: newId(),
};

let cloud: TestCloud;
let tokens: Record<Who, string | null>;
let people: Record<(typeof PEOPLE)[number], SignedIn>;

beforeAll(async () => {
  cloud = await startCloud();
  const [anonymous, person, verified, expert, admin] = await Promise.all([
    signInAs(cloud, 'anonymous'),
    signIn(cloud, 'person@example.org'),
    signInAs(cloud, 'verified'),
    signInAs(cloud, 'is_expert'),
    signInAs(cloud, 'admin'),
  ]);
  people = { anonymous, person, verified, expert, admin, staff: await signInStaff(cloud, 'staff@example.org') };
  tokens = {
    stranger: null,
    device: await registerDevice(cloud, person),
    box: cloud.boxToken,
    revoked: await revokedTablet(person),
    ...(Object.fromEntries(PEOPLE.map((who) => [who, people[who].session])) as Record<(typeof PEOPLE)[number], string>),
  };
});
afterAll(() => cloud.close());

async function revokedTablet(person: SignedIn): Promise<string> {
  const id = newId();
  const credential = await registerDevice(cloud, await signIn(cloud, person.user.email), id);
  expect((await cloud.post('/api/devices/revoke', { device: { id } }, person.session)).status).toBe(200);
  return credential;
}

/** Separate session for one call. */
async function freshSession(uid: string): Promise<string> {
  const { sessions } = cloud.cloud.context.accounts;
  return (await sessions.exchange(await sessions.issueCustomToken(uid as never))).session;
}

/** Status of a call with useless content: an admitted caller gets an error or not found. */
async function statusOf(method: string, place: string, token: string | null): Promise<number> {
  const answer = await fetch(new URL(place, cloud.url), {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(method === 'GET' || method === 'OPTIONS' ? {} : { 'content-type': 'application/json' }),
    },
    ...(method === 'GET' || method === 'OPTIONS' ? {} : { body: JSON.stringify(MORE) }),
  });
  // Hint streams never end.
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
const roles = async () =>
  (
    await cloud.cloud.context.database.pool.query<RolesRow>(
      'SELECT uid, staff, admin, is_expert, verified, anonymous, disabled_at, domains FROM auth.person ORDER BY uid',
    )
  ).rows;

describe('1§6: every cloud route and every role', () => {
  it('1§6: the policy equals the table below, route for route, and the app reads the same one', () => {
    expect(Object.keys(EXPECTED).sort()).toEqual(Object.keys(CLOUD_POLICY).sort());
    for (const [route, signs] of Object.entries(EXPECTED)) {
      for (const [n, who] of WHO.entries()) {
        expect(decideCloud(route, new Set(ROLES[who])) === 'allowed', `${route} for ${who}`).toBe(signs[n] !== '-');
        expect(isAllowed(new Set(ROLES[who]), route as 'GET /trace')).toBe(signs[n] !== '-');
      }
    }
  });

  it.each(Object.keys(EXPECTED).filter((route) => route !== 'OPTIONS *'))(
    '1§6: %s admits the right roles, refuses the rest and grants no role',
    async (route) => {
      const [method, place] = route.split(' ') as [string, string];
      const address = place.replace('/*', '/').replace(/:\w+/g, newId());
      const before = await roles();
      for (const [n, who] of WHO.entries()) {
        // Sign-out ends the session, so each call gets its own.
        const token =
          route.endsWith('/sign-out') && isPerson(who) ? await freshSession(people[who].user.uid) : tokens[who];
        const status = await statusOf(method, address, token);
        // Console entry is public; a person without staff rights is refused there, above the sign-in.
        if (route === 'GET /console' && isPerson(who) && who !== 'staff' && who !== 'anonymous')
          expect(status).toBe(403);
        else if (EXPECTED[route]![n] === '-')
          expect(status, `${route} for ${who}`).toBe(who === 'stranger' ? 401 : 403);
        else expect([401, 403], `${route} for ${who}: ${status}`).not.toContain(status);
      }
      // A person created by the call (anonymous) has no role.
      const isNew = ({ uid }: { readonly uid: string }) => !before.some((one) => one.uid === uid);
      const after = await roles();
      expect(after.filter((row) => !isNew(row))).toEqual(before);
      expect(
        after.filter(
          (row) => isNew(row) && (row.staff || row.admin || row.is_expert || row.verified || row.domains.length > 0),
        ),
      ).toEqual([]);
    },
  );

  it.each(Object.entries(READ_SIGNATURES))(
    '1§6: the read %s is for the roles that its form names',
    async (name, { audience }) => {
      for (const who of WHO) {
        const status = await statusOf('GET', `/api/query/${name}`, tokens[who]);
        if (audience === 'signed' && who === 'stranger') expect(status).toBe(401);
        else if (audience === 'signed' && who === 'revoked') expect(status).toBe(403);
        else if (audience === 'staff' && who !== 'staff') expect(status, who).toBe(who === 'stranger' ? 401 : 403);
        else expect([401, 403], `${name} for ${who}`).not.toContain(status);
      }
    },
  );

  it('1§6: roles in a person’s own profile are ignored, and the server adds the real ones', async () => {
    const { user, session } = people.verified;
    const op = makeOp(
      'profile',
      {
        ...MORE,
        uid: user.uid,
        name: { first: 'Vera', last: '' },
        isEmailVerified: false,
        since: 'x',
        lastLoginAt: 'x',
      },
      { by: user.uid as never },
    );
    const [result] = await cloud.ops([op], undefined, session);
    expect(result).toMatchObject({ receipt: { accepted: true } });
    const { body } = await cloud.get<{ items: { admin: unknown }[] }>(
      `/api/query/users?uids=${user.uid}`,
      people.staff.session,
    );
    expect(body.items).toMatchObject([
      {
        uid: user.uid,
        name: { first: 'Vera' },
        admin: false,
        isExpert: false,
        verified: true,
        isEmailVerified: true,
        domains: ['example.org'],
        since: expect.stringMatching(/^20/),
        lastLoginAt: expect.stringMatching(/^20/),
      },
    ]);
    expect((await cloud.get<{ user: object }>('/api/me', session)).body.user).toMatchObject({
      name: { first: 'Vera' },
      staff: false,
      admin: false,
      isExpert: false,
      verified: true,
      anonymous: false,
    });
  });
});
