/**
 * Keeps the screen on during work (Wake Lock). The browser releases the lock when the page is hidden, so it is
 * requested again. Without support the work goes on.
 */

/**
 * `on`: the screen stays on. `off`: not requested. `without`: unsupported or refused by the browser (a low battery).
 */
export type AwakeState = 'on' | 'off' | 'without';

const listeners = new Set<() => void>();
const wanted = new Set<symbol>();
let state: AwakeState = 'off';
let lock: WakeLockSentinel | undefined;
let asking = false;
let watching = false;

/** Keeps the screen on until the returned function is called. */
export function keepAwake(): () => void {
  const key = Symbol('awake');
  wanted.add(key);
  if (!watching) {
    watching = true;
    document.addEventListener('visibilitychange', () => void settle());
  }
  void settle();
  return () => {
    if (wanted.delete(key)) void settle();
  };
}

export function awakeState(): AwakeState {
  return state;
}

export function onAwakeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

async function settle(): Promise<void> {
  if (asking) return;
  if (wanted.size === 0) {
    const held = lock;
    lock = undefined;
    set('off');
    await held?.release();
    return;
  }
  const { wakeLock } = navigator as { wakeLock?: WakeLock };
  if (wakeLock === undefined) {
    set('without');
    return;
  }
  if (lock !== undefined || document.visibilityState !== 'visible') return;
  asking = true;
  try {
    const held = await wakeLock.request('screen');
    lock = held;
    held.addEventListener('release', () => {
      if (lock !== held) return;
      lock = undefined;
      set(wanted.size === 0 ? 'off' : 'without');
      void settle();
    });
    set('on');
  } catch {
    // Browsers refuse on a low battery or for a hidden page.
    set('without');
  } finally {
    asking = false;
  }
  // Requests may have changed during the await.
  if (wanted.size === 0) await settle();
}

function set(next: AwakeState): void {
  if (state === next) return;
  state = next;
  for (const listener of [...listeners]) listener();
}
