/**
 * Environment of a server process: its fsyncs wait in Node's thread pool, several per photograph, and with four threads
 * other writes would queue behind them.
 */
export const THREAD_POOL_ENV = { UV_THREADPOOL_SIZE: '16' } as const;

/**
 * Node options for a process with a small heap that relays photographs. V8 counts their bytes as heap and would scan
 * all of it every 64 MB: a third of the bridge's processor time.
 */
export const LARGE_HEAP_FLAGS = ['--initial-old-space-size=128'] as const;
