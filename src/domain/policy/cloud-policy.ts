import { hasRole } from './roles';
import type { CloudRole, CloudRoles } from './roles';

const ANYONE: readonly CloudRole[] = ['anyone'];
/** Person with an account. */
const PERSON: readonly CloudRole[] = ['person'];
/** Any session, with or without an email address. */
const SIGNED_IN: readonly CloudRole[] = ['anonymous', 'person'];
const BOX: readonly CloudRole[] = ['box'];
const ADMIN: readonly CloudRole[] = ['admin', 'staff'];
const STAFF: readonly CloudRole[] = ['staff'];
const BOX_OR_STAFF: readonly CloudRole[] = ['box', 'staff'];
const MONITOR_OR_STAFF: readonly CloudRole[] = ['monitor', 'staff'];
const READER: readonly CloudRole[] = ['anonymous', 'person', 'device', 'box', 'staff'];
/** Readers, and a revoked tablet, which may still deliver. */
const SENDER: readonly CloudRole[] = [...READER, 'revoked'];

/** Readers of queries that are not public; see `GET /api/query/:name`. */
export const SIGNED_READERS: readonly CloudRole[] = READER;

/**
 * Permissions of the cloud: one row per route; a route without a row is refused. The only place the cloud enforces
 * from; a test compares it with the registered routes. `topic-policy.ts` decides whose records a person may write and
 * see.
 *
 * Keys are `METHOD route`. HEAD follows GET.
 */
export const CLOUD_POLICY: Readonly<Record<string, readonly CloudRole[]>> = {
  'GET /trace': ANYONE,
  'GET /api/keys': ANYONE,
  'GET /api/openapi.json': ANYONE,
  'POST /api/ops': SENDER,
  /** Bytes that are still to be sent. */
  'POST /api/have': SENDER,
  'POST /api/previews': BOX,
  'POST /api/uploads': SENDER,
  'PATCH /api/uploads/:id': SENDER,
  'GET /api/uploads/:id': SENDER,
  'GET /api/blobs/:sha256': READER,
  'GET /api/changes': READER,
  'GET /api/changes/stream': READER,
  /** Each query declares its readers. */
  'GET /api/query/:name': ANYONE,
  'GET /api/reference': ANYONE,
  'GET /api/reference/:name': ANYONE,
  'PUT /api/reference/:name': STAFF,
  /** 1§6: "links datasets to surveys and features" is an admin's. */
  'POST /api/datasets': ADMIN,
  'PATCH /api/datasets/:id': ADMIN,
  'DELETE /api/datasets/:id': ADMIN,
  'POST /api/datasets/:id/restore': ADMIN,
  'POST /api/datasets/:id/link': ADMIN,
  'POST /api/dataset-tag-surveys': ADMIN,
  'POST /api/dataset-reporting-stats-backfill': ADMIN,
  /** Figures of the census. */
  'POST /api/figures/renew': STAFF,
  'GET /api/figures/broken': STAFF,
  'POST /api/figures/broken/retry': STAFF,
  /** Public files of regions. */
  'GET /cdn/map/*': ANYONE,
  'GET /api/fleet': STAFF,
  'POST /api/fleet/report': BOX,
  'POST /api/fleet/boxes': STAFF,
  'POST /api/fleet/boxes/:node/revoke': STAFF,
  'POST /api/fleet/keys': BOX,
  'GET /api/seal-key': ANYONE,
  /** A box imports its own bundle, staff any. */
  'POST /api/import': BOX_OR_STAFF,
  'GET /api/quarantine': STAFF,
  'POST /api/quarantine/:opId/release': STAFF,
  'GET /api/quarantine/groups': STAFF,
  'POST /api/quarantine/release': STAFF,
  'POST /api/quarantine/dismiss': STAFF,
  'POST /api/quarantine/restore': STAFF,
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
  /** Linking a provider, and finishing that, needs a person. */
  'POST /api/auth/providers/:id/start': ANYONE,
  /** The state in the URL is the permission. */
  'GET /api/auth/providers/:id/callback': ANYONE,
  'POST /api/auth/providers/:id/finish': ANYONE,
  'POST /api/auth/providers/:id/unlink': PERSON,
  /** Sign-in on a page of the cloud for the app of another origin; the state is the permission. */
  'POST /api/auth/window/start': ANYONE,
  'GET /api/auth/window': ANYONE,
  'POST /api/auth/window': ANYONE,
  'POST /api/auth/window/finish': ANYONE,
  'POST /api/auth/custom-token': ANYONE,
  'GET /api/auth/jwks': ANYONE,
  'GET /api/auth/token': SIGNED_IN,
  'GET /api/auth/edge-token': SIGNED_IN,
  'POST /api/auth/key': SIGNED_IN,
  'POST /api/auth/sign-out': SIGNED_IN,
  'GET /api/me': SIGNED_IN,
  /** Staff and admins have these roles only after the second factor; anyone with an account may prepare one. */
  'GET /api/account/second-factor': PERSON,
  'POST /api/account/second-factor/codes': PERSON,
  'POST /api/account/second-factor/codes/confirm': PERSON,
  'POST /api/account/second-factor/passkeys': PERSON,
  'POST /api/account/second-factor/passkeys/confirm': PERSON,
  'POST /api/account/second-factor/recovery': PERSON,
  'POST /api/account/second-factor/remove': PERSON,
  'POST /api/auth/second-factor/start': PERSON,
  'POST /api/auth/second-factor': PERSON,
  'GET /api/devices': SIGNED_IN,
  'POST /api/devices': SIGNED_IN,
  /** Own devices; staff revoke any. */
  'POST /api/devices/revoke': SIGNED_IN,
  'PUT /api/account/photo': PERSON,
  /** Public: its owner chose to show it with their name, for example on leaderboards. */
  'GET /users/:uid/profile.jpg': ANYONE,
  /** Signed-in callers only: the geocoder charges per search. */
  'GET /api/places': SIGNED_IN,
  /**
   * 1§5: an admin finds people and links them to events and organisations. {@link CLOUD_RIGHTS} limits the roles they
   * assign.
   */
  'GET /api/admin/users': ADMIN,
  'GET /api/admin/people': ADMIN,
  'POST /api/admin/link': ADMIN,
  'POST /api/admin/users/:uid/roles': ADMIN,
  /** For a person who lost theirs; `POST /api/devices/revoke` revokes one. */
  'GET /api/admin/users/:uid/devices': STAFF,
  /** For a person who lost it. */
  'POST /api/admin/users/:uid/second-factor/reset': STAFF,
  'GET /api/admin/audit': ADMIN,
  'POST /api/log': ANYONE,
  'GET /api/errors': STAFF,
  'POST /api/errors/close': STAFF,
  'POST /api/analytics': ANYONE,
  /** The token in the URL is the permission. */
  'GET /cache/:size/:token/:url': ANYONE,
  /** Outlines of a photograph, for the readers of its survey. */
  'GET /mlRequestJson': READER,
  /** Public map: its tiles, and its files as they go aboard. */
  'GET /tiles/:archive': ANYONE,
  'GET /tiles/:source/:z/:x/:y': ANYONE,
  'GET /api/map-files': ANYONE,
  'GET /api/map-files/:sha256': ANYONE,
  /** Sign-in page for anyone who is not staff. */
  'GET /console': ANYONE,
  'GET /console/passkey.js': ANYONE,
  'POST /console/sign-in': ANYONE,
  /** Staff who have not passed the second factor in this session. */
  'POST /console/second-factor': PERSON,
  'POST /console/sign-out': PERSON,
  'POST /console/boxes': STAFF,
  'POST /console/boxes/revoke': STAFF,
  'POST /console/quarantine': STAFF,
  'GET /console/held': STAFF,
  'POST /console/held': STAFF,
  'GET /console/errors': STAFF,
  'POST /console/errors': STAFF,
  'GET /console/datasets': STAFF,
  'POST /console/datasets': STAFF,
  'GET /console/figures': STAFF,
  'POST /console/figures': STAFF,
  'POST /console/pictures': STAFF,
  'POST /console/import': STAFF,
  'GET /console/receipts/:id': STAFF,
  'GET /console/aboard/:node': STAFF,
  'GET /console/previews/:sha256': STAFF,
  'GET /healthz': ANYONE,
  'GET /readyz': ANYONE,
  'GET /metrics': MONITOR_OR_STAFF,
  'GET /*': ANYONE,
  /** CORS preflights reveal nothing. */
  'OPTIONS *': ANYONE,
};

