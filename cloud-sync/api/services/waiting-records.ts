import type { Logger } from 'pino';
import type { CloudIntake } from './intake';

/** Between two looks at what waits: bytes may have come by another process, or while the database was away. */
const LOOK_MS = 15_000;

/** Sees to it that records whose bytes are here are taken in: at start, when bytes come, and every now and then. */
export class WaitingRecords {
  readonly #intake: CloudIntake;
  readonly #bytesBack: (sha256: string) => Promise<unknown>;
  readonly #log: Logger;
  readonly #lookMs: number;
  #last: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param bytesBack notes that bytes which had been lost are here again */
  constructor(intake: CloudIntake, bytesBack: (sha256: string) => Promise<unknown>, log: Logger, lookMs = LOOK_MS) {
    this.#intake = intake;
    this.#bytesBack = bytesBack;
    this.#log = log;
    this.#lookMs = lookMs;
  }

  start(): void {
    this.#after(() => this.#intake.resume());
    this.#timer = setInterval(() => this.#after(() => this.#intake.resume()), this.#lookMs).unref();
  }

  /** Bytes have come to their address. */
  bytesCame(sha256: string): void {
    this.#after(async () => {
      await this.#bytesBack(sha256);
      await this.#intake.bytesComplete(sha256);
    });
  }

  /** Settles when what was begun is done. */
  idle(): Promise<void> {
    return this.#last;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#last;
  }

  #after(work: () => Promise<unknown>): void {
    this.#last = this.#last.then(async () => {
      if (this.#closed) return;
      try {
        await work();
      } catch (error) {
        // The records stay parked; the next look takes them in.
        this.#log.warn({ err: error }, 'waiting records could not be looked at just now');
      }
    });
  }
}
