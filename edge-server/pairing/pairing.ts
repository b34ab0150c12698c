import { randomInt, timingSafeEqual } from 'node:crypto';
import { ReefError } from '../../src/domain/errors';
import type { EdgeSettings } from '../settings';
import type { BoxState } from '../store/box-state';

/** Letters and digits that nobody mistakes for another on a wet screen: no 0 O, 1 I L, 5 S, 2 Z, 8 B, U V. */
const ALPHABET = '34679ACDEFGHJKMNPQRTWXY';
const CODE_LENGTH = 8;
/**
 * Wrong codes in a minute, after which no code is looked at: of one tablet, so that a slip of the hand costs nobody else
 * anything (tablets behind one access point may share an address); and of one address under any names, which leaves
 * centuries to go through the codes there are.
 */
const WRONG_MAX = { device: 8, address: 600 } as const;
const WRONG_WINDOW_MS = 60_000;
/** Tablets and addresses that are counted; beyond, the oldest is forgotten. */
const TRACKED_MAX = 10_000;

/** Counts wrong guesses by who made them. */
class GuessLimiter {
  readonly #counts = new Map<string, { count: number; since: number }>();

  readonly #max: number;
  readonly #clock: () => number;

  constructor(max: number, clock: () => number) {
    this.#max = max;
    this.#clock = clock;
  }

  /** @throws ReefError `rate-limited` {retryAfterMs} */
  check(who: string): void {
    const entry = this.#counts.get(who);
    if (entry === undefined) return;
    const left = entry.since + WRONG_WINDOW_MS - this.#clock();
    // A clock that was set must lock nobody out for years.
    if (left <= 0 || left > WRONG_WINDOW_MS) this.#counts.delete(who);
    else if (entry.count >= this.#max) throw new ReefError('rate-limited', { retryAfterMs: left });
  }

  add(who: string): void {
    const entry = this.#counts.get(who);
    if (entry !== undefined) {
      entry.count++;
      return;
    }
    const [oldest] = this.#counts.keys();
    if (this.#counts.size >= TRACKED_MAX && oldest !== undefined) this.#counts.delete(oldest);
    this.#counts.set(who, { count: 1, since: this.#clock() });
  }
}

/** Pairing: a new tablet types the code that the box shows (protocol, `EDGE_PAIRING`). */
export class Pairing {
  readonly #state: BoxState;
  readonly #mode: EdgeSettings['pairing'];
  readonly #byDevice: GuessLimiter;
  readonly #byAddress: GuessLimiter;

  constructor(state: BoxState, mode: EdgeSettings['pairing'], clock: () => number) {
    this.#state = state;
    this.#mode = mode;
    this.#byDevice = new GuessLimiter(WRONG_MAX.device, clock);
    this.#byAddress = new GuessLimiter(WRONG_MAX.address, clock);
  }

  get mode(): EdgeSettings['pairing'] {
    return this.#mode;
  }

  /** The code that the box shows now, eight characters. */
  code(): string {
    return this.#state.settingOrCreate('pairing.code', () =>
      Array.from({ length: CODE_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join(''),
    );
  }

  /**
   * Lets a device in that is paired, or brings the code, or needs none. Nothing is stored here.
   *
   * @param address where it comes from, for the limit on wrong codes
   * @throws ReefError `pairing-required`, `pairing-wrong`, `rate-limited`
   */
  admit(deviceId: string, code: string | undefined, address: string): void {
    if (this.#mode === 'open' || this.#state.device(deviceId) !== undefined) return;
    if (code === undefined) throw new ReefError('pairing-required');
    this.#byDevice.check(deviceId);
    this.#byAddress.check(address);
    if (secretsEqual(code.replace(/[\s-]/g, '').toUpperCase(), this.code())) return;
    this.#byDevice.add(deviceId);
    this.#byAddress.add(address);
    throw new ReefError('pairing-wrong');
  }
}

/** Compares two secrets in a time that does not tell how much of them agrees. */
export function secretsEqual(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}
