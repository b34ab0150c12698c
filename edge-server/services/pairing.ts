import { randomInt, timingSafeEqual } from 'node:crypto';
import { ReefError } from '../../src/domain/errors';
import type { EdgeSettings } from '../settings';
import type { BoxState } from './box-state';

/** Letters and digits that nobody mistakes for another on a wet screen: no 0 O, 1 I L, 5 S, 2 Z, 8 B, U V. */
const ALPHABET = '34679ACDEFGHJKMNPQRTWXY';
const CODE_LENGTH = 8;
const WRONG_MAX = 10;
const WRONG_WINDOW_MS = 60_000;

/** Counts wrong guesses of one address; more than a few in a minute are refused without being looked at. */
export class GuessLimit {
  readonly #wrong = new Map<string, { count: number; since: number }>();
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** @throws ReefError `rate-limited` {retryAfterMs} */
  check(address: string): void {
    const entry = this.#wrong.get(address);
    if (entry === undefined) return;
    const left = entry.since + WRONG_WINDOW_MS - this.#clock();
    if (left <= 0 || left > WRONG_WINDOW_MS) this.#wrong.delete(address);
    else if (entry.count >= WRONG_MAX) throw new ReefError('rate-limited', { retryAfterMs: left });
  }

  wrong(address: string): void {
    if (this.#wrong.size > 10_000) this.#wrong.clear();
    const entry = this.#wrong.get(address);
    if (entry === undefined) this.#wrong.set(address, { count: 1, since: this.#clock() });
    else entry.count++;
  }
}

/** Pairing: a new tablet types the code that the box shows (protocol, `EDGE_PAIRING`). */
export class Pairing {
  readonly #state: BoxState;
  readonly #mode: EdgeSettings['pairing'];
  readonly #limit: GuessLimit;

  constructor(state: BoxState, mode: EdgeSettings['pairing'], clock: () => number) {
    this.#state = state;
    this.#mode = mode;
    this.#limit = new GuessLimit(clock);
  }

  get mode(): EdgeSettings['pairing'] {
    return this.#mode;
  }

  /** The code that the box shows now, eight characters. */
  code(): string {
    return this.#state.settingOr('pairing.code', () => Array.from({ length: CODE_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join(''));
  }

  /**
   * Lets a device in that is paired, or brings the code, or needs none. Nothing is stored here.
   *
   * @param address where it comes from, for the limit on guesses
   * @throws ReefError `pairing-required`, `pairing-wrong`, `rate-limited`
   */
  admit(deviceId: string, code: string | undefined, address: string): void {
    if (this.#mode === 'open' || this.#state.device(deviceId) !== undefined) return;
    if (code === undefined) throw new ReefError('pairing-required');
    this.#limit.check(address);
    if (sameText(code.replace(/[\s-]/g, '').toUpperCase(), this.code())) return;
    this.#limit.wrong(address);
    throw new ReefError('pairing-wrong');
  }
}

/** Compares two secrets in a time that does not tell how much of them agrees. */
export function sameText(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}
