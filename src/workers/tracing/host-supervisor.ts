import type { StartHost, TracingHost } from './tracing-host';

/** Crashes within a time, ms, after which the worker is not tried again. */
export const CRASHES_MAX = 3;
const CRASHES_WITHIN_MS = 60_000;

const FALLBACK_WARNING =
  'Painting crashed several times and now runs in a simpler mode. Your marks are safe. The pen may follow more slowly.';

/** Replaces an engine that crashed; after several crashes, by the next kind. */
export class HostSupervisor {
  readonly #starters: readonly StartHost[];
  readonly #now: () => number;
  readonly #onReplaced: () => void;
  #starterIndex = 0;
  #crashes: number[] = [];
  #isStopped = false;
  #warning: string | null = null;
  #host: TracingHost;

  /**
   * @param starters in order of preference; the last one is final
   * @param now ms
   * @param onReplaced called with the fresh engine in place; it knows none of the work so far
   */
  constructor(starters: readonly StartHost[], now: () => number, onReplaced: () => void) {
    this.#starters = starters;
    this.#now = now;
    this.#onReplaced = onReplaced;
    this.#host = this.#start();
  }

  get host(): TracingHost {
    return this.#host;
  }

  /** Set once painting runs in a simpler mode. */
  get warning(): string | null {
    return this.#warning;
  }

  /** Does nothing if the engine was replaced already. */
  replace(crashed: TracingHost): void {
    if (this.#isStopped || crashed !== this.#host) return;
    crashed.stop();
    const now = this.#now();
    this.#crashes = [...this.#crashes.filter((at) => now - at < CRASHES_WITHIN_MS), now];
    if (this.#crashes.length >= CRASHES_MAX && this.#starterIndex < this.#starters.length - 1) {
      this.#starterIndex += 1;
      this.#crashes = [];
      this.#warning = FALLBACK_WARNING;
    }
    this.#host = this.#start();
    this.#onReplaced();
  }

  stop(): void {
    this.#isStopped = true;
    this.#host.stop();
  }

  #start(): TracingHost {
    const begin = this.#starters[this.#starterIndex];
    if (begin === undefined) throw new Error('Painting is not available.');
    const started: TracingHost = begin(() => this.replace(started));
    return started;
  }
}
