import { ReefError } from '../../domain/errors';
import type { Timers } from '../../platform/host';

/** Waits; an abort ends the wait early, without an error: whoever waits looks at the signal afterwards. */
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

/** @throws ReefError `timeout` after `ms`; what was begun goes on unheard, so it must be safe to repeat */
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

/** `delay` with up to a quarter taken off at random, so that the tablets of a boat do not all come back at once. */
export function withJitter(delay: number, randomBytes: (n: number) => Uint8Array): number {
  const [byte = 0] = randomBytes(1);
  return Math.round(delay * (1 - byte / 1024));
}
