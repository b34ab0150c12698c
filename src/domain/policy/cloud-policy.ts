import { hasRole } from './roles';
import type { CloudRole, CloudRoles } from './roles';

const ANYONE: readonly CloudRole[] = ['anyone'];
/** Somebody with an account of their own. */
const PERSON: readonly CloudRole[] = ['person'];
/** Whoever has a session, with an address or without. */
const SIGNED_IN: readonly CloudRole[] = ['anonymous', 'person'];
const BOX: readonly CloudRole[] = ['box'];
const ADMIN: readonly CloudRole[] = ['admin', 'staff'];
const STAFF: readonly CloudRole[] = ['staff'];
const BOX_OR_STAFF: readonly CloudRole[] = ['box', 'staff'];
const SENDER: readonly CloudRole[] = ['anonymous', 'person', 'device', 'box', 'staff'];

/** Who the reads are for that are not for anyone; see `GET /api/query/:name`. */
export const SIGNED_READERS: readonly CloudRole[] = SENDER;

/**
 * Who may do what ashore, in one table: each route has a row, and what has none is refused. The cloud enforces from here alone;
 * a test walks what is registered and fails for a missing row. Whose records one may write and see, `topic-policy.ts` says.
 *
 * What the table maps from: `METHOD route`. HEAD follows GET.
 */
export const CLOUD_POLICY: Readonly<Record<string, readonly CloudRole[]>> = {
  'GET /trace': ANYONE,
  'GET /api/keys': ANYONE,
  'GET /api/openapi.json': ANYONE,
  'POST /api/ops': SENDER,
  'POST /api/have': SENDER,
  'POST /api/previews': BOX,
  'POST /api/uploads': SENDER,
  'PATCH /api/uploads/:id': SENDER,
  'GET /api/uploads/:id': SENDER,
  'GET /api/blobs/:sha256': SENDER,
  'GET /api/changes': SENDER,
  'GET /api/changes/stream': SENDER,
  /** Who may read what stands with each read. */
  'GET /api/query/:name': ANYONE,
  'GET /api/reference': ANYONE,
  'GET /api/reference/:name': ANYONE,
  'PUT /api/reference/:name': STAFF,
  'GET /api/fleet': STAFF,
  'POST /api/fleet/report': BOX,
  'POST /api/fleet/boxes': STAFF,
  'POST /api/fleet/boxes/:node/revoke': STAFF,
  'POST /api/fleet/keys': BOX,
  'GET /api/seal-key': ANYONE,
  /** A box's own bundle, or any with a person of the staff. */
  'POST /api/import': BOX_OR_STAFF,
  'GET /api/quarantine': STAFF,
  'POST /api/quarantine/:opId/release': STAFF,
  'POST /api/fn/send-user-login-code': ANYONE,
  'POST /api/fn/verify-user-login-code': ANYONE,
  'POST /api/fn/create-account': ANYONE,
  'POST /api/fn/sign-in-with-password': ANYONE,
  'POST /api/fn/send-password-reset': ANYONE,
  'POST /api/fn/verify-password-reset': ANYONE,
  'POST /api/fn/confirm-password-reset': ANYONE,
  'POST /api/account/password': PERSON,
  'POST /api/account/email': PERSON,
  'POST /api/account/email/confirm': PERSON,
  'POST /api/fn/sign-in-anonymously': ANYONE,
  'POST /api/fn/sendauthenticationlink': ANYONE,
  'POST /api/fn/verify-authentication-link': ANYONE,
  'GET /api/auth/providers': ANYONE,
  /** To link a provider, a person; so too to finish that. */
  'POST /api/auth/providers/:id/start': ANYONE,
  /** The state in the address is the permission. */
  'GET /api/auth/providers/:id/callback': ANYONE,
  'POST /api/auth/providers/:id/finish': ANYONE,
  'POST /api/auth/providers/:id/unlink': PERSON,
  'POST /api/auth/custom-token': ANYONE,
  'GET /api/auth/jwks': ANYONE,
  'GET /api/auth/token': SIGNED_IN,
  'GET /api/auth/edge-token': SIGNED_IN,
  'POST /api/auth/sign-out': SIGNED_IN,
  'GET /api/me': SIGNED_IN,
  'GET /api/devices': SIGNED_IN,
  'POST /api/devices': SIGNED_IN,
  /** One's own; staff revoke anybody's. */
  'POST /api/devices/revoke': SIGNED_IN,
  'PUT /api/account/photo': PERSON,
  /** Its person chose it to be shown with their name, which leaderboards and surveys show to anyone. */
  'GET /users/:uid/profile.jpg': ANYONE,
  /** A geocoder is paid by the search: not for strangers. */
  'GET /api/places': SIGNED_IN,
  /** 1§5: an admin finds people and links them to events and organisations. Which roles they give: {@link CLOUD_RIGHTS}. */
  'GET /api/admin/users': ADMIN,
  'POST /api/admin/link': ADMIN,
  'POST /api/admin/users/:uid/roles': ADMIN,
  'GET /api/admin/audit': ADMIN,
  'POST /api/log': ANYONE,
  'POST /api/analytics': ANYONE,
  /** The token in the address is the permission. */
  'GET /cache/:size/:token/:url': ANYONE,
  /** The sign-in, for who is not staff. */
  'GET /console': ANYONE,
  'POST /console/sign-in': ANYONE,
  'POST /console/sign-out': STAFF,
  'POST /console/boxes': STAFF,
  'POST /console/boxes/revoke': STAFF,
  'POST /console/quarantine': STAFF,
  'POST /console/import': STAFF,
  'GET /console/receipts/:id': STAFF,
  'GET /console/aboard/:node': STAFF,
  'GET /console/previews/:sha256': STAFF,
  'GET /healthz': ANYONE,
  'GET /readyz': ANYONE,
  'GET /metrics': ANYONE,
  'GET /*': ANYONE,
  /** CORS preflights; they tell nothing. */
  'OPTIONS *': ANYONE,
};

