/**
 * The environment of a server process: its fsyncs wait in Node's thread pool, several for each photograph under way, and
 * with the default of four threads the writes of other photographs would stand behind them.
 */
export const THREAD_POOL_ENV = { UV_THREADPOOL_SIZE: '16' } as const;

/**
 * Node's options for a process whose heap is small and through which photographs pass. V8 counts their bytes to the heap, and with a
 * small one it would look through all of it for every 64 MB: measured at the bridge, five such looks a second and a third of its processor time.
 */
export const LARGE_HEAP_FLAGS = ['--initial-old-space-size=128'] as const;
