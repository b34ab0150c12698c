import { availableParallelism } from 'node:os';

const WINDOW_MS = 3000;
/** Rate from which incoming photographs saturate a small machine, bytes per second. */
const BUSY_BYTES_PER_SECOND = 8_000_000;
/** Number of processors from which making pictures delays no photograph. */
const PROCESSORS_AMPLE = 4;

interface IntakePaceOptions {
  readonly elapsed?: () => number;
  readonly processors?: number;
}

/** Measures the rate of incoming photographs, so that deferrable work leaves them the processor. */
export class IntakePace {
  readonly #elapsed: () => number;
  readonly #isEnabled: boolean;
  #arrived: { readonly at: number; readonly bytes: number }[] = [];

  constructor({ elapsed = () => performance.now(), processors = availableParallelism() }: IntakePaceOptions = {}) {
    this.#elapsed = elapsed;
    this.#isEnabled = processors < PROCESSORS_AMPLE;
  }

  recordBytes(bytes: number): void {
    if (!this.#isEnabled) return;
    const at = this.#elapsed();
    this.#arrived = this.#arrived.filter((one) => at - one.at < WINDOW_MS);
    this.#arrived.push({ at, bytes });
  }

  /** True while incoming photographs saturate a small machine. */
  get isBusy(): boolean {
    const now = this.#elapsed();
    const bytes = this.#arrived.reduce((sum, one) => sum + (now - one.at < WINDOW_MS ? one.bytes : 0), 0);
    return bytes >= (BUSY_BYTES_PER_SECOND * WINDOW_MS) / 1000;
  }
}
