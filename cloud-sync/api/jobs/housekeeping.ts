import type { Logger } from 'pino';

/** Interval between rounds, and delay before the first. */
const INTERVAL_MS = 6 * 60 * 60_000;
const FIRST_DELAY_MS = 60_000;

/** Periodic task; returns the number of things removed. */
interface HousekeepingTask {
  readonly name: string;
  readonly run: () => Promise<number>;
}

/** Runs periodic tasks in the background. A failing task does not block the others and is retried in the next round. */
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
        if (removed > 0) this.#log.info({ name, removed }, 'housekeeping removed items');
      } catch (error) {
        this.#log.warn({ err: error, name }, 'a housekeeping task failed; retrying');
      }
    }
  }

  #scheduleNext(inMs: number): void {
    if (!this.#closed)
      this.#timer = setTimeout(() => void this.run().then(() => this.#scheduleNext(INTERVAL_MS)), inMs).unref();
  }
}
