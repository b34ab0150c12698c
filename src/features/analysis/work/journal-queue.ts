import { Backoff } from '../../../base/backoff';

export interface JournalQueueState {
  readonly pending: number;
  readonly failed: unknown;
}

interface JournalQueueHost<Edit> {
  /** Stores one edit; the strokes of tracing or the labels of labelling. */
  readonly journal: { readonly apply: (edit: Edit) => Promise<void> };
  readonly schedule: (run: () => void, ms: number) => () => void;
  readonly onChange: (state: JournalQueueState) => void;
}

const RETRY_DELAYS = { firstMs: 1000, maxMs: 15_000 };

/**
 * Journals edits in order. A failed one is retried together with all later ones: no edit is stored without the one
 * before.
 */
export class JournalQueue<Edit> {
  readonly #host: JournalQueueHost<Edit>;
  #pending: Edit[] = [];
  #running: Promise<void> | null = null;
  #failed: unknown = null;
  readonly #backoff = new Backoff(RETRY_DELAYS);
  #cancelTimer: (() => void) | null = null;
  #isClosed = false;

  constructor(host: JournalQueueHost<Edit>) {
    this.#host = host;
  }

  get state(): JournalQueueState {
    return { pending: this.#pending.length, failed: this.#failed };
  }

  apply(edit: Edit): void {
    this.#pending.push(edit);
    if (this.#cancelTimer === null) this.#run();
    this.#notify();
  }

  /**
   * Resolves once all edits are stored; retries a failed one at once.
   * @throws error of the journal
   */
  async flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#run();
    while (this.#running !== null) await this.#running;
    if (this.#pending.length > 0) throw this.#failed;
  }

  /** Discards pending edits: a record already holds them. */
  discardPending(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#pending = this.#running === null ? [] : this.#pending.slice(0, 1);
    this.#failed = null;
    this.#notify();
  }

  /** Stops retrying; pending edits are left. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }

  #run(): void {
    this.#running ??= this.#drainQueue().finally(() => {
      this.#running = null;
      // Queued between the last check and this point.
      if (this.#pending.length > 0 && this.#cancelTimer === null && !this.#isClosed) this.#run();
    });
  }

  async #drainQueue(): Promise<void> {
    for (let next = this.#pending[0]; next !== undefined; next = this.#pending[0]) {
      try {
        await this.#host.journal.apply(next);
      } catch (error) {
        this.#failed = error ?? new Error('The edit could not be stored.');
        this.#cancelTimer = this.#host.schedule(() => {
          this.#cancelTimer = null;
          this.#run();
        }, this.#backoff.next());
        this.#notify();
        return;
      }
      this.#pending.shift();
      this.#failed = null;
      this.#backoff.reset();
      this.#notify();
    }
  }

  #notify(): void {
    this.#host.onChange(this.state);
  }
}
