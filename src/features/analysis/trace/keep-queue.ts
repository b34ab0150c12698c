import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import type { StrokeJournal } from '../../../data/repositories';

/** One thing that was done to a picture and is to be kept. */
export type Kept =
  | { readonly kind: 'add'; readonly mark: FreeDrawMark }
  | { readonly kind: 'undo' }
  | { readonly kind: 'redo' }
  | { readonly kind: 'clear' };

/** What is not kept yet. */
export interface KeepState {
  /** How many things wait; those in the hand of the tablet among them. */
  readonly waiting: number;
  /** The last try failed: what the tablet said. null: nothing failed, or it worked since. */
  readonly failed: unknown;
}

/** What a queue needs of the world. */
export interface KeepHost {
  readonly journal: StrokeJournal;
  /** Calls back after so many ms; gives the way to call it off. */
  readonly later: (run: () => void, ms: number) => () => void;
  readonly onChange: (state: KeepState) => void;
}

const AGAIN_FIRST_MS = 1000;
const AGAIN_MAX_MS = 15_000;

/**
 * Keeps what a person does in the order in which it was done. What the tablet could not keep stays here and is tried again, with
 * all that came after it: a stroke is never kept without the one before.
 */
export class KeepQueue {
  readonly #host: KeepHost;
  #waiting: Kept[] = [];
  #running: Promise<void> | null = null;
  #failed: unknown = null;
  #delay = AGAIN_FIRST_MS;
  #callOff: (() => void) | null = null;
  #isClosed = false;

  constructor(host: KeepHost) {
    this.#host = host;
  }

  get state(): KeepState {
    return { waiting: this.#waiting.length, failed: this.#failed };
  }

  /** Keeps one thing after all that were given before. */
  keep(what: Kept): void {
    this.#waiting.push(what);
    if (this.#callOff === null) this.#run();
    this.#tell();
  }

  /**
   * Settles when all that was given is kept; tries at once what failed.
   *
   * @throws what the journal threw, when it cannot be kept now
   */
  async settle(): Promise<void> {
    this.#callOff?.();
    this.#callOff = null;
    this.#run();
    while (this.#running !== null) await this.#running;
    if (this.#waiting.length > 0) throw this.#failed;
  }

  /** What waits need not be kept any more: a record holds it. */
  forget(): void {
    this.#callOff?.();
    this.#callOff = null;
    this.#waiting = this.#running === null ? [] : this.#waiting.slice(0, 1);
    this.#failed = null;
    this.#tell();
  }

  /** No further try; what waits is left. */
  close(): void {
    this.#isClosed = true;
    this.#callOff?.();
    this.#callOff = null;
  }

  #run(): void {
    this.#running ??= this.#work().finally(() => {
      this.#running = null;
      // Given in the moment between the last look and this one.
      if (this.#waiting.length > 0 && this.#callOff === null && !this.#isClosed) this.#run();
    });
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      try {
        await this.#do(next);
      } catch (error) {
        this.#failed = error ?? new Error('It could not be kept.');
        this.#callOff = this.#host.later(() => {
          this.#callOff = null;
          this.#run();
        }, this.#delay);
        this.#delay = Math.min(this.#delay * 2, AGAIN_MAX_MS);
        this.#tell();
        return;
      }
      this.#waiting.shift();
      this.#failed = null;
      this.#delay = AGAIN_FIRST_MS;
      this.#tell();
    }
  }

  #do(what: Kept): Promise<void> {
    const { journal } = this.#host;
    switch (what.kind) {
      case 'add':
        return journal.add(what.mark);
      case 'undo':
        return journal.undo();
      case 'redo':
        return journal.redo();
      case 'clear':
        return journal.clear();
    }
  }

  #tell(): void {
    this.#host.onChange(this.state);
  }
}
