import { availableParallelism } from 'node:os';

/** How far back the pace is measured, ms. */
const WINDOW_MS = 3000;
/** From here on photographs come in about as fast as a small machine can take them, bytes a second. */
const BUSY_BYTES_PER_SECOND = 8_000_000;
/** From so many processors on, a picture that is being made holds no photograph up. */
const PROCESSORS_AMPLE = 4;

/** What may be put in for tests. */
export interface IntakePaceOptions {
  /** Ms since some moment; only grows. */
  readonly elapsed?: () => number;
  readonly processors?: number;
}

/** How fast photographs come in, so that work which can wait does not take the processor from them. */
export class IntakePace {
  readonly #elapsed: () => number;
  readonly #isEnabled: boolean;
  #arrived: { readonly at: number; readonly bytes: number }[] = [];

  constructor({ elapsed = () => performance.now(), processors = availableParallelism() }: IntakePaceOptions = {}) {
    this.#elapsed = elapsed;
    this.#isEnabled = processors < PROCESSORS_AMPLE;
  }

  /** Notes bytes that have become durable. */
  recordBytes(bytes: number): void {
    if (!this.#isEnabled) return;
    const at = this.#elapsed();
    this.#arrived = this.#arrived.filter((one) => at - one.at < WINDOW_MS);
    this.#arrived.push({ at, bytes });
  }

  /** True while photographs come in so fast that a small machine has nothing to spare. */
  get isBusy(): boolean {
    const now = this.#elapsed();
    const bytes = this.#arrived.reduce((sum, one) => sum + (now - one.at < WINDOW_MS ? one.bytes : 0), 0);
    return bytes >= (BUSY_BYTES_PER_SECOND * WINDOW_MS) / 1000;
  }
}
