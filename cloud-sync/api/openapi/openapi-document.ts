import { z } from 'zod';
import { CLOUD_POLICY, SIGNED_READERS } from '../../../src/domain/policy/cloud-policy';
import type { CloudRole } from '../../../src/domain/policy/roles';
import { cloudChangesParamsSchema } from '../../../src/protocol/changes';
import {
  anonymousSignInSchema,
  changeEmailSchema,
  changePasswordSchema,
  confirmEmailSchema,
  confirmResetSchema,
  createAccountSchema,
  passwordSignInSchema,
  providerFinishSchema,
  providerStartSchema,
  windowFinishSchema,
  windowStartSchema,
  sendLinkSchema,
  sendResetSchema,
  verifyLinkSchema,
  verifyResetSchema,
} from '../../../src/protocol/accounts';
import { deviceKeyFormSchema } from '../../../src/protocol/device-answer';
import { customTokenSchema, sendLoginCodeSchema, verifyLoginCodeSchema } from '../../../src/protocol/cloud-auth';
import {
  adminUserQuerySchema,
  auditQuerySchema,
  linkSchema,
  peopleQuerySchema,
  photoSchema,
  placesQuerySchema,
  rolesSchema,
} from '../../../src/protocol/accounts';
import { BUNDLE, boxKeysSchema, importQuerySchema } from '../../../src/protocol/bundle';
import {
  analyticsSchema,
  boxRegistrationSchema,
  closeErrorGroupSchema,
  cloudOpsSchema,
  deviceRegistrationSchema,
  deviceRevocationSchema,
  errorGroupsParamsSchema,
  errorLogSchema,
  fleetReportSchema,
  haveSchema,
  previewsSchema,
  uploadSchema,
} from '../../../src/protocol/cloud-http';
import { mlRequestSchema } from '../../../src/protocol/outlines';
import {
  quarantineGroupsParamsSchema,
  quarantineParamsSchema,
  quarantineRestoreSchema,
  quarantineSelectionSchema,
} from '../../../src/protocol/quarantine';
import { receiptSchema } from '../../../src/protocol/receipt';
import { ANSWERS, READ_ANSWER, errorSchema } from './openapi-answers';
import { DATASET_DESCRIPTIONS } from './dataset-descriptions';
import { MAP_DESCRIPTIONS } from './map-descriptions';
import { SECOND_FACTOR_DESCRIPTIONS } from './second-factor-descriptions';
import type { RouteDescription } from './route-description';
import { READ_SIGNATURES } from '../reads/reads';

