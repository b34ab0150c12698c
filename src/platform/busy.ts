/**
 * What must not be cut off by a new version of the app, over all tabs: photographs that are being added or sent, strokes
 * that are being drawn. Whoever does such work holds a shared Web Lock; a new version takes over only under the exclusive
 * one. A tab that dies lets go of its lock by itself.
 */

/** The Web Lock that busy work shares. */
export const BUSY_LOCK = 'reef-busy';

const held = new Map<symbol, string>();
const listeners = new Set<() => void>();
let reasons: readonly string[] = [];

/**
 * Says that work runs which a new version must not cut off.
 *
 * @param reason in plain words, such as "photographs are being added"; shown beside a waiting update
 * @returns call it when the work ended; calling it again does nothing
 */
export function holdBusy(reason: string): () => void {
  const key = Symbol(reason);
  held.set(key, reason);
  notify();
  const release = shareLock();
  return () => {
    if (!held.delete(key)) return;
    release();
    notify();
  };
}

/** Why this tab is busy, each reason once; empty when it is not. */
export function busyReasons(): readonly string[] {
  return reasons;
}

/** Calls back when the reasons of this tab change; gives the way to stop. */
export function onBusyChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether any tab of this browser is busy. Where there are no Web Locks: whether this one is. */
export async function isAnyTabBusy(): Promise<boolean> {
  if (held.size > 0) return true;
  if (!hasLocks()) return false;
  const { held: locks = [] } = await navigator.locks.query();
  return locks.some(({ name }) => name === BUSY_LOCK);
}

/**
 * Does `work` while no tab is busy and none can begin to be.
 *
 * @returns false where a tab is busy; `work` was not done then
 */
export async function runIfIdle(work: () => Promise<void>): Promise<boolean> {
  if (held.size > 0) return false;
  if (!hasLocks()) {
    await work();
    return true;
  }
  return navigator.locks.request(BUSY_LOCK, { mode: 'exclusive', ifAvailable: true }, async (lock) => {
    if (lock === null) return false;
    await work();
    return true;
  });
}

function shareLock(): () => void {
  if (!hasLocks()) return () => undefined;
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  const cancelled = new AbortController();
  navigator.locks
    .request(BUSY_LOCK, { mode: 'shared', signal: cancelled.signal }, () => until)
    .catch((error: unknown) => {
      // Called off before it was granted: a new version was just taking over, and this work ended meanwhile.
      if (!cancelled.signal.aborted) reportError(error);
    });
  return () => {
    cancelled.abort();
    release();
  };
}

function hasLocks(): boolean {
  return typeof navigator !== 'undefined' && (navigator as { locks?: LockManager }).locks !== undefined;
}

function notify(): void {
  reasons = [...new Set(held.values())];
  for (const listener of listeners) listener();
}
