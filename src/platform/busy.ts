import { ObservableValue } from '../base/observable';

/**
 * Work in any tab that a new version must not interrupt, such as adding photographs. It holds a shared Web Lock; a new
 * version needs the exclusive one. A tab that dies releases its lock.
 */

const BUSY_LOCK = 'reef-busy';

const held = new Map<symbol, { readonly reason: string; readonly release: () => void }>();
const reasons = new ObservableValue<readonly string[]>([]);

/**
 * Marks work that a new version must not interrupt.
 * @param reason in plain words, such as "photographs are being added"; shown with a waiting update
 * @returns idempotent function that ends it
 */
export function holdBusy(reason: string): () => void {
  const key = Symbol(reason);
  const release = shareLock();
  held.set(key, { reason, release });
  notify();
  return () => {
    if (!held.delete(key)) return;
    release();
    notify();
  };
}

/** Releases the locks of all work of a page that the browser puts away. */
export function releaseBusyLocks(): void {
  for (const { release } of held.values()) release();
}

/** Reasons that this tab is busy, without duplicates. */
export const busyReasons = reasons.get;

export const onBusyChange = reasons.subscribe;

/** True if any tab of this browser is busy; without Web Locks, if this one is. */
export async function isAnyTabBusy(): Promise<boolean> {
  if (held.size > 0) return true;
  if (!hasLocks()) return false;
  const { held: locks = [] } = await navigator.locks.query();
  return locks.some(({ name }) => name === BUSY_LOCK);
}

/**
 * Runs `work` while no tab is busy, and blocks new busy work.
 * @returns false if a tab is busy and `work` did not run
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
      // Cancelled before it was granted: this work ended while a new version took over.
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
  reasons.set([...new Set(Array.from(held.values(), ({ reason }) => reason))]);
}
