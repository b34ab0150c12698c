import { createHash, timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';
import { z } from 'zod';
import { ReefError } from '../../../../src/domain/errors';
import type { PersonId } from '../../../../src/domain/ids';
import type { ProviderId } from '../../../../src/protocol/accounts';
import { PROVIDERS } from '../../../../src/protocol/accounts';
import { AUTH_LIMITS } from '../auth-limits';
import { keyedHash, newToken, tokenHash } from '../sessions/secrets';
import type { ProviderIdentity, SignInSecrets } from './protocols';

interface StartedSignIn {
  readonly state: string;
  readonly nonce: string;
  /** PKCE, S256. */
  readonly challenge: string;
}

/** Sign-in whose answer arrived. */
interface AnsweredSignIn extends SignInSecrets {
  readonly origin: string;
  /** Person who is linking the provider; null for a sign-in. */
  readonly uid: PersonId | null;
}

interface Ticket {
  readonly identity: ProviderIdentity;
  readonly uid: PersonId | null;
}

const ticketSchema = z.object({
  identity: z.object({
    provider: z.enum(PROVIDERS),
    subject: z.string(),
    email: z.string().nullable(),
    runsMailbox: z.boolean(),
  }),
  uid: z.string().nullable(),
  salt: z.string(),
});

/** Separates this use of the accounts' secret from others. */
const TICKET_KEY_USE = 'provider-ticket';

/**
 * Pending sign-ins at providers. Each step is single use: the state until the provider answers, then the ticket, which
 * carries the identity to the window that started. Stored as hashes.
 */
export class ProviderSignIns {
  readonly #pool: Pool;
  readonly #secret: string;
  readonly #clock: () => number;

  constructor(pool: Pool, secret: string, clock: () => number) {
    this.#pool = pool;
    this.#secret = secret;
    this.#clock = clock;
  }

  async start(provider: ProviderId, origin: string, uid: PersonId | null): Promise<StartedSignIn> {
    const [state, nonce, verifier] = [newToken(), newToken(), newToken()];
    await this.#pool.query('DELETE FROM auth.provider_turn WHERE expires_at <= $1', [new Date(this.#clock())]);
    await this.#store(state, { provider, origin, uid, verifier, nonce }, AUTH_LIMITS.providerSignInLifeMs);
    return { state, nonce, challenge: createHash('sha256').update(verifier).digest('base64url') };
  }

  /** Resumes a sign-in by its returned state; undefined if expired, used, unknown or another provider's. */
  async resume(provider: ProviderId, state: string): Promise<AnsweredSignIn | undefined> {
    const { rows } = await this.#pool.query<{ origin: string; uid: PersonId | null; verifier: string; nonce: string }>(
      `DELETE FROM auth.provider_turn WHERE state_hash = $1 AND provider = $2 AND verifier <> '' AND expires_at > $3 RETURNING origin, uid, verifier, nonce`,
      [tokenHash(state), provider, new Date(this.#clock())],
    );
    return rows[0];
  }

  /** Issues the ticket for an identified sign-in. */
  async issueTicket({ origin, uid }: AnsweredSignIn, identity: ProviderIdentity): Promise<string> {
    const payload = Buffer.from(JSON.stringify({ identity, uid, salt: newToken() })).toString('base64url');
    const ticket = `${payload}.${keyedHash(this.#secret, TICKET_KEY_USE, payload)}`;
    await this.#store(
      ticket,
      { provider: identity.provider, origin, uid, verifier: '', nonce: '' },
      AUTH_LIMITS.customTokenLifeMs,
    );
    return ticket;
  }

  /**
   * Redeems a ticket.
   *
   * @throws ReefError `unauthorised` if expired, used, forged or another provider's
   */
  async redeemTicket(provider: ProviderId, ticket: string): Promise<Ticket> {
    const [payload = '', seal = ''] = ticket.split('.');
    const expected = keyedHash(this.#secret, TICKET_KEY_USE, payload);
    const { rowCount } =
      seal.length === expected.length && timingSafeEqual(Buffer.from(seal), Buffer.from(expected))
        ? await this.#pool.query(
            `DELETE FROM auth.provider_turn WHERE state_hash = $1 AND provider = $2 AND verifier = '' AND expires_at > $3`,
            [tokenHash(ticket), provider, new Date(this.#clock())],
          )
        : { rowCount: 0 };
    if (rowCount !== 1)
      throw new ReefError('unauthorised', {
        field: 'ticket',
        message: 'This sign-in has expired. Please start again.',
      });
    return ticketSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))) as Ticket;
  }

  async #store(key: string, turn: AnsweredSignIn & { readonly provider: ProviderId }, lifeMs: number): Promise<void> {
    await this.#pool.query(
      'INSERT INTO auth.provider_turn (state_hash, provider, origin, uid, verifier, nonce, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)',
      [
        tokenHash(key),
        turn.provider,
        turn.origin,
        turn.uid,
        turn.verifier,
        turn.nonce,
        new Date(this.#clock() + lifeMs),
      ],
    );
  }
}
