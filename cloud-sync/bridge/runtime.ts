/** The bridge's clocks. Schedules and rates go by `elapsed`; `now` is for what people read. */
export interface BridgeClock {
  /** The clock on the wall, ms since 1970. It may be years off and may jump. */
  now(): number;
  /** Ms since some moment; only grows. */
  elapsed(): number;
}

/** How the bridge waits. */
export interface BridgeTimers {
  /** Settles after `ms`, or as soon as the signal is aborted; never rejects. */
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
