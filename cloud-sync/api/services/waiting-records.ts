import type { Logger } from 'pino';
import type { CloudIntake } from './intake';

/** Between two looks at what waits: bytes may have come by another process. */
const LOOK_MS = 60_000;
/** First and last wait before the look after one that failed, such as while the database was away. */
const AGAIN_MS = [1000, 30_000] as const;

/** Sees to it that records whose bytes are here are taken in: at start, when bytes come, and every now and then. */
export class WaitingRecords {
  readonly #intake: CloudIntake;
  readonly #bytesBack: (sha256: string) => Promise<unknown>;
  readonly #log: Logger;
  /** Bytes that have come and are not noted yet. */
  readonly #came = new Set<string>();
  #failures = 0;
  #last: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param bytesBack notes that bytes which had been lost are here again */
  constructor(intake: CloudIntake, bytesBack: (sha256: string) => Promise<unknown>, log: Logger) {
    this.#intake = intake;
    this.#bytesBack = bytesBack;
    this.#log = log;
  }

  start(): void {
    this.#look(0);
  }

  /** Bytes have come to their address. */
  bytesCame(sha256: string): void {
    this.#came.add(sha256);
    this.#after(() => this.#takeCome());
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

  #look(inMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = setTimeout(() => this.#after(() => this.#takeAll()), inMs).unref();
  }

  async #takeAll(): Promise<void> {
    await this.#takeCome();
    await this.#intake.resume();
  }

  async #takeCome(): Promise<void> {
    for (const sha256 of this.#came) {
      await this.#bytesBack(sha256);
      this.#came.delete(sha256);
      await this.#intake.bytesComplete(sha256);
    }
  }

  #after(work: () => Promise<unknown>): void {
    this.#last = this.#last.then(async () => {
      if (this.#closed) return;
      try {
        await work();
        this.#failures = 0;
        this.#look(LOOK_MS);
      } catch (error) {
        // The records stay parked; the next look takes them in.
        this.#log.warn({ err: error }, 'waiting records could not be looked at just now');
        this.#look(Math.min(AGAIN_MS[1], AGAIN_MS[0] * 2 ** this.#failures++));
      }
    });
  }
}
