import { z } from 'zod';
import { datasetSchema } from '../../../src/domain/dataset/dataset';
import { ERRORS } from '../../../src/domain/errors';
import { CLAIMED_ROLES } from '../../../src/domain/policy/claimed-roles';
import type { DevicesReply } from '../accounts/sessions/devices';
import type {
  AdminUserReply,
  PeopleReply,
  AuditReply,
  PlacesReply,
  ProvenReply,
  ProviderStartReply,
  ProvidersReply,
} from '../../../src/protocol/accounts';
import { PROVIDERS } from '../../../src/protocol/accounts';
import type { MeReply, SessionReply, TokenReply } from '../../../src/protocol/cloud-auth';
import type {
  CloudKeysReply,
  DeviceRegistration,
  ErrorGroup,
  HaveReply,
  UploadReply,
} from '../../../src/protocol/cloud-http';
import { errorLogSchema, fleetReportSchema } from '../../../src/protocol/cloud-http';
import type {
  CodesSetupReply,
  FactorStartReply,
  PasskeySetupReply,
  RecoveryCodesReply,
  SecondFactorReply,
} from '../../../src/protocol/second-factor';
import { mapFilesSchema } from '../../../src/protocol/map-files';
import { publicKeySchema, receiptSchema } from '../../../src/protocol/receipt';

const ok = z.object({ ok: z.literal(true) });
const time = z.iso.datetime();
const writtenDataset = ok.extend({ dataset: datasetSchema, note: z.string().nullable() });

const errorGroup: z.ZodType<ErrorGroup> = z.object({
  id: z.string(),
  title: z.string(),
  version: z.string(),
  count: z.int(),
  firstAt: time,
  lastAt: time,
  closedAt: time.nullable(),
  example: errorLogSchema,
});

/** The domain checks it whole. */
const outlines = z.looseObject({ type: z.literal('FeatureCollection'), features: z.array(z.looseObject({})) });

export const errorSchema = z.object({
  ok: z.literal(false),
  error: z.looseObject({
    code: z.enum(Object.keys(ERRORS) as [keyof typeof ERRORS]),
    message: z.string(),
    retryable: z.boolean(),
  }),
});

/** Operation as sent, including fields of newer apps. */
const op = z.looseObject({
  v: z.literal(1),
  opId: z.string(),
  kind: z.string(),
  docId: z.string(),
  madeAt: time,
  schema: z.int(),
  body: z.looseObject({}),
  sha256: z.string(),
});
const name = z.object({ first: z.string(), last: z.string() });
const user = z.object({
  uid: z.string(),
  email: z.string(),
  name,
  pending: z.literal(false),
  isEmailVerified: z.boolean(),
  domains: z.array(z.string()),
  staff: z.boolean(),
  admin: z.boolean(),
  isExpert: z.boolean(),
  verified: z.boolean(),
  anonymous: z.boolean(),
  photoURL: z.string().nullable(),
  secondFactor: z
    .object({ status: z.enum(['passed', 'needed', 'missing']), roles: z.array(z.enum(['admin', 'staff'])) })
    .optional(),
});
const factorOverview: z.ZodType<SecondFactorReply> = ok.extend({
  codes: z.boolean(),
  passkeys: z.array(z.object({ id: z.string(), name: z.string(), addedAt: time, usedAt: time.nullable() })),
  recoveryCodes: z.int(),
});
const factorStart: z.ZodType<FactorStartReply> = ok.extend({
  codes: z.boolean(),
  passkey: z.looseObject({}).nullable(),
});
const passkeySetup: z.ZodType<PasskeySetupReply> = ok.extend({ options: z.looseObject({}) });
const codesSetup: z.ZodType<CodesSetupReply> = ok.extend({ secret: z.string(), uri: z.string() });
const recoveryCodes: z.ZodType<RecoveryCodesReply> = ok.extend({ recoveryCodes: z.array(z.string()) });
const proven: z.ZodType<ProvenReply> = ok.extend({ token: z.string() });
const me: z.ZodType<MeReply> = ok.extend({ user });
const signedToken: z.ZodType<TokenReply> = ok.extend({ token: z.string(), expiresAt: time });
const administered = user.extend({ disabled: z.boolean(), since: time.nullable(), lastLoginAt: time.nullable() });
const adminUser: z.ZodType<AdminUserReply> = ok.extend({ user: administered });
const people: z.ZodType<PeopleReply> = ok.extend({ people: z.array(administered), next: z.string().nullable() });
const session: z.ZodType<SessionReply> = ok.extend({ session: z.string(), user });
const upload: z.ZodType<UploadReply> = ok.extend({ uploadId: z.string(), offset: z.int(), complete: z.boolean() });
const devices: z.ZodType<DevicesReply> = ok.extend({
  devices: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      registeredAt: time,
      lastSeenAt: time.nullable(),
      revokedAt: time.nullable(),
      current: z.boolean(),
    }),
  ),
});
const have: z.ZodType<HaveReply> = ok.extend({ missing: z.array(z.string()), ended: z.literal('revoked').optional() });
const keys: z.ZodType<CloudKeysReply> = z.object({
  keys: z.array(publicKeySchema.extend({ for: z.enum(['receipt', 'trace']) })),
});
const registration: z.ZodType<DeviceRegistration> = ok.extend({
  credential: z.string(),
  cloud: z.object({ id: z.string(), storeEpoch: z.string() }),
  receiptKeys: z.array(publicKeySchema),
  traceKeys: z.array(publicKeySchema),
  limits: z.object({ chunkBytes: z.int(), imageBytes: z.int() }),
});
const providers: z.ZodType<ProvidersReply> = ok.extend({
  password: z.boolean(),
  providers: z.array(z.object({ id: z.enum(PROVIDERS), name: z.string(), linked: z.boolean() })),
});
const providerStart: z.ZodType<ProviderStartReply> = ok.extend({
  url: z.string(),
  state: z.string(),
  from: z.string(),
});
const places: z.ZodType<PlacesReply> = ok.extend({
  places: z.array(
    z.object({
      id: z.string(),
      value: z.string(),
      name: z.string(),
      country: z.string(),
      _geoloc: z.object({ lat: z.number(), lng: z.number() }),
    }),
  ),
});
const audit: z.ZodType<AuditReply> = ok.extend({
  entries: z.array(
    z.object({
      id: z.int(),
      at: time,
      by: z.string().nullable(),
      action: z.string(),
      about: z.string(),
      details: z.record(z.string(), z.unknown()),
    }),
  ),
  names: z.record(z.string(), name),
  next: z.int().nullable(),
});

