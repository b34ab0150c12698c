// First: a dependency of the library needs it.
import 'reflect-metadata';
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { decodeAttestationObject, isoBase64URL, isoCBOR } from '@simplewebauthn/server/helpers';
import type { Pool, PoolClient } from 'pg';
import { ReefError } from '../../../../src/domain/errors';
import type { PersonId } from '../../../../src/domain/ids';
import { SECOND_FACTOR_MESSAGES } from '../../../../src/domain/messages';
import type { PasskeyFacts } from '../../../../src/protocol/second-factor';
import { inTransaction } from '../../postgres/with-client';
import { AUTH_LIMITS } from '../auth-limits';
import { lockPerson } from '../people/account-access';
import type { PersonSession } from '../sessions/person-sessions';
import type { SecondFactors } from './second-factors';

/** Site that a passkey belongs to: an origin of this service, and its host, which the authenticator signs. */
export interface PasskeySite {
  readonly origin: string;
  readonly host: string;
}

interface PasskeyRow {
  readonly id: string;
  readonly name: string;
  readonly public_key: Buffer;
  readonly counter: string;
  readonly transports: AuthenticatorTransport[];
  readonly made_at: Date;
  readonly used_at: Date | null;
}

const MAX = 10;

/** Passkeys as second factor (WebAuthn level 2), checked by `@simplewebauthn/server`. */
export class Passkeys {
  readonly #pool: Pool;
  readonly #factors: SecondFactors;
  readonly #clock: () => number;

  constructor(pool: Pool, factors: SecondFactors, clock: () => number) {
    this.#pool = pool;
    this.#factors = factors;
    this.#clock = clock;
  }

