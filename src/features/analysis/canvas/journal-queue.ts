import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import type { StrokeJournal } from '../../../data/repositories';

/** One thing that was done to a picture and is to be kept. */
export type JournalAction =
  | { readonly kind: 'add'; readonly mark: FreeDrawMark }
  | { readonly kind: 'undo' }
  | { readonly kind: 'redo' }
  | { readonly kind: 'clear' };

/** What is not kept yet. */
export interface JournalQueueState {
  /** How many things wait; those in the hand of the tablet among them. */
  readonly pending: number;
  /** The last try failed: what the tablet said. null: nothing failed, or it worked since. */
  readonly failed: unknown;
}

/** What a queue needs of the world. */
export interface JournalQueueHost {
  readonly journal: StrokeJournal;
  /** Calls back after so many ms; gives the way to call it off. */
  readonly schedule: (run: () => void, ms: number) => () => void;
  readonly onChange: (state: JournalQueueState) => void;
}

const RETRY_FIRST_MS = 1000;
const RETRY_MAX_MS = 15_000;

/**
 * Keeps what a person does in the order in which it was done. What the tablet could not keep stays here and is tried again, with
 * all that came after it: a stroke is never kept without the one before.
 */
export class JournalQueue {
  readonly #host: JournalQueueHost;
  #pending: JournalAction[] = [];
  #running: Promise<void> | null = null;
  #failed: unknown = null;
  #delay = RETRY_FIRST_MS;
  #cancelTimer: (() => void) | null = null;
  #isClosed = false;

  constructor(host: JournalQueueHost) {
    this.#host = host;
  }

  get state(): JournalQueueState {
    return { pending: this.#pending.length, failed: this.#failed };
  }

  /** Keeps one thing after all that were given before. */
  enqueue(action: JournalAction): void {
    this.#pending.push(action);
    if (this.#cancelTimer === null) this.#run();
    this.#notify();
  }

  /**
   * Settles when all that was given is kept; tries at once what failed.
   *
   * @throws what the journal threw, when it cannot be kept now
   */
  async flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#run();
    while (this.#running !== null) await this.#running;
    if (this.#pending.length > 0) throw this.#failed;
  }

  /** What waits need not be kept any more: a record holds it. */
  discardPending(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#pending = this.#running === null ? [] : this.#pending.slice(0, 1);
    this.#failed = null;
    this.#notify();
  }

  /** No further try; what waits is left. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }

  #run(): void {
    this.#running ??= this.#drainQueue().finally(() => {
      this.#running = null;
      // Given in the moment between the last look and this one.
      if (this.#pending.length > 0 && this.#cancelTimer === null && !this.#isClosed) this.#run();
    });
  }

  async #drainQueue(): Promise<void> {
    for (let next = this.#pending[0]; next !== undefined; next = this.#pending[0]) {
      try {
        await this.#write(next);
      } catch (error) {
        this.#failed = error ?? new Error('It could not be kept.');
        this.#cancelTimer = this.#host.schedule(() => {
          this.#cancelTimer = null;
          this.#run();
        }, this.#delay);
        this.#delay = Math.min(this.#delay * 2, RETRY_MAX_MS);
        this.#notify();
        return;
      }
      this.#pending.shift();
      this.#failed = null;
      this.#delay = RETRY_FIRST_MS;
      this.#notify();
    }
  }

  #write(action: JournalAction): Promise<void> {
    const { journal } = this.#host;
    switch (action.kind) {
      case 'add':
        return journal.add(action.mark);
      case 'undo':
        return journal.undo();
      case 'redo':
        return journal.redo();
      case 'clear':
        return journal.clear();
    }
  }

  #notify(): void {
    this.#host.onChange(this.state);
  }
}
