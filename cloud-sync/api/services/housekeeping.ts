import type { Logger } from 'pino';

/** Between two rounds, and from the start to the first one. */
const ROUND_MS = 6 * 60 * 60_000;
const FIRST_MS = 60_000;

/** Something that is put in order now and then; gives how many things it removed. */
export interface Chore {
  readonly name: string;
  readonly run: () => Promise<number>;
}

/** Does what nobody waits for, now and then. One chore that fails holds up no other, and is done in the next round. */
export class Housekeeping {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #closed = false;

  readonly #chores: readonly Chore[];
  readonly #log: Logger;

  constructor(chores: readonly Chore[], log: Logger) {
    this.#chores = chores;
    this.#log = log;
  }

  start(): void {
    this.#next(FIRST_MS);
  }

  /** One round, after the one that is under way. */
  run(): Promise<void> {
    this.#running = this.#running.then(() => this.#round());
    return this.#running;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #round(): Promise<void> {
    for (const { name, run } of this.#chores) {
      if (this.#closed) return;
      try {
        const removed = await run();
        if (removed > 0) this.#log.info({ name, removed }, 'put in order');
      } catch (error) {
        this.#log.warn({ err: error, name }, 'something was not put in order; it is tried again');
      }
    }
  }

  #next(inMs: number): void {
    if (!this.#closed) this.#timer = setTimeout(() => void this.run().then(() => this.#next(ROUND_MS)), inMs).unref();
  }
}
