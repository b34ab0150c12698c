import { ObservableValue } from '../base/observable';

/**
 * Keeps the screen on during work (Wake Lock). The browser releases the lock when the page is hidden, so it is
 * requested again. Without support the work goes on.
 */

/**
 * `on`: the screen stays on. `off`: not requested. `without`: unsupported or refused by the browser (a low battery).
 */
type AwakeState = 'on' | 'off' | 'without';

const wanted = new Set<symbol>();
const state = new ObservableValue<AwakeState>('off');
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

export const awakeState = state.get;

export const onAwakeChange = state.subscribe;

async function settle(): Promise<void> {
  if (asking) return;
  if (wanted.size === 0) {
    const held = lock;
    lock = undefined;
    state.set('off');
    await held?.release();
    return;
  }
  const { wakeLock } = navigator as { wakeLock?: WakeLock };
  if (wakeLock === undefined) {
    state.set('without');
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
      state.set(wanted.size === 0 ? 'off' : 'without');
      void settle();
    });
    state.set('on');
  } catch {
    // Browsers refuse on a low battery or for a hidden page.
    state.set('without');
  } finally {
    asking = false;
  }
  // Requests may have changed during the await.
  if (wanted.size === 0) await settle();
}
