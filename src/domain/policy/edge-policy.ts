/**
 * Permissions at the edge: one row per socket event, query, kind of operation and HTTP route; anything without a row is
 * refused. The only place servers enforce from; a test compares it with what is registered.
 *
 * Roles (protocol, Edge socket and Edge HTTP):
 * - `anyone` on the network;
 * - `device`: a verified tablet, also one whose access ended: it may relay operations of any person;
 * - `reader`: a verified tablet whose access has not ended;
 * - `person`: a reader with a signed-in person;
 * - `manager`: a person who is an admin of the census, proven ashore;
 * - `admin`: holder of the box's admin token (console, bridge).
 */
export type EdgeRole = 'anyone' | 'device' | 'reader' | 'person' | 'manager' | 'admin';

export type EdgeRoles = ReadonlySet<EdgeRole>;

const ANYONE: readonly EdgeRole[] = ['anyone'];
const DEVICE: readonly EdgeRole[] = ['device'];
const READER: readonly EdgeRole[] = ['reader', 'admin'];
const SENDER: readonly EdgeRole[] = ['device', 'admin'];
const PERSON: readonly EdgeRole[] = ['person'];
const MANAGER: readonly EdgeRole[] = ['manager', 'admin'];
const ADMIN: readonly EdgeRole[] = ['admin'];

/** Keys are the name of an event, query or kind, or `METHOD route`. HEAD follows GET. */
export const EDGE_POLICY = {
  socket: {
    verify: ANYONE,
    profile: DEVICE,
    survey: DEVICE,
    'image:path': DEVICE,
    'image:binary': DEVICE,
    'image:record': DEVICE,
    analysis: DEVICE,
    query: READER,
    unsubscribe: DEVICE,
    owing: DEVICE,
  },
  query: {
    meta: READER,
    gps: READER,
    surveys: READER,
    locations: READER,
    /** Over the socket the tablet's own scope; over HTTP everything, with the admin token. */
    changes: READER,
    track: READER,
    senders: READER,
  },
  /** Reference data that `GET /edge/reference/:name` restricts further. */
  reference: { revocations: ADMIN },
  op: { profile: SENDER, survey: SENDER, image: SENDER, analysis: SENDER },
  http: {
    'GET /edge/trace': ANYONE,
    'GET /edge/keys': ANYONE,
    'GET /edge/trust': ANYONE,
    'GET /edge/trust/ca.crt': ANYONE,
    'GET /edge/trust/box.mobileconfig': ANYONE,
    /** Pairing code: a paired tablet may invite another. */
    'GET /edge/pairing': READER,
    /** Own sessions for a person, all for a manager and for the console. */
    'GET /edge/sessions': READER,
    'POST /edge/sessions/end': READER,
    'POST /edge/pairing': MANAGER,
    'POST /edge/sign-in': ANYONE,
    'POST /edge/profile': PERSON,
    'POST /edge/disconnect': DEVICE,
    'GET /edge/meta': READER,
    'GET /edge/gps': READER,
    'GET /edge/surveys': READER,
    /** Photographs of a survey, as its card lists them. */
    'GET /edge/images': READER,
    'GET /edge/locations': READER,
    'GET /edge/track': READER,
    'GET /edge/senders': READER,
    'GET /edge/reference/:name': READER,
    'PUT /edge/reference/:name': ADMIN,
    'PATCH /edge/uploads/:id': DEVICE,
    'GET /edge/uploads/:id': DEVICE,
    /** Readers of the record may see its picture. */
    'GET /edge/previews/:imageId': READER,
    /** The token in the URL is the permission. */
    'GET /cache/:size/:token/:url': ANYONE,
    'GET /tiles/:archive': ANYONE,
    'GET /tiles/:source/:z/:x/:y': ANYONE,
    'GET /edge/changes': ADMIN,
    'GET /edge/blobs/:sha256': ADMIN,
    'GET /edge/blobs/:sha256/preview': ADMIN,
    'POST /edge/ops': ADMIN,
    'GET /edge/people': ADMIN,
    'GET /edge/export': ADMIN,
    'GET /edge/console': ADMIN,
    'POST /edge/console': ADMIN,
    'GET /edge/diagnostics': ADMIN,
    /** Error reports of tablets, which the bridge carries ashore. */
    'POST /edge/log': DEVICE,
    'GET /edge/log': ADMIN,
    'POST /edge/log/sent': ADMIN,
    /** Events of use of tablets, likewise. */
    'POST /edge/analytics': DEVICE,
    'GET /edge/analytics': ADMIN,
    'POST /edge/analytics/sent': ADMIN,
    /** Outlines that the bridge brings; the readers of a record may see them. */
    'GET /mlRequestJson': READER,
    'GET /edge/outlines': ADMIN,
    'PUT /edge/outlines/:imageId': ADMIN,
    /** Public map, the same as in the cloud; the bridge sends it. */
    'GET /cdn/map/*': ANYONE,
    'PUT /edge/map-files': ADMIN,
    'PATCH /edge/map-files/:sha256': ADMIN,
    'GET /edge/bridge': READER,
    'POST /edge/bridge': ADMIN,
    'POST /edge/freeing': ADMIN,
    'GET /healthz': ANYONE,
    'GET /metrics': ADMIN,
    'GET /*': ANYONE,
    /** CORS preflights reveal nothing. */
    'OPTIONS *': ANYONE,
  },
} as const satisfies Record<string, Readonly<Record<string, readonly EdgeRole[]>>>;

type EdgePolicyTable = keyof typeof EDGE_POLICY;

export function edgePolicyRow(table: EdgePolicyTable, name: string): readonly EdgeRole[] | undefined {
  const rows: Readonly<Record<string, readonly EdgeRole[]>> = EDGE_POLICY[table];
  return Object.hasOwn(rows, name) ? rows[name] : undefined;
}

/** Decision of a row: `unknown` without a row, `unauthorised` for a stranger, `forbidden` for a known caller. */
type EdgeDecision = 'allowed' | 'unauthorised' | 'forbidden' | 'unknown';

export function decideEdge(table: EdgePolicyTable, name: string, roles: EdgeRoles): EdgeDecision {
  const allowed = edgePolicyRow(table, name);
  if (allowed === undefined) return 'unknown';
  if (allowed.some((role) => role === 'anyone' || roles.has(role))) return 'allowed';
  return roles.has('device') || roles.has('admin') ? 'forbidden' : 'unauthorised';
}
