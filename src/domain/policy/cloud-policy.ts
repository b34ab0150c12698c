/**
 * Who may do what ashore, in one table: each route has a row, and what has none is refused. The cloud enforces from here alone;
 * a test walks what is registered and fails for a missing row.
 *
 * - `anyone` on the internet;
 * - `person`: someone who is signed in;
 * - `device`: a tablet that a person made known; whose operations it may relay, `topic-policy.ts` says;
 * - `box`: the bridge of a vessel's box;
 * - `staff`: a person who runs the census.
 */
export type CloudRole = 'anyone' | 'person' | 'device' | 'box' | 'staff';

export type CloudRoles = ReadonlySet<CloudRole>;

const ANYONE: readonly CloudRole[] = ['anyone'];
const PERSON: readonly CloudRole[] = ['person'];
const BOX: readonly CloudRole[] = ['box'];
const STAFF: readonly CloudRole[] = ['staff'];
const BOX_OR_STAFF: readonly CloudRole[] = ['box', 'staff'];
const SENDER: readonly CloudRole[] = ['person', 'device', 'box', 'staff'];

/** What the table maps from: `METHOD route`. HEAD follows GET. */
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
  'POST /api/auth/custom-token': ANYONE,
  'GET /api/auth/jwks': ANYONE,
  'GET /api/auth/token': PERSON,
  'GET /api/auth/edge-token': PERSON,
  'POST /api/auth/sign-out': PERSON,
  'GET /api/me': PERSON,
  'GET /api/devices': PERSON,
  'POST /api/devices': PERSON,
  /** One's own; staff revoke anybody's. */
  'POST /api/devices/revoke': PERSON,
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

/** The roles that a route's row allows, or undefined where there is no row. */
export function cloudPolicyRow(route: string): readonly CloudRole[] | undefined {
  return Object.hasOwn(CLOUD_POLICY, route) ? CLOUD_POLICY[route] : undefined;
}

/** What a row says to someone: `unknown` without a row, `unauthorised` to a stranger, `forbidden` to the known. */
export type CloudDecision = 'allowed' | 'unauthorised' | 'forbidden' | 'unknown';

export function decideCloud(route: string, roles: CloudRoles): CloudDecision {
  const allowed = cloudPolicyRow(route);
  if (allowed === undefined) return 'unknown';
  if (allowed.some((role) => role === 'anyone' || roles.has(role))) return 'allowed';
  return [...roles].some((role) => role !== 'anyone') ? 'forbidden' : 'unauthorised';
}
