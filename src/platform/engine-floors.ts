/**
 * Oldest version of each engine that the app supports: the first with Ed25519 in WebCrypto. The build compiles for
 * these, and `tests/checks/engines.test.ts` lists what newer ones have.
 */
export const ENGINE_FLOORS = { chrome: 137, firefox: 129, safari: 17 } as const;

/** Floors as a sentence names them. */
export const ENGINE_FLOORS_TEXT = `Chrome or Edge ${ENGINE_FLOORS.chrome}, Firefox ${ENGINE_FLOORS.firefox}, Safari ${ENGINE_FLOORS.safari}`;
