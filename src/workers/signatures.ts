import type { SignaturesWorkerApi } from './signatures.api';
import { verifySignature } from './verify-signature';
import { WorkerBridge } from './worker-bridge';

/** So many that are asked for in one go are worth a worker: less is checked here in a few milliseconds. */
const WORTH_A_WORKER = 32;
/** A worker that says nothing for so long, ms, is given up, and what it had is checked here. */
const GIVE_UP_MS = 30_000;

type Verify = typeof verifySignature;

/** A signature that somebody waits for. */
interface Asked {
  readonly key: string;
  readonly sig: string;
  readonly text: string;
  readonly resolve: (holds: boolean | Promise<boolean>) => void;
}

/**
 * Checks signatures, those of a whole page of a feed in a worker: a browser computes each on the thread that asks for it, a
 * thousand take a tenth of a second, and the page is to be touched meanwhile. Where the worker fails they are checked here.
 *
 * @param start makes the worker
 * @param here checks one on this thread
 */
export function signatureVerifier(start: () => Worker, here: Verify = verifySignature): Verify {
  const bridge = new WorkerBridge<SignaturesWorkerApi>(start);
  let asked: Asked[] = [];

  const checkHere = ({ key, sig, text, resolve }: Asked): void => resolve(here({ x: key }, sig, text));

  const checkTogether = async (together: readonly Asked[]): Promise<void> => {
    let answers: readonly boolean[] = [];
    try {
      const columns = {
        keys: together.map(({ key }) => key),
        sigs: together.map(({ sig }) => sig),
        texts: together.map(({ text }) => text),
      };
      answers = await bridge.use((api) => api.verifyAll(columns), AbortSignal.timeout(GIVE_UP_MS));
    } catch {
      // It broke down, or this browser has no such signatures: checking here says the same, or the reason.
    }
    together.forEach((one, i) => {
      const holds = answers[i];
      if (typeof holds === 'boolean') one.resolve(holds);
      else checkHere(one);
    });
  };

  const checkAsked = (): void => {
    const together = asked;
    asked = [];
    if (together.length < WORTH_A_WORKER) together.forEach(checkHere);
    else void checkTogether(together);
  };

  return ({ x }, sig, text) =>
    new Promise((resolve) => {
      if (asked.push({ key: x, sig, text, resolve }) === 1) queueMicrotask(checkAsked);
    });
}

/** Checks signatures on this page's thread and in a worker of the browser. */
export function browserSignatures(): Verify {
  return signatureVerifier(
    () => new Worker(new URL('./signatures.worker.ts', import.meta.url), { type: 'module', name: 'signatures' }),
  );
}
