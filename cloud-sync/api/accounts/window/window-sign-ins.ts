import type { Pool } from 'pg';
import { z } from 'zod';
import { ReefError } from '../../../../src/domain/errors';
import { AUTH_LIMITS } from '../auth-limits';
import { newToken, tokenHash } from '../sessions/secrets';

/** Names of the two steps in the table of pending sign-ins, next to the providers. */
const WINDOW = 'window';
const TICKET = 'window-ticket';

const proofSchema = z.union([z.object({ email: z.string() }), z.object({ token: z.string() })]);

/** Outcome of the page: a confirmed address, or the custom token for a password. */
export type WindowProof = z.infer<typeof proofSchema>;

/** Pending sign-ins in a window of the cloud: a state until the page ends, then a single-use ticket. Stored as hashes. */
export class WindowSignIns {
  readonly #pool: Pool;
  readonly #clock: () => number;

  constructor(pool: Pool, clock: () => number) {
    this.#pool = pool;
    this.#clock = clock;
  }

  /** @param origin page that gets the ticket, which must be allowed */
  async start(origin: string): Promise<string> {
    const state = newToken();
    await this.#pool.query('DELETE FROM auth.provider_turn WHERE expires_at <= $1', [new Date(this.#clock())]);
    await this.#store(state, WINDOW, origin, '', AUTH_LIMITS.providerSignInLifeMs);
    return state;
  }

  /** Returns the page that gets the ticket; undefined if the sign-in is over or unknown. */
  async originOf(state: string): Promise<string | undefined> {
    const { rows } = await this.#pool.query<{ origin: string }>(
      'SELECT origin FROM auth.provider_turn WHERE state_hash = $1 AND provider = $2 AND expires_at > $3',
      [tokenHash(state), WINDOW, new Date(this.#clock())],
    );
    return rows[0]?.origin;
  }

  /** Ends the page's part: the state becomes a ticket. @throws ReefError `unauthorised` if it is over */
  async issueTicket(state: string, proof: WindowProof): Promise<{ readonly ticket: string; readonly origin: string }> {
    const { rows } = await this.#pool.query<{ origin: string }>(
      'DELETE FROM auth.provider_turn WHERE state_hash = $1 AND provider = $2 AND expires_at > $3 RETURNING origin',
      [tokenHash(state), WINDOW, new Date(this.#clock())],
    );
    const [turn] = rows;
    if (turn === undefined) throw expiredError();
    const ticket = newToken();
    await this.#store(ticket, TICKET, turn.origin, JSON.stringify(proof), AUTH_LIMITS.customTokenLifeMs);
    return { ticket, origin: turn.origin };
  }

  /** @throws ReefError `unauthorised` if expired, used or unknown */
  async redeemTicket(ticket: string): Promise<WindowProof> {
    const { rows } = await this.#pool.query<{ proof: string }>(
      'DELETE FROM auth.provider_turn WHERE state_hash = $1 AND provider = $2 AND expires_at > $3 RETURNING nonce AS proof',
      [tokenHash(ticket), TICKET, new Date(this.#clock())],
    );
    const [row] = rows;
    if (row === undefined) throw expiredError();
    return proofSchema.parse(JSON.parse(row.proof));
  }

  async #store(key: string, step: string, origin: string, proof: string, lifeMs: number): Promise<void> {
    await this.#pool.query(
      "INSERT INTO auth.provider_turn (state_hash, provider, origin, uid, verifier, nonce, expires_at) VALUES ($1, $2, $3, NULL, '', $4, $5)",
      [tokenHash(key), step, origin, proof, new Date(this.#clock() + lifeMs)],
    );
  }
}

function expiredError(): ReefError {
  return new ReefError('unauthorised', { field: 'ticket', message: 'This sign-in has expired. Please start again.' });
}
