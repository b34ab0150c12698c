/**
 * Who may do what at the edge, in one table: each socket event, query, kind of operation and HTTP route has a row, and
 * what has none is refused. Servers enforce from here alone; a test walks what is registered and fails for a missing row.
 *
 * The roles so far (protocol, Edge socket and Edge HTTP):
 * - `anyone` on the network;
 * - `device`: a tablet that was verified, whoever holds it; it may relay operations of any person;
 * - `person`: a verified tablet where someone is signed in;
 * - `admin`: holds the box's admin token (console, bridge).
 */
export type EdgeRole = 'anyone' | 'device' | 'person' | 'admin';

export type EdgeRoles = ReadonlySet<EdgeRole>;

const ANYONE: readonly EdgeRole[] = ['anyone'];
const DEVICE: readonly EdgeRole[] = ['device'];
const READER: readonly EdgeRole[] = ['device', 'admin'];
const PERSON: readonly EdgeRole[] = ['person'];
const ADMIN: readonly EdgeRole[] = ['admin'];

/** What each table maps from: the name of an event, query, kind, or `METHOD route`. HEAD follows GET. */
export const EDGE_POLICY = {
  socket: {
    verify: ANYONE,
    profile: DEVICE,
    survey: DEVICE,
    'image:path': DEVICE,
    'image:binary': DEVICE,
    'image:record': DEVICE,
    analysis: DEVICE,
    query: DEVICE,
    unsubscribe: DEVICE,
    owing: DEVICE,
  },
  query: {
    meta: READER,
    gps: READER,
    surveys: READER,
    locations: READER,
    /** Over the socket a tablet's own scope; over HTTP everything, for the admin token. */
    changes: READER,
    track: READER,
    senders: READER,
  },
  /** Reference data that is not for every reader of `GET /edge/reference/:name`. */
  reference: { revocations: ADMIN },
  op: { profile: READER, survey: READER, image: READER, analysis: READER },
  http: {
    'GET /edge/trace': ANYONE,
    'GET /edge/keys': ANYONE,
    'GET /edge/trust': ANYONE,
    'GET /edge/trust/ca.crt': ANYONE,
    'GET /edge/trust/box.mobileconfig': ANYONE,
    /** With what another tablet is paired: whoever holds a paired tablet may bring in the next. */
    'GET /edge/pairing': READER,
    'POST /edge/sign-in': ANYONE,
    'POST /edge/profile': PERSON,
    'POST /edge/disconnect': DEVICE,
    'GET /edge/meta': READER,
    'GET /edge/gps': READER,
    'GET /edge/surveys': READER,
    'GET /edge/locations': READER,
    'GET /edge/track': READER,
    'GET /edge/senders': READER,
    'GET /edge/reference/:name': READER,
    'PUT /edge/reference/:name': ADMIN,
    'PATCH /edge/uploads/:id': DEVICE,
    'GET /edge/uploads/:id': DEVICE,
    /** Whoever has the record may see the picture. */
    'GET /edge/previews/:imageId': READER,
    /** The token in the address is the permission. */
    'GET /cache/:size/:token/:url': ANYONE,
    'GET /tiles/:archive': ANYONE,
    'GET /tiles/:source/:z/:x/:y': ANYONE,
    'GET /edge/changes': ADMIN,
    'GET /edge/blobs/:sha256': ADMIN,
    'GET /edge/blobs/:sha256/preview': ADMIN,
    'POST /edge/ops': ADMIN,
    'GET /edge/export': ADMIN,
    'GET /edge/console': ADMIN,
    'POST /edge/console': ADMIN,
    'GET /edge/diagnostics': ADMIN,
    'GET /edge/bridge': READER,
    'POST /edge/bridge': ADMIN,
    'POST /edge/freeing': ADMIN,
    'GET /healthz': ANYONE,
    'GET /metrics': ANYONE,
    'GET /*': ANYONE,
    /** CORS preflights; they tell nothing. */
    'OPTIONS *': ANYONE,
  },
} as const satisfies Record<string, Readonly<Record<string, readonly EdgeRole[]>>>;

export type EdgePolicyTable = keyof typeof EDGE_POLICY;

/** The roles that a row allows, or undefined where there is no row. */
export function edgePolicyRow(table: EdgePolicyTable, name: string): readonly EdgeRole[] | undefined {
  const rows: Readonly<Record<string, readonly EdgeRole[]>> = EDGE_POLICY[table];
  return Object.hasOwn(rows, name) ? rows[name] : undefined;
}

/** What a row says to someone: `unknown` without a row, `unauthorised` to a stranger, `forbidden` to the known. */
export type EdgeDecision = 'allowed' | 'unauthorised' | 'forbidden' | 'unknown';

export function decideEdge(table: EdgePolicyTable, name: string, roles: EdgeRoles): EdgeDecision {
  const allowed = edgePolicyRow(table, name);
  if (allowed === undefined) return 'unknown';
  if (allowed.some((role) => role === 'anyone' || roles.has(role))) return 'allowed';
  return roles.has('device') || roles.has('admin') ? 'forbidden' : 'unauthorised';
}
