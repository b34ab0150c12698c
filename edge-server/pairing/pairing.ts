import { randomInt, timingSafeEqual } from 'node:crypto';
import { ReefError } from '../../src/domain/errors';
import type { EdgeSettings } from '../settings';
import type { BoxState } from '../store/box-state';

/** Unambiguous letters and digits on a wet screen: no 0 O, 1 I L, 5 S, 2 Z, 8 B, U V. */
const ALPHABET = '34679ACDEFGHJKMNPQRTWXY';
const CODE_LENGTH = 8;
const CODE_KEY = 'pairing.code';
/**
 * Wrong codes a minute before further ones are refused: per tablet, so that a typing error blocks no one else (tablets
 * may share an address); per address, so that trying all codes takes centuries.
 */
const WRONG_MAX = { device: 8, address: 600 } as const;
const WRONG_WINDOW_MS = 60_000;
/** Maximum number of tablets and addresses counted; the oldest is dropped. */
const TRACKED_MAX = 10_000;

function newCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/** Counts wrong guesses per key. */
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
    // A changed clock must lock no one out for years.
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

/** Pairing of a new tablet by the code that the box shows (protocol, `EDGE_PAIRING`). */
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

  code(): string {
    return this.#state.settingOrCreate(CODE_KEY, newCode);
  }

  /** Makes a new code: the one before pairs no tablet any longer. */
  renewCode(): void {
    this.#state.setSetting(CODE_KEY, newCode());
  }

  /**
   * Admits a device that has the code, or needs none. Stores nothing.
   *
   * @param address of the caller, for the limit on wrong codes
   * @throws ReefError `pairing-required`, `pairing-wrong`, `rate-limited`
   */
  admit(deviceId: string, code: string | undefined, address: string): void {
    if (this.#mode === 'open') return;
    if (code === undefined) throw new ReefError('pairing-required');
    // Naming another's id from elsewhere does not make that tablet wait.
    const device = `${address} ${deviceId}`;
    this.#byDevice.check(device);
    this.#byAddress.check(address);
    if (secretsEqual(code.replace(/[\s-]/g, '').toUpperCase(), this.code())) return;
    this.#byDevice.add(device);
    this.#byAddress.add(address);
    throw new ReefError('pairing-wrong');
  }
}

/** Compares two secrets in constant time. */
export function secretsEqual(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}
