import { randomBytes } from 'node:crypto';
import { betterAuth } from 'better-auth';
import { jwt } from 'better-auth/plugins/jwt';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { makeId } from '../../../../src/domain/ids';
import { AUTH_LIMITS } from '../auth-limits';

/** Keys of tokens stay published after their use for longer than any token made with them lives. */
const KEYS_PUBLISHED_S = (AUTH_LIMITS.edgeTokenLifeMs * 2) / 1000;

/**
 * The accounts library over our PostgreSQL, schema `auth`: people, sessions, linked accounts, signing keys. None of its own HTTP
 * is served: each call of ours has its route and its row in the policy, and asks the library inside.
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
    // Calls are counted where they come in, by what they ask for.
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
