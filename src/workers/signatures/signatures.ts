import type { SignaturesWorkerApi } from './signatures.api';
import { verifySignature } from './verify-signature';
import { WorkerBridge } from '../bridge/worker-bridge';

/** Smallest batch sent to a worker: fewer are checked here in a few milliseconds. */
const WORKER_BATCH_MIN = 32;
/** Time limit for the worker, ms; on timeout its batch is checked here. */
const WORKER_TIMEOUT_MS = 30_000;

type Verify = typeof verifySignature;

interface PendingCheck {
  readonly key: string;
  readonly sig: string;
  readonly text: string;
  readonly resolve: (holds: boolean | Promise<boolean>) => void;
}

/**
 * Checks signatures, a whole feed page in a worker: a thousand on the main thread take a tenth of a second. If the
 * worker fails they are checked here.
 * @param start starts the worker
 * @param verifyLocally checks one on this thread
 */
export function signatureVerifier(start: () => Worker, verifyLocally: Verify = verifySignature): Verify {
  const bridge = new WorkerBridge<SignaturesWorkerApi>(start);
  let pending: PendingCheck[] = [];

  const checkLocally = ({ key, sig, text, resolve }: PendingCheck): void =>
    resolve(verifyLocally({ x: key }, sig, text));

  const checkTogether = async (batch: readonly PendingCheck[]): Promise<void> => {
    let answers: readonly boolean[] = [];
    try {
      const columns = {
        keys: batch.map(({ key }) => key),
        sigs: batch.map(({ sig }) => sig),
        texts: batch.map(({ text }) => text),
      };
      answers = await bridge.run((api) => api.verifyAll(columns), AbortSignal.timeout(WORKER_TIMEOUT_MS));
    } catch {
      // Worker crashed, or signatures are not supported: checking here yields the result or the reason.
    }
    batch.forEach((one, i) => {
      const holds = answers[i];
      if (typeof holds === 'boolean') one.resolve(holds);
      else checkLocally(one);
    });
  };

  const checkPending = (): void => {
    const batch = pending;
    pending = [];
    if (batch.length < WORKER_BATCH_MIN) batch.forEach(checkLocally);
    else void checkTogether(batch);
  };

  return ({ x }, sig, text) =>
    new Promise((resolve) => {
      if (pending.push({ key: x, sig, text, resolve }) === 1) queueMicrotask(checkPending);
    });
}

export function browserSignatures(): Verify {
  return signatureVerifier(
    () => new Worker(new URL('./signatures.worker.ts', import.meta.url), { type: 'module', name: 'signatures' }),
  );
}
