/** Clocks of the bridge. Schedules and rates use `elapsed`; `now` is for display. */
export interface BridgeClock {
  /** Wall clock, ms since 1970. It may be years off and may jump. */
  now(): number;
  elapsed(): number;
}

export interface BridgeTimers {
  /** Resolves after `ms`, or once the signal is aborted; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: BridgeClock = { now: Date.now, elapsed: () => performance.now() };

export const systemTimers: BridgeTimers = {
  sleep(ms, signal) {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done, { once: true });
    });
  },
};
