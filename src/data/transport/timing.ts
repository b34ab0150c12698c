import { ReefError } from '../../domain/errors';
import type { Timers } from '../../platform/host';

/** Waits; an abort ends the wait early without an error: the caller checks the signal. */
export function sleep(timers: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = timers.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** @throws ReefError `timeout` after `ms`; the work continues unobserved, so it must be safe to repeat */
export function withTimeout<Value>(timers: Timers, ms: number, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const cancel = timers.after(ms, () => reject(new ReefError('timeout')));
    work.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}

/**
 * Returns `delay` with up to a quarter taken off at random, so that the tablets of a vessel do not all reconnect at
 * once.
 */
export function withJitter(delay: number, randomBytes: (n: number) => Uint8Array): number {
  const [byte = 0] = randomBytes(1);
  return Math.round(delay * (1 - byte / 1024));
}