  async list(uid: PersonId): Promise<readonly PasskeyFacts[]> {
    return (await this.#rows(this.#pool, uid)).map(({ id, name, made_at: madeAt, used_at: usedAt }) => ({
      id,
      name,
      addedAt: madeAt.toISOString(),
      usedAt: usedAt?.toISOString() ?? null,
    }));
  }

  /**
   * Begins to add a passkey.
   *
   * @returns options for the browser
   * @throws ReefError as `SecondFactors.requireChange`; `forbidden` beyond ten
   */
  async beginAdding(session: PersonSession, site: PasskeySite): Promise<PublicKeyCredentialCreationOptionsJSON> {
    return inTransaction(this.#pool, async (client) => {
      const { uid, email } = session.person;
      await this.#factors.requireChange(client, session);
      const known = await this.#rows(client, uid);
      if (known.length >= MAX)
        throw new ReefError('forbidden', { field: 'passkey', message: SECOND_FACTOR_MESSAGES.tooManyPasskeys });
      const options = await generateRegistrationOptions({
        rpName: 'Great Reef Census',
        rpID: site.host,
        userName: email,
        userID: new TextEncoder().encode(uid),
        attestationType: 'none',
        excludeCredentials: known.map(({ id, transports }) => ({ id, transports })),
        authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
      });
      await this.#storeChallenge(client, session.id, 'add', options.challenge);
      return options;
    });
  }

  /**
   * Adds a passkey; the session has passed with it.
   *
   * @returns recovery codes, shown this once; none if the person has some already
   * @throws ReefError `bad-message` {field: 'passkey'}, as `SecondFactors.requireChange`
   */
  async add(
    session: PersonSession,
    site: PasskeySite,
    { name, response }: { readonly name: string; readonly response: RegistrationResponseJSON },
  ): Promise<readonly string[]> {
    const challenge = await this.#takeChallenge(session.id, 'add');
    const { registrationInfo: info } = await accepted(() =>
      verifyRegistrationResponse({
        response: withoutAttestation(response),
        expectedChallenge: challenge,
        expectedOrigin: site.origin,
        expectedRPID: site.host,
        requireUserVerification: false,
      }),
    );
    if (info === undefined) throw refusedPasskey();
    const { id, publicKey, counter, transports } = info.credential;
    const recovery = await inTransaction(this.#pool, async (client) => {
      await this.#factors.requireChange(client, session, AUTH_LIMITS.recentSignInMs);
      const made = await client.query(
        'INSERT INTO auth.passkey (id, uid, public_key, counter, transports, name, made_at) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING',
        [id, session.person.uid, Buffer.from(publicKey), counter, transports ?? [], name, new Date(this.#clock())],
      );
      if (made.rowCount !== 1) throw refusedPasskey();
      return this.#factors.finishSetup(client, session, 'passkey added');
    });
    this.#factors.changed();
    return recovery;
  }

  /**
   * Begins to pass with a passkey.
   *
   * @returns options for the browser; null without a passkey
   */
  async beginPassing(session: PersonSession, site: PasskeySite): Promise<PublicKeyCredentialRequestOptionsJSON | null> {
    const known = await this.#rows(this.#pool, session.person.uid);
    if (known.length === 0) return null;
    const options = await generateAuthenticationOptions({
      rpID: site.host,
      allowCredentials: known.map(({ id, transports }) => ({ id, transports })),
      userVerification: 'preferred',
    });
    await this.#storeChallenge(this.#pool, session.id, 'pass', options.challenge);
    return options;
  }

  /** Passes with a passkey. @throws ReefError `bad-message` {field: 'passkey'} */
  async pass(session: PersonSession, site: PasskeySite, response: AuthenticationResponseJSON): Promise<void> {
    const { uid } = session.person;
    const challenge = await this.#takeChallenge(session.id, 'pass');
    await inTransaction(this.#pool, async (client) => {
      // The lock serialises answers, so that a copied authenticator's counter is seen.
      await lockPerson(client, uid);
      const row = (await this.#rows(client, uid)).find(({ id }) => id === response.id);
      if (row === undefined) throw refusedPasskey();
      const { authenticationInfo: info } = await accepted(() =>
        verifyAuthenticationResponse({
          response,
          expectedChallenge: challenge,
          expectedOrigin: site.origin,
          expectedRPID: site.host,
          credential: {
            id: row.id,
            publicKey: new Uint8Array(row.public_key),
            counter: Number(row.counter),
            transports: row.transports,
          },
          requireUserVerification: false,
        }),
      );
      await client.query('UPDATE auth.passkey SET counter = $2, used_at = $3 WHERE id = $1', [
        row.id,
        info.newCounter,
        new Date(this.#clock()),
      ]);
      await this.#factors.markPassed(client, session);
    });
    this.#factors.changed();
  }

  /** Removes a passkey. @throws ReefError `not-found`, as `SecondFactors.requireChange` */
  async remove(session: PersonSession, id: string): Promise<void> {
    await this.#factors.removeWay(session, 'passkey removed', async (client) => {
      const gone = await client.query('DELETE FROM auth.passkey WHERE id = $1 AND uid = $2', [id, session.person.uid]);
      if (gone.rowCount !== 1) throw new ReefError('not-found', { field: 'id' });
    });
  }

  async #rows(client: Pick<PoolClient, 'query'>, uid: PersonId): Promise<readonly PasskeyRow[]> {
    const { rows } = await client.query<PasskeyRow>(
      'SELECT id, name, public_key, counter, transports, made_at, used_at FROM auth.passkey WHERE uid = $1 ORDER BY made_at, id',
      [uid],
    );
    return rows;
  }

  async #storeChallenge(
    client: Pick<PoolClient, 'query'>,
    sessionId: string,
    purpose: 'add' | 'pass',
    challenge: string,
  ): Promise<void> {
    await client.query(
      `INSERT INTO auth.passkey_challenge (session_id, purpose, challenge, expires_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (session_id, purpose) DO UPDATE SET challenge = excluded.challenge, expires_at = excluded.expires_at`,
      [sessionId, purpose, challenge, new Date(this.#clock() + AUTH_LIMITS.passkeyChallengeMs)],
    );
  }

  /** Takes a challenge out: it is answered once. */
  async #takeChallenge(sessionId: string, purpose: 'add' | 'pass'): Promise<string> {
    const { rows } = await this.#pool.query<{ challenge: string; expires_at: Date }>(
      'DELETE FROM auth.passkey_challenge WHERE session_id = $1 AND purpose = $2 RETURNING challenge, expires_at',
      [sessionId, purpose],
    );
    const [row] = rows;
    if (row === undefined || row.expires_at.getTime() <= this.#clock()) throw refusedPasskey();
    return row.challenge;
  }
}

/**
 * Drops an attestation, which was not asked for: its certificates are the sender's own, and the library would fetch the
 * lists of revoked ones that they name, from anywhere.
 */
function withoutAttestation(response: RegistrationResponseJSON): RegistrationResponseJSON {
  const sent = decodeAttestationObject(isoBase64URL.toBuffer(response.response.attestationObject));
  const plain = new Map<string, string | Uint8Array | Map<string, never>>([
    ['fmt', 'none'],
    ['attStmt', new Map<string, never>()],
    ['authData', sent.get('authData')],
  ]);
  return {
    ...response,
    response: { ...response.response, attestationObject: isoBase64URL.fromBuffer(isoCBOR.encode(plain)) },
  };
}

/** Runs a check of the library; whatever it objects to is one refusal, which tells a forger nothing. */
async function accepted<Result extends { readonly verified: boolean }>(check: () => Promise<Result>): Promise<Result> {
  let result: Result;
  try {
    result = await check();
  } catch (cause) {
    throw refusedPasskey(cause);
  }
  if (!result.verified) throw refusedPasskey();
  return result;
}

function refusedPasskey(cause?: unknown): ReefError {
  return new ReefError('bad-message', {
    field: 'passkey',
    auth: 'auth/invalid-second-factor',
    message: SECOND_FACTOR_MESSAGES.wrongPasskey,
    ...(cause === undefined ? {} : { cause }),
  });
}