const DESCRIPTIONS: Readonly<Record<string, RouteDescription>> = {
  'GET /trace': {
    summary: 'Which server answers, as plain key=value lines; for a nonce, signed with the trace key.',
    query: z.object({ nonce: z.string().optional() }),
    responseType: 'text/plain',
  },
  'GET /api/keys': { summary: 'Public keys of receipts and traces.' },
  'GET /api/openapi.json': { summary: 'This document.' },
  'POST /api/ops': {
    summary: 'Submits operations; each gets a receipt, the hashes of bytes it waits for, or an error.',
    body: cloudOpsSchema,
  },
  'POST /api/have': {
    summary: 'Which of these bytes the cloud does not have whole, or of which it has no small picture.',
    body: haveSchema,
  },
  'POST /api/previews': { summary: 'Small pictures of photographs that are still aboard.', body: previewsSchema },
  'POST /api/uploads': { summary: 'Starts an upload; returns the offset to continue from.', body: uploadSchema },
  'PATCH /api/uploads/:id': { summary: 'Sends bytes from Upload-Offset.', requestType: 'application/partial-upload' },
  'GET /api/uploads/:id': { summary: 'How far an upload is (HEAD: Upload-Offset, Upload-Length).' },
  'GET /api/blobs/:sha256': {
    summary: 'The bytes of a photograph; one range at a time.',
    responseType: 'application/octet-stream',
  },
  'GET /api/changes': { summary: 'A page of what is new for the caller.', query: cloudChangesParamsSchema },
  'GET /api/changes/stream': {
    summary: 'Server-sent events: hints that there is something new.',
    responseType: 'text/event-stream',
  },
  'POST /api/fleet/report': { summary: 'Status report of a box.', body: fleetReportSchema },
  'POST /api/fleet/boxes': { summary: 'Registers a box; its token is shown this once.', body: boxRegistrationSchema },
  'POST /api/fleet/boxes/:node/revoke': { summary: 'Shuts a box out; what it holds stays aboard.' },
  'GET /api/fleet': { summary: 'The boxes, what they say of themselves, and what to look at.' },
  'POST /api/fleet/keys': {
    summary: 'What a box signs its sealed bundles and its receipts with.',
    body: boxKeysSchema,
  },
  'GET /api/seal-key': { summary: 'The key that bundles are sealed to.' },
  'POST /api/import': {
    summary: 'Imports a sealed bundle; returns the outcome of each operation, one per line.',
    query: importQuerySchema,
    requestType: BUNDLE.media,
    responseType: 'application/x-ndjson',
  },
  'GET /api/query/:name': { summary: 'A read of the specification; each has its own description here.' },
  'GET /api/quarantine': { summary: 'Operations in quarantine, oldest first.', query: quarantineParamsSchema },
  'POST /api/quarantine/:opId/release': { summary: 'Releases an operation from quarantine; returns its new receipt.' },
  'GET /api/quarantine/groups': {
    summary: 'Quarantine in groups, by reason or by submitter, the smallest first.',
    query: quarantineGroupsParamsSchema,
  },
  'POST /api/quarantine/release': { summary: 'Releases many operations.', body: quarantineSelectionSchema },
  'POST /api/quarantine/dismiss': {
    summary: 'Dismisses many operations: they stay stored and leave the list.',
    body: quarantineSelectionSchema,
  },
  'POST /api/quarantine/restore': {
    summary: 'Puts dismissed operations back into the list.',
    body: quarantineRestoreSchema,
  },
  'GET /api/reference': { summary: 'The names of reference data.' },
  'GET /api/reference/:name': { summary: 'Reference data; with If-None-Match not sent again.' },
  'PUT /api/reference/:name': { summary: 'Puts reference data.', body: z.json() },
  'POST /api/fn/send-user-login-code': { summary: 'Mails a code to sign in with.', body: sendLoginCodeSchema },
  'POST /api/fn/verify-user-login-code': {
    summary: 'Exchanges the code for a custom token.',
    body: verifyLoginCodeSchema,
  },
  'POST /api/fn/create-account': {
    summary: 'Creates an account with an unconfirmed address; returns a custom token.',
    body: createAccountSchema,
  },
  'POST /api/fn/sign-in-with-password': {
    summary: 'Exchanges address and password for a custom token.',
    body: passwordSignInSchema,
  },
  'POST /api/fn/send-password-reset': { summary: 'Mails a code to choose a new password with.', body: sendResetSchema },
  'POST /api/fn/verify-password-reset': {
    summary: 'Whether that is the code; it stays good.',
    body: verifyResetSchema,
  },
  'POST /api/fn/confirm-password-reset': {
    summary: 'Exchanges the code and a new password for a custom token; ends all sign-ins.',
    body: confirmResetSchema,
  },
  'POST /api/account/password': {
    summary: 'Changes the password; the other sign-ins end.',
    body: changePasswordSchema,
  },
  'POST /api/account/email': { summary: 'Mails a code to a new address.', body: changeEmailSchema },
  'POST /api/account/email/confirm': {
    summary: 'Takes the code; the address becomes that of the account.',
    body: confirmEmailSchema,
  },
  'POST /api/fn/sign-in-anonymously': {
    summary: 'Creates an anonymous account; returns a custom token.',
    body: anonymousSignInSchema,
  },
  'POST /api/fn/sendauthenticationlink': { summary: 'Mails a link to sign in with.', body: sendLinkSchema },
  'POST /api/fn/verify-authentication-link': {
    summary: 'Exchanges the token of the link for a custom token.',
    body: verifyLinkSchema,
  },
  'GET /api/auth/providers': { summary: 'Where else one may sign in, and what the caller has linked.' },
  'POST /api/auth/providers/:id/start': {
    summary: 'Starts a sign-in with a provider; returns the address for the popup.',
    body: providerStartSchema,
  },
  'GET /api/auth/providers/:id/callback': {
    summary: 'Callback of the provider: a page that notifies the window which opened it.',
    query: z.object({ state: z.string().optional(), code: z.string().optional(), error: z.string().optional() }),
    responseType: 'text/html',
  },
  'POST /api/auth/providers/:id/finish': {
    summary: 'Exchanges the ticket of the popup for a custom token, or links the provider.',
    body: providerFinishSchema,
  },
  'POST /api/auth/window/start': {
    summary: 'Starts a sign-in on the cloud’s own page, for an app of another origin.',
    body: windowStartSchema,
  },
  'GET /api/auth/window': { summary: 'That page: address, then code or password.', responseType: 'text/html' },
  'POST /api/auth/window': {
    summary: 'The forms of that page; the last one hands a ticket to the window that opened it.',
    requestType: 'application/x-www-form-urlencoded',
    responseType: 'text/html',
  },
  'POST /api/auth/window/finish': { summary: 'Exchanges that ticket for a custom token.', body: windowFinishSchema },
  'POST /api/auth/providers/:id/unlink': { summary: 'Takes this way to sign in away, but not the last.' },
  'POST /api/auth/custom-token': { summary: 'Exchanges a custom token for a session.', body: customTokenSchema },
  'GET /api/auth/jwks': { summary: 'Public keys of tokens.' },
  'GET /api/auth/token': { summary: 'A short token for the cloud.' },
  'GET /api/auth/edge-token': { summary: 'A box token, valid for a voyage.' },
  'POST /api/auth/key': {
    summary: 'Certifies the key of this device for the signed-in person.',
    body: deviceKeyFormSchema,
  },
  'POST /api/auth/sign-out': { summary: 'Ends the session.' },
  'GET /api/me': { summary: 'Who is signed in.' },
  ...SECOND_FACTOR_DESCRIPTIONS,
  ...DATASET_DESCRIPTIONS,
  'GET /api/devices': { summary: 'Tablets of the signed-in person.' },
  'POST /api/devices/revoke': {
    summary: 'Shuts a tablet out; what it holds stays on it.',
    body: deviceRevocationSchema,
  },
  'POST /api/devices': { summary: 'Registers a tablet; returns its credential.', body: deviceRegistrationSchema },
  'PUT /api/account/photo': {
    summary: 'Sets uploaded bytes as the profile photo of the signed-in person; null removes it.',
    body: photoSchema,
  },
  'GET /users/:uid/profile.jpg': { summary: 'The photograph of a person, 256 px.', responseType: 'image/jpeg' },
  'GET /api/places': { summary: 'Up to five places by the beginning of their names.', query: placesQuerySchema },
  'GET /api/admin/users': { summary: 'A person by their address.', query: adminUserQuerySchema },
  'GET /api/admin/people': {
    summary: 'People by the beginning of an address or of the words of a name, a page at a time.',
    query: peopleQuerySchema,
  },
  'POST /api/admin/link': { summary: 'Links a person to an event or organisation by its handle.', body: linkSchema },
  'GET /api/admin/users/:uid/devices': { summary: 'Tablets of a person.' },
  'POST /api/admin/users/:uid/roles': {
    summary: 'Grants or removes a person’s roles, or disables the person.',
    body: rolesSchema,
  },
  'GET /api/admin/audit': {
    summary: 'What was done to accounts and by whom, the latest first.',
    query: auditQuerySchema,
  },
  'POST /api/log': { summary: 'An error that an app met.', body: errorLogSchema },
  'GET /api/errors': { summary: 'Error reports in groups, the latest first.', query: errorGroupsParamsSchema },
  'POST /api/errors/close': {
    summary: 'Closes a group of error reports until the next one arrives.',
    body: closeErrorGroupSchema,
  },
  'POST /api/analytics': { summary: 'What an app counts of its use.', body: analyticsSchema },
  'GET /cache/:size/:token/:url': { summary: 'A photograph at 800, 2000 or 4000 px.', responseType: 'image/webp' },
  'GET /mlRequestJson': {
    summary: 'Outlines of a photograph as a GeoJSON FeatureCollection; status 500: there are none.',
    query: mlRequestSchema,
  },
  ...MAP_DESCRIPTIONS,
  'GET /healthz': { summary: 'The process lives.' },
  'GET /readyz': { summary: 'The database answers.' },
  'GET /metrics': { summary: 'Figures for Prometheus.', responseType: 'text/plain' },
};

