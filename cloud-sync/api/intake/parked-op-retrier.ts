import type { Logger } from 'pino';
import type { CloudIntake } from './cloud-intake';

/** Interval between retries: another process may have received bytes. */
const RETRY_EVERY_MS = 60_000;
/** First and last delay after a failed retry, for example during a database outage. */
const RETRY_WAITS_MS = [1000, 30_000] as const;

/** Accepts parked records whose bytes are stored: at start, when bytes arrive, and periodically. */
export class ParkedOpRetrier {
  readonly #intake: CloudIntake;
  readonly #markRestored: (sha256: string) => Promise<unknown>;
  readonly #log: Logger;
  readonly #arrived = new Set<string>();
  #failures = 0;
  #last: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param bytesBack records that lost bytes are stored again */
  constructor(intake: CloudIntake, bytesBack: (sha256: string) => Promise<unknown>, log: Logger) {
    this.#intake = intake;
    this.#markRestored = bytesBack;
    this.#log = log;
  }

  start(): void {
    this.#scheduleRetry(0);
  }

  onBytesStored(sha256: string): void {
    this.#arrived.add(sha256);
    this.#enqueue(() => this.#retryArrived());
  }

  idle(): Promise<void> {
    return this.#last;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#last;
  }

  #scheduleRetry(inMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = setTimeout(() => this.#enqueue(() => this.#retryAll()), inMs).unref();
  }

  async #retryAll(): Promise<void> {
    await this.#retryArrived();
    await this.#intake.resume();
  }

  async #retryArrived(): Promise<void> {
    for (const sha256 of this.#arrived) {
      await this.#markRestored(sha256);
      this.#arrived.delete(sha256);
      await this.#intake.onBytesComplete(sha256);
    }
  }

  #enqueue(work: () => Promise<unknown>): void {
    this.#last = this.#last.then(async () => {
      if (this.#closed) return;
      try {
        await work();
        this.#failures = 0;
        this.#scheduleRetry(RETRY_EVERY_MS);
      } catch (error) {
        this.#log.warn({ err: error }, 'waiting records could not be looked at just now');
        this.#scheduleRetry(Math.min(RETRY_WAITS_MS[1], RETRY_WAITS_MS[0] * 2 ** this.#failures++));
      }
    });
  }
}
