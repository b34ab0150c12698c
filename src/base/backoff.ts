/** Range of an exponential backoff, ms. */
export interface BackoffRange {
  readonly firstMs: number;
  /** Default: no maximum, for a limited number of attempts. */
  readonly maxMs?: number;
}

/**
 * Delay before the next attempt, ms: doubles with each failure, up to the maximum.
 *
 * @param failures consecutive failures so far; 0 and 1 both wait `firstMs`
 * @param random in [0, 1); spreads the delay by ±25 %, so that many clients do not retry at once
 */
export function backoffDelay(
  failures: number,
  { firstMs, maxMs = Infinity }: BackoffRange,
  random?: () => number,
): number {
  const delay = Math.min(maxMs, firstMs * 2 ** Math.max(0, failures - 1));
  return random === undefined ? delay : delay * (0.75 + random() / 2);
}

/** Counts consecutive failures of one task. */
export class Backoff {
  readonly #range: BackoffRange;
  readonly #random: (() => number) | undefined;
  #failures = 0;

  constructor(range: BackoffRange, random?: () => number) {
    this.#range = range;
    this.#random = random;
  }

  /** Records a failure; returns the delay before the next attempt, ms. */
  next(): number {
    return backoffDelay(++this.#failures, this.#range, this.#random);
  }

  reset(): void {
    this.#failures = 0;
  }
}