type JsonSchema = {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
};

function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  return rest;
}

/** Roles of the policy table for each read audience. */
const READERS: Readonly<Record<(typeof READ_SIGNATURES)[string]['audience'], readonly CloudRole[]>> = {
  anyone: ['anyone'],
  signed: SIGNED_READERS,
  staff: ['staff'],
};

/** OpenAPI 3.1 description: every policy route and every read, with the schemas in use. */
export function openApiDocument(version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [route, roles] of Object.entries(CLOUD_POLICY)) {
    const [method = '', url = ''] = route.split(' ');
    if (url.includes('*')) continue;
    const place = url.replace(/:(\w+)/g, '{$1}');
    (paths[place] ??= {})[method.toLowerCase()] = operationOf(
      url,
      roles,
      DESCRIPTIONS[route] ?? { summary: route },
      ANSWERS[route],
    );
  }
  for (const [name, { audience, params }] of Object.entries(READ_SIGNATURES)) {
    paths[`/api/query/${name}`] = {
      get: operationOf('', READERS[audience], { summary: `The read "${name}".`, query: params }, READ_ANSWER),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Great Reef Census: the cloud',
      version,
      description:
        'Operations go up, receipts come back. Every refusal is {ok: false, error} with a code of one catalogue; retryable says whether trying again can help.',
    },
    paths,
    components: {
      schemas: { Error: toJsonSchema(errorSchema), Receipt: toJsonSchema(receiptSchema) },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of a box, the credential of a tablet, or the session of a person.',
        },
      },
    },
  };
}

function operationOf(
  url: string,
  roles: readonly CloudRole[],
  { summary, body, query, requestType, responseType = 'application/json' }: RouteDescription,
  answer: z.ZodType | undefined,
): object {
  const inPath = [...url.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const { properties = {}, required = [] } = query === undefined ? {} : toJsonSchema(query);
  const inQuery = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
  const content =
    requestType !== undefined
      ? { [requestType]: {} }
      : body !== undefined
        ? { 'application/json': { schema: toJsonSchema(body) } }
        : undefined;
  return {
    summary,
    'x-roles': roles,
    ...(roles.includes('anyone') ? {} : { security: [{ bearer: [] }] }),
    ...(inPath.length + inQuery.length === 0 ? {} : { parameters: [...inPath, ...inQuery] }),
    ...(content === undefined ? {} : { requestBody: { required: true, content } }),
    responses: {
      200: {
        description: 'Done.',
        content: { [responseType]: answer === undefined ? {} : { schema: toJsonSchema(answer) } },
      },
      default: {
        description: 'Refused, in words.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}