/**
 * Rights that are not routes. Admins assign only lesser roles, so they cannot promote themselves or others to staff.
 */
export const CLOUD_RIGHTS = {
  'give:verified': ADMIN,
  'give:isExpert': ADMIN,
  'give:disabled': ADMIN,
  'give:admin': STAFF,
  'give:staff': STAFF,
  /** Revoking sessions or roles of an admin or staff needs staff. */
  'change:admin': STAFF,
  'change:staff': STAFF,
  /** Revocations are for boxes, which enforce them at sea. */
  'read:revocations': BOX_OR_STAFF,
  /** 2§2: "Verified or admin users see extra buttons: dashboard, library of the survey, and download analysis." */
  'analyse:extras': ['verified', 'admin', 'staff'],
  /** 2§6: "Get Started needs a signed-in user". */
  analyse: SIGNED_IN,
  /** 1§6, 2§6: expert images, advanced mode and the expert version of an analysis, even in closed season. */
  'analyse:expert': ['expert'],
  /** 2§6: "saved analyses flagged verified". */
  'analyse:verified': ['verified'],
  /** 2§6: "may add organisations". */
  'add:organisation': ADMIN,
} as const satisfies Readonly<Record<string, readonly CloudRole[]>>;
export type CloudRight = keyof typeof CLOUD_RIGHTS;

export function cloudPolicyRow(route: string): readonly CloudRole[] | undefined {
  return Object.hasOwn(CLOUD_POLICY, route) ? CLOUD_POLICY[route] : undefined;
}

/** Decision of a row: `unknown` without a row, `unauthorised` for a stranger, `forbidden` for a known caller. */
export type CloudDecision = 'allowed' | 'unauthorised' | 'forbidden' | 'unknown';

export function decideCloud(route: string, roles: CloudRoles): CloudDecision {
  const allowed = cloudPolicyRow(route);
  if (allowed === undefined) return 'unknown';
  if (hasRole(roles, allowed)) return 'allowed';
  return [...roles].some((role) => role !== 'anyone') ? 'forbidden' : 'unauthorised';
}

/**
 * True if the roles allow something in the cloud: the app shows and hides by the same table that the cloud enforces.
 *
 * @param right a right, or a route as in the table; false without a row
 */
export function isAllowed(
  roles: CloudRoles,
  right: CloudRight | `${'GET' | 'POST' | 'PUT' | 'PATCH'} /${string}`,
): boolean {
  if (Object.hasOwn(CLOUD_RIGHTS, right)) return hasRole(roles, CLOUD_RIGHTS[right as CloudRight]);
  return decideCloud(right, roles) === 'allowed';
}
