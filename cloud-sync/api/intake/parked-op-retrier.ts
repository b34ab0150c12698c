import { Backoff } from '../../../src/base/backoff';
import type { Logger } from 'pino';
import type { CloudIntake } from './cloud-intake';

/** Interval between retries: another process may have received bytes. */
const RETRY_EVERY_MS = 60_000;
/** Delays after a failed retry, for example during a database outage. */
const RETRY_DELAYS = { firstMs: 1000, maxMs: 30_000 };

/** Accepts parked records whose bytes are stored: at start, when bytes arrive, and periodically. */
export class ParkedOpRetrier {
  readonly #intake: CloudIntake;
  readonly #markRestored: (sha256: string) => Promise<unknown>;
  readonly #log: Logger;
  readonly #arrived = new Set<string>();
  readonly #backoff = new Backoff(RETRY_DELAYS);
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
        this.#backoff.reset();
        this.#scheduleRetry(RETRY_EVERY_MS);
      } catch (error) {
        this.#log.warn({ err: error }, 'waiting records could not be checked; retrying');
        this.#scheduleRetry(this.#backoff.next());
      }
    });
  }
}
