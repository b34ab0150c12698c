import { releaseProxy, wrap } from 'comlink';
import type { Remote } from 'comlink';

/** How long an idle worker stays, ms: its memory is wanted elsewhere on a tablet. */
const IDLE_MS = 30_000;

/**
 * One worker behind a queue: started when it is first needed, one piece of work at a time (a decoded photograph takes
 * hundreds of megabytes), stopped when idle. Aborting the piece in hand ends the worker; the next piece starts a new one.
 */
export class WorkerBridge<Api> {
  #running: { worker: Worker; api: Remote<Api> } | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #idle: ReturnType<typeof setTimeout> | undefined;

  readonly #start: () => Worker;

  constructor(start: () => Worker) {
    this.#start = start;
  }

  /** Does one piece of work in the worker. @throws the signal's reason, or an error when the worker breaks down */
  run<Value>(work: (api: Remote<Api>) => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    const turn = this.#queue.then(() => this.#runInWorker(work, signal));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  /** Ends the worker. */
  stop(): void {
    clearTimeout(this.#idle);
    this.#running?.api[releaseProxy]();
    this.#running?.worker.terminate();
    this.#running = undefined;
  }

  async #runInWorker<Value>(work: (api: Remote<Api>) => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    signal?.throwIfAborted();
    clearTimeout(this.#idle);
    this.#running ??= this.#startWorker();
    const { worker, api } = this.#running;
    // Off again afterwards: the signal may outlive this piece, and another one may be in hand then.
    const settled = new AbortController();
    try {
      return await new Promise<Value>((resolve, reject) => {
        const broken = (why: unknown): void => {
          this.stop();
          reject(why instanceof Error ? why : new Error('The worker broke down.'));
        };
        worker.onerror = () => broken(new Error('The worker broke down.'));
        signal?.addEventListener('abort', () => broken(signal.reason), { signal: settled.signal });
        work(api).then(resolve, reject);
      });
    } finally {
      settled.abort();
      this.#idle = setTimeout(() => this.stop(), IDLE_MS);
    }
  }

  #startWorker(): { worker: Worker; api: Remote<Api> } {
    const worker = this.#start();
    return { worker, api: wrap<Api>(worker) };
  }
}
