import type { Logger } from 'pino';
import type { CloudIntake } from './cloud-intake';

/** Between two looks at what waits: bytes may have come by another process. */
const RETRY_EVERY_MS = 60_000;
/** First and last wait before the look after one that failed, such as while the database was away. */
const RETRY_WAITS_MS = [1000, 30_000] as const;

/** Sees to it that records whose bytes are here are taken in: at start, when bytes come, and every now and then. */
export class ParkedOpRetrier {
  readonly #intake: CloudIntake;
  readonly #markRestored: (sha256: string) => Promise<unknown>;
  readonly #log: Logger;
  /** Bytes that have come and are not noted yet. */
  readonly #arrived = new Set<string>();
  #failures = 0;
  #last: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param bytesBack notes that bytes which had been lost are here again */
  constructor(intake: CloudIntake, bytesBack: (sha256: string) => Promise<unknown>, log: Logger) {
    this.#intake = intake;
    this.#markRestored = bytesBack;
    this.#log = log;
  }

  start(): void {
    this.#scheduleRetry(0);
  }

  /** Bytes have come to their address. */
  onBytesStored(sha256: string): void {
    this.#arrived.add(sha256);
    this.#enqueue(() => this.#retryArrived());
  }

  /** Settles when what was begun is done. */
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
        // The records stay parked; the next look takes them in.
        this.#log.warn({ err: error }, 'waiting records could not be looked at just now');
        this.#scheduleRetry(Math.min(RETRY_WAITS_MS[1], RETRY_WAITS_MS[0] * 2 ** this.#failures++));
      }
    });
  }
}
