import { releaseProxy, wrap } from 'comlink';
import type { Remote } from 'comlink';

/** Idle time after which a worker is stopped, ms: tablets need the memory. */
const IDLE_MS = 30_000;

/**
 * Worker behind a queue: started on first use, one task at a time (a decoded photograph takes hundreds of megabytes),
 * stopped when idle. Aborting a task terminates the worker; the next task starts a new one.
 */
export class WorkerBridge<Api> {
  #running: { worker: Worker; api: Remote<Api> } | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #idle: ReturnType<typeof setTimeout> | undefined;

  readonly #start: () => Worker;

  constructor(start: () => Worker) {
    this.#start = start;
  }

  /** Runs a task in the worker. @throws the signal's reason, or an error when the worker crashes */
  run<Value>(work: (api: Remote<Api>) => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    const turn = this.#queue.then(() => this.#runInWorker(work, signal));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

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
    // Removed afterwards: the signal may outlive this task while another one runs.
    const settled = new AbortController();
    try {
      return await new Promise<Value>((resolve, reject) => {
        const broken = (why: unknown): void => {
          this.stop();
          reject(why instanceof Error ? why : new Error('The worker crashed.'));
        };
        worker.onerror = () => broken(new Error('The worker crashed.'));
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
