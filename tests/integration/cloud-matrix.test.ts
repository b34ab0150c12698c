import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CLOUD_POLICY, decideCloud } from '../../src/domain/policy/cloud-policy';
import type { CloudRole } from '../../src/domain/policy/cloud-policy';
import type { TestCloud } from '../support/cloud';
import { startCloud } from '../support/cloud';
import { newId } from '../support/edge-client';
import type { SignedIn } from '../support/people';
import { registerDevice, signIn, signInStaff } from '../support/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const WHO = ['stranger', 'person', 'device', 'box', 'staff'] as const;
type Who = (typeof WHO)[number];

/**
 * Who gets past the door, written out a second time: whoever changes the policy says so here too. Each sign stands for one of
 * {@link WHO}, in that order: `s` stranger, `p` person, `d` device, `b` box, `S` staff, `-` refused.
 */
const EXPECTED: Readonly<Record<string, string>> = {
  'GET /trace': 'spdbS',
  'GET /api/keys': 'spdbS',
  'POST /api/ops': '-pdbS',
  'POST /api/have': '-pdbS',
  'POST /api/previews': '---b-',
  'POST /api/uploads': '-pdbS',
  'PATCH /api/uploads/:id': '-pdbS',
  'GET /api/uploads/:id': '-pdbS',
  'GET /api/blobs/:sha256': '-pdbS',
  'GET /api/changes': '-pdbS',
  'GET /api/changes/stream': '-pdbS',
  'GET /api/reference': 'spdbS',
  'GET /api/reference/:name': 'spdbS',
  'PUT /api/reference/:name': '----S',
  'GET /api/fleet': '----S',
  'POST /api/fleet/report': '---b-',
  'POST /api/fleet/boxes': '----S',
  'POST /api/fleet/boxes/:node/revoke': '----S',
  'POST /api/fleet/keys': '---b-',
  'GET /api/seal-key': 'spdbS',
  'POST /api/import': '---bS',
  'GET /api/quarantine': '----S',
  'POST /api/quarantine/:opId/release': '----S',
  'POST /api/fn/send-user-login-code': 'spdbS',
  'POST /api/fn/verify-user-login-code': 'spdbS',
  'POST /api/fn/create-account': 'spdbS',
  'POST /api/fn/sign-in-with-password': 'spdbS',
  'POST /api/fn/send-password-reset': 'spdbS',
  'POST /api/fn/verify-password-reset': 'spdbS',
  'POST /api/fn/confirm-password-reset': 'spdbS',
  'POST /api/account/password': '-p--S',
  'POST /api/account/email': '-p--S',
  'POST /api/account/email/confirm': '-p--S',
  'POST /api/auth/custom-token': 'spdbS',
  'GET /api/auth/jwks': 'spdbS',
  'GET /api/auth/token': '-p--S',
  'GET /api/auth/edge-token': '-p--S',
  'POST /api/auth/sign-out': '-p--S',
  'GET /api/me': '-p--S',
  'GET /api/devices': '-p--S',
  'POST /api/devices': '-p--S',
  'POST /api/devices/revoke': '-p--S',
  'POST /api/log': 'spdbS',
  'POST /api/analytics': 'spdbS',
  'GET /api/query/:name': 'spdbS',
  'GET /api/openapi.json': 'spdbS',
  'GET /cache/:size/:token/:url': 'spdbS',
  'GET /console': 'spdbS',
  'POST /console/sign-in': 'spdbS',
  'POST /console/sign-out': '----S',
  'POST /console/boxes': '----S',
  'POST /console/boxes/revoke': '----S',
  'POST /console/quarantine': '----S',
  'POST /console/import': '----S',
  'GET /console/receipts/:id': '----S',
  'GET /console/aboard/:node': '----S',
  'GET /console/previews/:sha256': '----S',
  'GET /healthz': 'spdbS',
  'GET /readyz': 'spdbS',
  'GET /metrics': 'spdbS',
  'GET /*': 'spdbS',
  'OPTIONS *': 'spdbS',
};

const ROLES: Readonly<Record<Who, readonly CloudRole[]>> = {
  stranger: ['anyone'],
  person: ['anyone', 'person'],
  device: ['anyone', 'device'],
  box: ['anyone', 'box'],
  staff: ['anyone', 'person', 'staff'],
};

let cloud: TestCloud;
let tokens: Record<Who, string | null>;
let person: SignedIn;
let staff: SignedIn;

beforeAll(async () => {
  cloud = await startCloud();
  person = await signIn(cloud, 'person@example.org');
  staff = await signInStaff(cloud, 'staff@example.org');
  tokens = { stranger: null, person: person.session, device: await registerDevice(cloud, person), box: cloud.boxToken, staff: staff.session };
});
afterAll(() => cloud.close());

/** The status of a call whose content is of no use to anyone: whoever is let in is told so, or that there is nothing. */
async function statusOf(method: string, place: string, token: string | null): Promise<number> {
  const answer = await fetch(new URL(place, cloud.url), {
    method,
    headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...(method === 'GET' || method === 'OPTIONS' ? {} : { 'content-type': 'application/json' }) },
    ...(method === 'GET' || method === 'OPTIONS' ? {} : { body: '{"none":true}' }),
  });
  // A stream of hints has no end.
  await answer.body?.cancel();
  return answer.status;
}

describe('1§6: every route and every role ashore', () => {
  it('1§6: the policy is what stands here, route for route', () => {
    expect(Object.keys(EXPECTED).sort()).toEqual(Object.keys(CLOUD_POLICY).sort());
    for (const [route, signs] of Object.entries(EXPECTED)) {
      for (const [n, who] of WHO.entries()) expect(decideCloud(route, new Set(ROLES[who])) === 'allowed', `${route} for ${who}`).toBe(signs[n] !== '-');
    }
  });

  it.each(Object.keys(EXPECTED).filter((route) => route !== 'OPTIONS *'))('1§6: %s lets in whom it should and nobody else', async (route) => {
    const [method, place] = route.split(' ') as [string, string];
    const address = place.replace('/*', '/').replace(/:\w+/g, newId());
    for (const [n, who] of WHO.entries()) {
      // Signing out ends the session: each gets one of its own.
      const token = route.endsWith('/sign-out') && (who === 'person' || who === 'staff') ? (await signIn(cloud, `${who}@example.org`)).session : tokens[who];
      const status = await statusOf(method, address, token);
      // The door of the console is for anyone; who is signed in and no staff is told so there, with the sign-in below.
      if (route === 'GET /console' && who === 'person') expect(status).toBe(403);
      else if (EXPECTED[route]![n] === '-') expect(status, `${route} for ${who}`).toBe(who === 'stranger' ? 401 : 403);
      else expect([401, 403], `${route} for ${who}: ${status}`).not.toContain(status);
    }
  });
});