/**
 * What is less, or more, than a route: the second half of the table. Roles that an admin gives are the lesser ones, so nobody makes
 * themselves or a friend what they are not.
 */
export const CLOUD_RIGHTS = {
  'give:verified': ADMIN,
  'give:isExpert': ADMIN,
  'give:disabled': ADMIN,
  'give:admin': STAFF,
  'give:staff': STAFF,
  /** To end the sign-ins of an admin or of staff, or to take a role from them, is to stand above them. */
  'change:admin': STAFF,
  'change:staff': STAFF,
  /** Who was shut out is the boxes' to know, which keep them out at sea. */
  'read:revocations': BOX_OR_STAFF,
  /** 2§2: "Verified or admin users see extra buttons: dashboard, library of the survey, and download analysis." */
  'analyse:extras': ['verified', 'admin', 'staff'],
  /** 2§6: "Get Started needs a signed-in user". */
  analyse: SIGNED_IN,
  /** 1§6, 2§6: expert images, advanced mode and the expert's version of an analysis, also when the season is closed. */
  'analyse:expert': ['expert'],
  /** 2§6: "saved analyses flagged verified". */
  'analyse:verified': ['verified'],
  /** 2§6: "may add organisations". */
  'add:organisation': ADMIN,
} as const satisfies Readonly<Record<string, readonly CloudRole[]>>;
export type CloudRight = keyof typeof CLOUD_RIGHTS;

/** The roles that a route's row allows, or undefined where there is no row. */
export function cloudPolicyRow(route: string): readonly CloudRole[] | undefined {
  return Object.hasOwn(CLOUD_POLICY, route) ? CLOUD_POLICY[route] : undefined;
}

/** What a row says to someone: `unknown` without a row, `unauthorised` to a stranger, `forbidden` to the known. */
export type CloudDecision = 'allowed' | 'unauthorised' | 'forbidden' | 'unknown';

export function decideCloud(route: string, roles: CloudRoles): CloudDecision {
  const allowed = cloudPolicyRow(route);
  if (allowed === undefined) return 'unknown';
  if (hasRole(roles, allowed)) return 'allowed';
  return [...roles].some((role) => role !== 'anyone') ? 'forbidden' : 'unauthorised';
}

/**
 * Whether somebody may do something ashore: what the app shows or hides, by the same table that the cloud enforces from.
 *
 * @param right a right, or a route as the table names it; one without a row is for nobody
 */
export function isAllowed(
  roles: CloudRoles,
  right: CloudRight | `${'GET' | 'POST' | 'PUT' | 'PATCH'} /${string}`,
): boolean {
  if (Object.hasOwn(CLOUD_RIGHTS, right)) return hasRole(roles, CLOUD_RIGHTS[right as CloudRight]);
  return decideCloud(right, roles) === 'allowed';
}
