import type { Remote } from 'comlink';
import { WorkerBridge } from './worker-bridge';

/** A piece of work that waits for a worker. */
interface QueuedTask<Api> {
  readonly begin: (bridge: WorkerBridge<Api>) => Promise<void>;
}

/**
 * Several workers before one queue: a piece of work goes to the first that is free, in the order in which it was given;
 * what is urgent goes before the rest. A worker that breaks down or is stopped takes only its own piece with it.
 */
export class WorkerPool<Api> {
  readonly #free: WorkerBridge<Api>[];
  readonly #waiting: QueuedTask<Api>[] = [];
  readonly #urgent: QueuedTask<Api>[] = [];

  constructor(
    start: () => Worker,
    readonly size: number,
  ) {
    this.#free = Array.from({ length: size }, () => new WorkerBridge<Api>(start));
  }

  /**
   * Does a piece of work in one of the workers.
   *
   * @param options.limitMs ends a worker that takes longer: a file made to keep a decoder busy must not hold up the others
   * @throws the signal's reason, or an error when the worker breaks down or runs over its time
   */
  run<Value>(
    work: (api: Remote<Api>) => Promise<Value>,
    options: { readonly signal?: AbortSignal; readonly urgent?: boolean; readonly limitMs?: number } = {},
  ): Promise<Value> {
    const { signal, limitMs } = options;
    return new Promise<Value>((resolve, reject) => {
      const piece: QueuedTask<Api> = {
        begin: async (bridge) => {
          const limit = limitMs === undefined ? undefined : timeLimit(limitMs);
          const signals = [signal, limit?.signal].filter((each) => each !== undefined);
          try {
            resolve(await bridge.run(work, signals.length === 0 ? undefined : AbortSignal.any(signals)));
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          } finally {
            limit?.end();
          }
        },
      };
      const queue = options.urgent === true ? this.#urgent : this.#waiting;
      // What is given up while it waits leaves the queue, so that its promise does not hold what is behind it.
      signal?.addEventListener('abort', () => {
        const at = queue.indexOf(piece);
        if (at < 0) return;
        queue.splice(at, 1);
        reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
      });
      queue.push(piece);
      this.#startNext();
    });
  }

  #startNext(): void {
    const bridge = this.#free.shift();
    if (bridge === undefined) return;
    const piece = this.#urgent.shift() ?? this.#waiting.shift();
    if (piece === undefined) {
      this.#free.unshift(bridge);
      return;
    }
    void piece.begin(bridge).finally(() => {
      // The one that worked last is warm; the others may fall asleep.
      this.#free.unshift(bridge);
      this.#startNext();
    });
    this.#startNext();
  }
}

function timeLimit(ms: number): { readonly signal: AbortSignal; readonly end: () => void } {
  const control = new AbortController();
  const timer = setTimeout(() => control.abort(new Error('It took longer than any photograph does.')), ms);
  return { signal: control.signal, end: () => clearTimeout(timer) };
}

/** How many workers read photographs: each decodes with tens of megabytes, and the screen wants a core of its own. */
export function poolSize(hardwareConcurrency: number | undefined): number {
  return Math.max(2, Math.min(4, (hardwareConcurrency ?? 2) - 1));
}
