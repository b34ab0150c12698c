import { randomBytes } from 'node:crypto';
import { betterAuth } from 'better-auth';
import { jwt } from 'better-auth/plugins/jwt';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { makeId } from '../../../../src/domain/ids';
import { AUTH_LIMITS } from '../auth-limits';

/** Time a key stays published after use; longer than any token it signed. */
const KEYS_PUBLISHED_S = (AUTH_LIMITS.edgeTokenLifeMs * 2) / 1000;

/**
 * Accounts library over schema `auth`. Its own HTTP is not served; each of our calls has its route and policy row.
 *
 * @param secret encrypts the private keys
 */
export function openAuthLibrary(kysely: Kysely<unknown>, secret: string, baseUrl: string, log: Logger) {
  return betterAuth({
    baseURL: baseUrl,
    basePath: '/api/auth',
    secret,
    telemetry: { enabled: false },
    database: { db: kysely, type: 'postgres', schemaName: 'auth', transaction: true },
    session: { expiresIn: AUTH_LIMITS.sessionLifeMs / 1000 },
    // Our routes limit their own calls.
    rateLimit: { enabled: false },
    advanced: { database: { generateId: () => makeId((n) => randomBytes(n)) } },
    logger: {
      log: (level, message, ...more) => {
        const details = more.filter((one) => one instanceof Error).map((error) => ({ err: error }))[0] ?? {};
        if (level === 'error') log.error(details, message);
        else if (level === 'warn') log.warn(details, message);
        else log.debug(details, message);
      },
    },
    plugins: [
      jwt({
        jwks: { keyPairConfig: { alg: 'EdDSA', crv: 'Ed25519' }, gracePeriod: KEYS_PUBLISHED_S },
        disableSettingJwtHeader: true,
      }),
    ],
  });
}

export type AuthLibrary = ReturnType<typeof openAuthLibrary>;
