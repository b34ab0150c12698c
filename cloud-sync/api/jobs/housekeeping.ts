import type { Logger } from 'pino';

/** Between two rounds, and from the start to the first one. */
const INTERVAL_MS = 6 * 60 * 60_000;
const FIRST_DELAY_MS = 60_000;

/** Something that is put in order now and then; gives how many things it removed. */
export interface HousekeepingTask {
  readonly name: string;
  readonly run: () => Promise<number>;
}

/** Does what nobody waits for, now and then. One chore that fails holds up no other, and is done in the next round. */
export class Housekeeping {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #closed = false;

  readonly #tasks: readonly HousekeepingTask[];
  readonly #log: Logger;

  constructor(chores: readonly HousekeepingTask[], log: Logger) {
    this.#tasks = chores;
    this.#log = log;
  }

  start(): void {
    this.#scheduleNext(FIRST_DELAY_MS);
  }

  /** One round, after the one that is under way. */
  run(): Promise<void> {
    this.#running = this.#running.then(() => this.#runAll());
    return this.#running;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #runAll(): Promise<void> {
    for (const { name, run } of this.#tasks) {
      if (this.#closed) return;
      try {
        const removed = await run();
        if (removed > 0) this.#log.info({ name, removed }, 'put in order');
      } catch (error) {
        this.#log.warn({ err: error, name }, 'something was not put in order; it is tried again');
      }
    }
  }

  #scheduleNext(inMs: number): void {
    if (!this.#closed)
      this.#timer = setTimeout(() => void this.run().then(() => this.#scheduleNext(INTERVAL_MS)), inMs).unref();
  }
}
