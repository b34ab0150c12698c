import type { Remote } from 'comlink';
import { anySignal } from './any-signal';
import { WorkerBridge } from './worker-bridge';

interface QueuedTask<Api> {
  readonly begin: (bridge: WorkerBridge<Api>) => Promise<void>;
}

/**
 * Workers behind one queue, first come, first served; urgent tasks go first. A worker that crashes affects only its own
 * task.
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
   * Runs a task in one of the workers.
   * @param options.limitMs terminates a slower worker: a file made to keep a decoder busy must not block the others
   * @throws the signal's reason, or an error when the worker crashes or times out
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
            resolve(await bridge.run(work, signals.length === 0 ? undefined : anySignal(signals)));
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          } finally {
            limit?.end();
          }
        },
      };
      const queue = options.urgent === true ? this.#urgent : this.#waiting;
      // An aborted task leaves the queue at once, so that its promise does not hold up others.
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
      // Reuse the most recent worker, which is warm; the others may go idle.
      this.#free.unshift(bridge);
      this.#startNext();
    });
    this.#startNext();
  }
}

function timeLimit(ms: number): { readonly signal: AbortSignal; readonly end: () => void } {
  const control = new AbortController();
  const timer = setTimeout(() => control.abort(new Error('The photograph took too long.')), ms);
  return { signal: control.signal, end: () => clearTimeout(timer) };
}

/** Number of workers that read photographs: each needs tens of megabytes, and the main thread a core of its own. */
export function poolSize(hardwareConcurrency: number | undefined): number {
  return Math.max(2, Math.min(4, (hardwareConcurrency ?? 2) - 1));
}
