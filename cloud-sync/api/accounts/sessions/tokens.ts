import { SignJWT, createLocalJWKSet, errors, jwtVerify } from 'jose';
import type { JSONWebKeySet, JWTPayload } from 'jose';
import { CLOUD_AUDIENCE, EDGE_AUDIENCES } from '../../../../src/protocol/cloud-auth';
import type { CloudUser } from '../../../../src/protocol/cloud-auth';
import { AUTH_LIMITS } from '../auth-limits';
import type { Person } from '../people/people';
import type { PersonSession } from './person-sessions';
import type { SigningKeys } from './signing-keys';

/** Minimum interval between key reloads, for any `kid`. */
const KEY_REFRESH_MS = 10_000;

/** Token and its expiry (ms since 1970). */
export interface SignedToken {
  readonly token: string;
  readonly expiresAt: number;
}

/**
 * JSON Web Tokens, Ed25519: a short one for the cloud, valid as long as its session, and a long one that boxes verify
 * offline. Neither replaces the other.
 */
export class Tokens {
  #keySet: { readonly keyResolver: ReturnType<typeof createLocalJWKSet>; readonly at: number } | undefined;

  readonly #issuer: string;
  readonly #clock: () => number;
  readonly #keys: SigningKeys;

  constructor(issuer: string, clock: () => number, keys: SigningKeys) {
    this.#issuer = issuer;
    this.#clock = clock;
    this.#keys = keys;
  }

  /** Public keys, by which boxes verify tokens offline. */
  jwks(): Promise<JSONWebKeySet> {
    return this.#keys.published();
  }

  async forCloud({ id, person }: PersonSession): Promise<SignedToken> {
    return this.#sign({ sub: person.uid, sid: id, aud: CLOUD_AUDIENCE }, AUTH_LIMITS.appTokenLifeMs);
  }

  /** Issues the token with which a person signs in aboard, on the device with this key. Its roles inform their tablet and grant nothing aboard. */
  async forEdge(
    { uid, email, name, domains, admin, isExpert, verified }: CloudUser,
    { signInsEnded, rolesTaken }: Pick<Person, 'signInsEnded' | 'rolesTaken'>,
    deviceKey: string | null,
  ): Promise<SignedToken> {
    return this.#sign(
      {
        sub: uid,
        email,
        name,
        domains,
        admin,
        isExpert,
        verified,
        ended: signInsEnded,
        taken: rolesTaken,
        aud: [...EDGE_AUDIENCES],
        // RFC 7800: a box takes it from the holder of this key alone.
        ...(deviceKey === null ? {} : { cnf: { jwk: { kty: 'OKP', crv: 'Ed25519', x: deviceKey } } }),
      },
      AUTH_LIMITS.edgeTokenLifeMs,
    );
  }

  /** Returns the session id of a short token; undefined if expired, forged, unsigned or for another audience. */
  async verifySessionToken(token: string): Promise<string | undefined> {
    try {
      const { payload } = await jwtVerify(token, await this.#keyResolver(), {
        audience: CLOUD_AUDIENCE,
        issuer: this.#issuer,
        algorithms: ['EdDSA', 'Ed25519'],
        requiredClaims: ['exp', 'sub', 'sid'],
        currentDate: new Date(this.#clock()),
        clockTolerance: 5,
      });
      return typeof payload['sid'] === 'string' ? payload['sid'] : undefined;
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey && this.#isStale()) {
        this.#keySet = undefined;
        return this.verifySessionToken(token);
      }
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }

  #isStale(): boolean {
    return this.#keySet !== undefined && performance.now() - this.#keySet.at > KEY_REFRESH_MS;
  }

  async #keyResolver(): Promise<ReturnType<typeof createLocalJWKSet>> {
    this.#keySet ??= { keyResolver: createLocalJWKSet(await this.jwks()), at: performance.now() };
    return this.#keySet.keyResolver;
  }

  async #sign(claims: JWTPayload, lifeMs: number): Promise<SignedToken> {
    const now = this.#clock();
    const exp = Math.floor((now + lifeMs) / 1000);
    const { kid, privateKey } = await this.#keys.current();
    const token = await new SignJWT({ ...claims, iss: this.#issuer, iat: Math.floor(now / 1000), exp })
      .setProtectedHeader({ alg: 'EdDSA', kid })
      .sign(privateKey);
    return { token, expiresAt: exp * 1000 };
  }
}
