import type { BridgeClock, BridgeTimers } from '../../cloud-sync/bridge/runtime';

/** Clock that only sleeping advances. */
export class TestTime implements BridgeClock, BridgeTimers {
  ms = 0;
  wall = Date.parse('2026-11-20T00:00:00.000Z');
  readonly #waiting: { at: number; wake: () => void }[] = [];

  now(): number {
    return this.wall + this.ms;
  }

  elapsed(): number {
    return this.ms;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener('abort', wake);
        this.#waiting.splice(this.#waiting.indexOf(entry) >>> 0, 1);
        resolve();
      };
      const entry = { at: this.ms + ms, wake };
      this.#waiting.push(entry);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  /** Runs work to its end; if everything sleeps, time advances to the next wake-up. */
  async until<T>(work: Promise<T>): Promise<T> {
    let ended = false;
    const watched = work.finally(() => (ended = true));
    watched.catch(() => undefined);
    while (!ended) {
      // Work that does not sleep runs first.
      for (let i = 0; i < 25 && !ended; i++) await new Promise((resolve) => setImmediate(resolve));
      if (ended) break;
      this.#waiting.sort((a, b) => a.at - b.at);
      const [next] = this.#waiting;
      if (next === undefined) continue;
      this.ms = Math.max(this.ms, next.at);
      next.wake();
    }
    return watched;
  }
}
