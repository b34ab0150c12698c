import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { PublicKey } from '../../protocol/receipt';
import { verifyInPool } from './receipt-signer';

/** Smallest batch sent to the thread: for fewer, a trip through libuv's pool costs less than waking it. */
const THREAD_BATCH_MIN = 32;

interface Check {
  readonly key: PublicKey;
  readonly sig: string;
  readonly text: string;
}

/** Signatures that the thread checks in one go; it answers with a boolean for each. */
export type SignatureBatch = readonly Check[];

interface PendingCheck extends Check {
  readonly resolve: (holds: boolean | Promise<boolean>) => void;
}

interface PendingBatch {
  readonly resolve: (answers: readonly boolean[]) => void;
  readonly reject: (error: Error) => void;
}

interface SignatureThread {
  readonly worker: Worker;
  /** Batches that it has not answered yet; it answers in order. */
  readonly sent: PendingBatch[];
}

/**
 * Checks signatures off the main thread, as it has other work: a bridge's batch in a thread of its own, few in the pool.
 * Those asked for in one turn of the event loop are answered together: lookups and commits batch what comes together. If
 * the thread fails, its batches are checked in the pool, and the next gets a new thread.
 */
export class ThreadVerifier {
  #pending: PendingCheck[] = [];
  #thread: SignatureThread | undefined;
  readonly #report: (error: Error) => void;
  readonly #start: (() => Worker) | undefined;
  #isClosed = false;

  /**
   * @param report called when the thread ended unasked
   * @param start starts the thread; the pool does all if undefined
   */
  constructor(report: (error: Error) => void, start: (() => Worker) | undefined = builtProgram()) {
    this.#report = report;
    this.#start = start;
  }

  /** True if the signature (base64url) over the UTF-8 text holds; false too for a malformed key or signature. */
  verify(key: PublicKey, sig: string, text: string): Promise<boolean> {
    return new Promise((resolve) => {
      if (this.#pending.push({ key, sig, text, resolve }) === 1) setImmediate(() => void this.#checkPending());
    });
  }

  /** Ends the thread; checks that it still owes are done in the pool. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread?.worker.terminate();
  }

  async #checkPending(): Promise<void> {
    const batch = this.#pending;
    this.#pending = [];
    const start = batch.length < THREAD_BATCH_MIN || this.#isClosed ? undefined : this.#start;
    const answers =
      start === undefined
        ? await checkInPool(batch)
        : await this.#checkInThread(batch, start).catch(() => checkInPool(batch));
    batch.forEach(({ resolve }, n) => resolve(answers[n] ?? false));
  }

  #checkInThread(batch: readonly PendingCheck[], start: () => Worker): Promise<readonly boolean[]> {
    return new Promise((resolve, reject) => {
      const { worker, sent } = (this.#thread ??= this.#hold(start()));
      sent.push({ resolve, reject });
      worker.postMessage(batch.map(({ key, sig, text }): Check => ({ key, sig, text })));
    });
  }

  #hold(worker: Worker): SignatureThread {
    const thread: SignatureThread = { worker, sent: [] };
    const fail = (error: Error): void => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      if (!this.#isClosed) this.#report(error);
      for (const { reject } of thread.sent.splice(0)) reject(error);
    };
    worker.on('message', (answers: readonly boolean[]) => thread.sent.shift()?.resolve(answers));
    worker.once('error', fail);
    worker.once('exit', (code) => fail(new Error(`the thread that checks signatures ended with ${code}`)));
    worker.unref();
    return thread;
  }
}

/** Answers once all are checked; the promise of a check that failed rejects. */
async function checkInPool(batch: readonly Check[]): Promise<readonly (boolean | Promise<boolean>)[]> {
  const checks = batch.map(({ key, sig, text }) => verifyInPool(key, sig, text));
  await Promise.allSettled(checks);
  return checks;
}

/** Starts the built program; undefined in development, where the source has no compiler in a thread. */
function builtProgram(): (() => Worker) | undefined {
  const built = new URL('./signature-program.mjs', import.meta.url);
  return existsSync(fileURLToPath(built)) ? () => new Worker(built) : undefined;
}
