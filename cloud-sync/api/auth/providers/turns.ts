import { createHash, timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';
import { z } from 'zod';
import { ReefError } from '../../../../src/domain/errors';
import type { PersonId } from '../../../../src/domain/ids';
import type { ProviderId } from '../../../../src/protocol/accounts';
import { PROVIDERS } from '../../../../src/protocol/accounts';
import { AUTH_LIMITS } from '../limits';
import { keyedHash, newToken, tokenHash } from '../secrets';
import type { ProviderIdentity, TurnSecrets } from './protocols';

/** What begins at a provider's page. */
export interface BegunTurn {
  readonly state: string;
  readonly nonce: string;
  /** PKCE, S256. */
  readonly challenge: string;
}

/** A turn whose answer came. */
export interface TakenTurn extends TurnSecrets {
  /** The page's origin that began it. */
  readonly origin: string;
  /** Who links the provider to their account; null for a sign-in. */
  readonly uid: PersonId | null;
}

/** What a ticket says. */
export interface Ticket {
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

/** Keeps one use of the accounts' secret from another. */
const USE = 'provider-ticket';

/**
 * Sign-ins at providers that are under way. Each step is good once: the state until the provider's answer, and the ticket, which
 * carries on who it is, until the window that began brings it. The database keeps hashes of both.
 */
export class ProviderTurns {
  readonly #pool: Pool;
  readonly #secret: string;
  readonly #clock: () => number;

  constructor(pool: Pool, secret: string, clock: () => number) {
    this.#pool = pool;
    this.#secret = secret;
    this.#clock = clock;
  }

  async begin(provider: ProviderId, origin: string, uid: PersonId | null): Promise<BegunTurn> {
    const [state, nonce, verifier] = [newToken(), newToken(), newToken()];
    await this.#pool.query('DELETE FROM auth.provider_turn WHERE expires_at <= $1', [new Date(this.#clock())]);
    await this.#keep(state, { provider, origin, uid, verifier, nonce }, AUTH_LIMITS.providerTurnLifeMs);
    return { state, nonce, challenge: createHash('sha256').update(verifier).digest('base64url') };
  }

  /** Takes a turn by the state that came back; undefined for one that is old, used, another provider's or none. */
  async take(provider: ProviderId, state: string): Promise<TakenTurn | undefined> {
    const { rows } = await this.#pool.query<{ origin: string; uid: PersonId | null; verifier: string; nonce: string }>(
      `DELETE FROM auth.provider_turn WHERE state_hash = $1 AND provider = $2 AND verifier <> '' AND expires_at > $3 RETURNING origin, uid, verifier, nonce`,
      [tokenHash(state), provider, new Date(this.#clock())],
    );
    return rows[0];
  }

  /** The ticket of a turn whose answer says who it is. */
  async ticketOf({ origin, uid }: TakenTurn, identity: ProviderIdentity): Promise<string> {
    const said = Buffer.from(JSON.stringify({ identity, uid, salt: newToken() })).toString('base64url');
    const ticket = `${said}.${keyedHash(this.#secret, USE, said)}`;
    await this.#keep(
      ticket,
      { provider: identity.provider, origin, uid, verifier: '', nonce: '' },
      AUTH_LIMITS.customTokenLifeMs,
    );
    return ticket;
  }

  /**
   * Takes a ticket.
   *
   * @throws ReefError `unauthorised` for one that is old, used, forged or another provider's
   */
  async redeem(provider: ProviderId, ticket: string): Promise<Ticket> {
    const [said = '', seal = ''] = ticket.split('.');
    const due = keyedHash(this.#secret, USE, said);
    const { rowCount } =
      seal.length === due.length && timingSafeEqual(Buffer.from(seal), Buffer.from(due))
        ? await this.#pool.query(
            `DELETE FROM auth.provider_turn WHERE state_hash = $1 AND provider = $2 AND verifier = '' AND expires_at > $3`,
            [tokenHash(ticket), provider, new Date(this.#clock())],
          )
        : { rowCount: 0 };
    if (rowCount !== 1)
      throw new ReefError('unauthorised', {
        field: 'ticket',
        message: 'This sign-in is no longer good. Please begin again.',
      });
    return ticketSchema.parse(JSON.parse(Buffer.from(said, 'base64url').toString('utf8'))) as Ticket;
  }

  async #keep(key: string, turn: TakenTurn & { readonly provider: ProviderId }, lifeMs: number): Promise<void> {
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
