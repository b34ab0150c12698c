import { createLocalJWKSet, decodeJwt, errors, jwtVerify } from 'jose';
import type { JSONWebKeySet, JWTPayload } from 'jose';
import { ReefError } from '../../src/domain/errors';
import { idSchema } from '../../src/domain/ids';
import { deviceKeySchema } from '../../src/domain/op/op';
import type { EdgeUser } from '../../src/protocol/edge-socket';
import type { TrustedTime } from './trusted-time';
import type { ReferenceData } from '../bridge/reference-data';

/** Signature algorithms with public keys; `none` and shared secrets are excluded. */
const ALGORITHMS = [
  'EdDSA',
  'Ed25519',
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'PS256',
  'RS384',
  'PS384',
  'RS512',
  'PS512',
];
const AUDIENCE = 'edge';

/** Verified cloud token, or one that is valid apart from its expiry. */
type CheckedToken = { readonly state: 'valid'; readonly person: EdgeUser } | { readonly state: 'expired' };

/**
 * Verifies a cloud token offline against the saved JWKS (protocol, Edge socket 1). Its `iat` updates the trusted time.
 *
 * @throws ReefError `unauthorised` for another audience, an unsigned or forged token, or while the box has no keys
 */
export async function checkCloudToken(
  token: string,
  reference: ReferenceData,
  time: TrustedTime,
): Promise<CheckedToken> {
  const saved = reference.get('jwks');
  if (saved === undefined)
    throw new ReefError('unauthorised', {
      field: 'token',
      message: 'The box has no keys of the cloud yet, so it cannot check who you are. Sign in at the box.',
    });
  try {
    const keys = createLocalJWKSet(JSON.parse(saved.body) as JSONWebKeySet);
    const issuedMs = (decodeJwt(token).iat ?? 0) * 1000;
    const { payload } = await jwtVerify(token, keys, {
      audience: AUDIENCE,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp', 'sub'],
      // A box whose clock is behind must not reject a fresh token as "not yet valid".
      currentDate: new Date(Math.max(time.now(), Number.isFinite(issuedMs) ? Math.min(issuedMs, 8.64e15) : 0)),
      clockTolerance: 60,
    });
    time.trust(issuedMs);
    return { state: 'valid', person: personOf(payload) };
  } catch (error) {
    // jose checks the time last: an expired token has the right signature and audience.
    if (error instanceof errors.JWTExpired) return { state: 'expired' };
    if (error instanceof ReefError) throw error;
    throw new ReefError('unauthorised', {
      field: 'token',
      message: 'The token was not made for this box by the cloud.',
      cause: error,
    });
  }
}

function personOf(payload: JWTPayload): EdgeUser {
  const uid = idSchema.safeParse(payload.sub);
  if (!uid.success) throw new ReefError('unauthorised', { field: 'token', message: 'The token names no person.' });
  const domains = payload['domains'];
  return {
    uid: uid.data,
    email: typeof payload['email'] === 'string' ? payload['email'] : '',
    name: nameOf(payload),
    pending: false,
    signedAt: (payload.iat ?? 0) * 1000,
    ...readCount(payload, 'ended'),
    ...readCount(payload, 'taken'),
    ...readKey(payload),
    ...(payload['isExpert'] === true ? { isExpert: true } : {}),
    ...(payload['admin'] === true ? { admin: true } : {}),
    ...(payload['verified'] === true ? { verified: true } : {}),
    ...(Array.isArray(domains) && domains.every((entry) => typeof entry === 'string') ? { domains } : {}),
  };
}

/** Device key that the token is for (`cnf`, RFC 7800). */
function readKey({ cnf }: JWTPayload): { key?: string } {
  if (cnf === undefined) return {};
  // A token for a key that the box cannot read is for no tablet here.
  const key = deviceKeySchema.safeParse((cnf as { jwk?: { x?: unknown } } | null)?.jwk?.x);
  return { key: key.success ? key.data : '' };
}

function readCount(payload: JWTPayload, name: 'ended' | 'taken'): { ended?: number; taken?: number } {
  const count = payload[name];
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? { [name]: count } : {};
}

function nameOf(payload: JWTPayload): { first: string; last: string } {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const { name } = payload;
  if (typeof name === 'object' && name !== null) {
    const parts = name as { first?: unknown; last?: unknown };
    return { first: text(parts.first), last: text(parts.last) };
  }
  const [first = '', ...rest] = text(name).split(' ');
  return { first: text(payload['given_name']) || first, last: text(payload['family_name']) || rest.join(' ') };
}
