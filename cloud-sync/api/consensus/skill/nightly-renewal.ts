import type { Logger } from 'pino';

/** Hour of the night at which skill is renewed, UTC: after midnight on the Great Barrier Reef, when few analyse. */
const RENEWAL_HOUR = 16;
const DAY_MS = 24 * 60 * 60_000;
const HOUR_MS = 60 * 60_000;

interface NightlyRenewalOptions {
  /** ms since 1970. */
  readonly clock: () => number;
  /** Queues the renewal. Several processes queue one. */
  readonly request: () => Promise<void>;
  readonly log: Logger;
}

/** Queues the nightly renewal of the skill. */
export class NightlyRenewal {
  readonly #options: NightlyRenewalOptions;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: NightlyRenewalOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#renew(), msToRenewal(this.#options.clock())).unref();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #renew(): Promise<void> {
    try {
      await this.#options.request();
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the nightly renewal of skill could not be queued; it is tomorrow');
    }
    this.start();
  }
}

/** Time to the next renewal, more than none. @param now ms since 1970 */
function msToRenewal(now: number): number {
  const today = Math.floor(now / DAY_MS) * DAY_MS + RENEWAL_HOUR * HOUR_MS;
  return now < today ? today - now : today + DAY_MS - now;
}