/** Answer of the reads: documents in the shapes of the specification. */
export const READ_ANSWER = ok.extend({ items: z.array(z.looseObject({})), next: z.string().nullable() });

/** Schemas of successful JSON answers, by policy row. */
export const ANSWERS: Readonly<Record<string, z.ZodType>> = {
  'GET /mlRequestJson': outlines,
  'GET /api/map-files': ok.extend(mapFilesSchema.shape),
  'GET /api/keys': keys,
  'POST /api/ops': ok.extend({
    results: z.array(
      z.union([
        z.object({ opId: z.string().nullable(), receipt: receiptSchema }),
        z.object({ opId: z.string().nullable(), needs: z.array(z.string()) }),
        z.object({ opId: z.string().nullable(), error: errorSchema.shape.error }),
      ]),
    ),
  }),
  'POST /api/have': have,
  'POST /api/previews': ok,
  'POST /api/uploads': upload,
  'PATCH /api/uploads/:id': ok.extend({ offset: z.int() }),
  'GET /api/uploads/:id': ok.extend({ offset: z.int(), bytes: z.int(), complete: z.boolean() }),
  'GET /api/changes': z.object({
    storeEpoch: z.string(),
    entries: z.array(
      z.object({
        seq: z.int(),
        op: op.optional(),
        receipt: receiptSchema.optional(),
        by: z.string().optional(),
        roles: z.array(z.enum(CLAIMED_ROLES)).optional(),
        owned: z.looseObject({}).optional(),
      }),
    ),
    next: z.int(),
  }),
  'POST /api/datasets': writtenDataset,
  'PATCH /api/datasets/:id': writtenDataset,
  'DELETE /api/datasets/:id': writtenDataset,
  'POST /api/datasets/:id/restore': writtenDataset,
  'POST /api/datasets/:id/link': ok.extend({ unknown: z.array(z.string()) }),
  'POST /api/figures/renew': ok,
  'GET /api/figures/broken': ok.extend({ photographs: z.array(z.object({ imageId: z.string(), why: z.string() })) }),
  'POST /api/figures/broken/retry': ok.extend({ photographs: z.int() }),
  'POST /api/dataset-tag-surveys': ok.extend({ surveys: z.int(), changed: z.int() }),
  'POST /api/dataset-reporting-stats-backfill': ok.extend({
    stats: z.object({ surveys: z.int(), images: z.int(), reefs: z.int() }),
  }),
  'GET /api/fleet': ok.extend({
    boxes: z.array(
      z.object({
        node: z.string(),
        name: z.string(),
        firstSeenAt: time,
        lastSeenAt: time.nullable(),
        revokedAt: time.nullable(),
        report: fleetReportSchema.nullable(),
        warnings: z.array(z.string()),
      }),
    ),
    registered: z.array(z.looseObject({ id: z.string(), name: z.string(), node: z.string().nullable() })),
  }),
  'POST /api/fleet/report': ok.extend({ time }),
  'POST /api/fleet/boxes': ok.extend({ id: z.string(), token: z.string() }),
  'POST /api/fleet/boxes/:node/revoke': ok,
  'POST /api/fleet/keys': ok.extend({ people: z.int().optional() }),
  'GET /api/seal-key': z.object({ recipient: z.string() }),
  'GET /api/quarantine': ok.extend({
    items: z.array(z.looseObject({ seq: z.int(), op, reason: z.string() })),
    next: z.int(),
    more: z.boolean(),
  }),
  'POST /api/quarantine/:opId/release': ok.extend({ receipt: receiptSchema }),
  'GET /api/quarantine/groups': ok.extend({
    groups: z.array(
      z.looseObject({ count: z.int(), submitters: z.int(), firstAt: time, lastAt: time, lastSeq: z.int() }),
    ),
    total: z.int(),
  }),
  'POST /api/quarantine/release': ok.extend({
    done: z.int(),
    failed: z.array(z.object({ opId: z.string(), error: z.looseObject({ code: z.string() }) })),
    left: z.int(),
  }),
  'POST /api/quarantine/dismiss': ok.extend({ done: z.int() }),
  'POST /api/quarantine/restore': ok.extend({ done: z.int() }),
  'GET /api/query/:name': READ_ANSWER,
  'GET /api/reference': ok.extend({ references: z.array(z.object({ name: z.string(), etag: z.string() })) }),
  'GET /api/reference/:name': z.json(),
  'PUT /api/reference/:name': ok.extend({ name: z.string(), etag: z.string(), storedAt: time }),
  'POST /api/fn/send-user-login-code': ok,
  'POST /api/fn/verify-user-login-code': proven,
  'POST /api/fn/create-account': proven,
  'POST /api/fn/sign-in-with-password': proven,
  'POST /api/fn/send-password-reset': ok,
  'POST /api/fn/verify-password-reset': ok,
  'POST /api/fn/confirm-password-reset': proven,
  'POST /api/fn/sign-in-anonymously': proven,
  'POST /api/fn/sendauthenticationlink': ok,
  'POST /api/fn/verify-authentication-link': proven,
  'POST /api/account/password': ok,
  'POST /api/account/email': ok,
  'POST /api/account/email/confirm': ok,
  'PUT /api/account/photo': me,
  'GET /api/auth/providers': providers,
  'POST /api/auth/providers/:id/start': providerStart,
  'POST /api/auth/providers/:id/finish': ok.extend({ token: z.string().optional() }),
  'POST /api/auth/providers/:id/unlink': ok,
  'POST /api/auth/window/start': ok.extend({ state: z.string() }),
  'POST /api/auth/window/finish': ok.extend({ token: z.string() }),
  'POST /api/auth/custom-token': session,
  'GET /api/auth/jwks': z.object({ keys: z.array(z.looseObject({ kty: z.string(), kid: z.string() })) }),
  'GET /api/auth/token': signedToken,
  'GET /api/auth/edge-token': signedToken,
  'POST /api/auth/key': ok,
  'POST /api/auth/sign-out': ok,
  'GET /api/me': me,
  'GET /api/account/second-factor': factorOverview,
  'POST /api/account/second-factor/codes': codesSetup,
  'POST /api/account/second-factor/codes/confirm': recoveryCodes,
  'POST /api/account/second-factor/passkeys': passkeySetup,
  'POST /api/account/second-factor/passkeys/confirm': recoveryCodes,
  'POST /api/account/second-factor/recovery': recoveryCodes,
  'POST /api/account/second-factor/remove': ok,
  'POST /api/auth/second-factor/start': factorStart,
  'POST /api/auth/second-factor': me,
  'POST /api/admin/users/:uid/second-factor/reset': ok,
  'GET /api/devices': devices,
  'GET /api/admin/users/:uid/devices': devices,
  'POST /api/devices': registration,
  'POST /api/devices/revoke': ok,
  'GET /api/places': places,
  'GET /api/admin/users': adminUser,
  'GET /api/admin/people': people,
  'POST /api/admin/link': adminUser,
  'POST /api/admin/users/:uid/roles': adminUser,
  'GET /api/admin/audit': audit,
  'POST /api/log': ok,
  'GET /api/errors': ok.extend({ groups: z.array(errorGroup), open: z.int(), closed: z.int() }),
  'POST /api/errors/close': ok.extend({ closed: z.boolean() }),
  'POST /api/analytics': ok,
  'GET /healthz': ok.extend({
    node: z.string(),
    storeEpoch: z.string(),
    version: z.string(),
    disk: z.object({ free: z.number(), size: z.number() }),
    storageFull: z.boolean(),
  }),
  'GET /readyz': ok.extend({ version: z.string() }),
};
