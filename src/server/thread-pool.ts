/**
 * The environment of a server process: its fsyncs wait in Node's thread pool, several for each photograph under way, and
 * with the default of four threads the writes of other photographs would stand behind them.
 */
export const THREAD_POOL_ENV = { UV_THREADPOOL_SIZE: '16' } as const;
