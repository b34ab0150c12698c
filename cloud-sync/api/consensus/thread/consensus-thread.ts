import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ThreadAnswer, ThreadRequest } from './consensus-work';

/** Longest computation of a photograph, ms: those of ten thousand outlines take seconds. */
const PATIENCE_MS = 60_000;
/** Largest heap of the thread, MiB: if it needs more, the thread ends and the service lives. */
const HEAP_MIB = 1024;

/** Error for a computation that ended its thread, or that had to be ended. */
export class ThreadBrokeError extends Error {
  override readonly name = 'ThreadBrokeError';
}

/** Error that a computation threw: the same input throws it again. */
export class ComputationError extends Error {
  override readonly name = 'ComputationError';
}

/** Error for a computation that the end of the service interrupted. */
export class ThreadClosedError extends Error {
  override readonly name = 'ThreadClosedError';
}

interface Running {
  readonly resolve: (answer: ThreadAnswer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Thread that computes consensus and skill, one request at a time: a photograph takes up to a second of processor time,
 * and skill minutes. It starts with the first request, and again after one that ended it.
 */
export class ConsensusThread {
  readonly #start: () => Worker;
  readonly #patienceMs: number;
  #worker: Worker | undefined;
  #running: Running | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor({ start = startProgram, patienceMs = PATIENCE_MS }: { start?: () => Worker; patienceMs?: number } = {}) {
    this.#start = start;
    this.#patienceMs = patienceMs;
  }

  /**
   * Computes in the thread.
   *
   * @param patienceMs time after which it is ended
   * @throws ThreadBrokeError if the thread ended; ThreadClosedError; ComputationError
   */
  run<Request extends ThreadRequest>(
    request: Request,
    patienceMs = this.#patienceMs,
  ): Promise<ThreadAnswer & { readonly kind: Request['kind'] }> {
    const turn = this.#turn.then(() => this.#runNow(request, patienceMs));
    this.#turn = turn.catch(() => undefined);
    return turn.then((answer) => {
      if (answer.kind === 'failed') throw new ComputationError(answer.why);
      return answer as ThreadAnswer & { readonly kind: Request['kind'] };
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#running?.reject(new ThreadClosedError('the service closes'));
    await this.#worker?.terminate();
  }

  #runNow(request: ThreadRequest, patienceMs: number): Promise<ThreadAnswer> {
    if (this.#isClosed) return Promise.reject(new ThreadClosedError('the service closes'));
    const worker = (this.#worker ??= this.#hold(this.#start()));
    let timer: NodeJS.Timeout | undefined;
    return new Promise<ThreadAnswer>((resolve, reject) => {
      this.#running = { resolve, reject };
      timer = setTimeout(() => {
        this.#end(worker, new ThreadBrokeError(`it took more than ${patienceMs} ms`));
        void worker.terminate();
      }, patienceMs).unref();
      worker.ref();
      worker.postMessage(request);
    }).finally(() => {
      clearTimeout(timer);
      this.#running = undefined;
      worker.unref();
    });
  }

  #hold(worker: Worker): Worker {
    worker.on('message', (answer: ThreadAnswer) => {
      if (this.#worker === worker) this.#running?.resolve(answer);
    });
    worker.once('error', (error) => this.#end(worker, new ThreadBrokeError(error.message)));
    worker.once('exit', (code) => this.#end(worker, new ThreadBrokeError(`its thread ended with code ${code}`)));
    worker.unref();
    return worker;
  }

  #end(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#running?.reject(this.#isClosed ? new ThreadClosedError('the service closes') : error);
  }
}

/** Starts the built program; in development its source, with tsx. */
function startProgram(): Worker {
  const built = new URL('./consensus-program.mjs', import.meta.url);
  const options = { resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } };
  if (existsSync(fileURLToPath(built))) return new Worker(built, options);
  const source = new URL('./consensus-program.ts', import.meta.url).href;
  const code = `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(source)}); })`;
  return new Worker(code, { ...options, eval: true });
}
