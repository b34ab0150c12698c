/**
 * Signal that aborts with the first of several, for its reason. `AbortSignal.any` would raise the floor of Safari from
 * 17.0 to 17.4.
 */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  const any = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) {
      any.abort(signal.reason);
      break;
    }
    // Removed with the first abort, so that a signal of the whole page collects no listeners.
    signal.addEventListener('abort', () => any.abort(signal.reason), { signal: any.signal });
  }
  return any.signal;
}
