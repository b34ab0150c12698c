/**
 * Keeps the screen on while work runs (Wake Lock). The browser lets go of the lock whenever the page is hidden, so it is
 * taken again when the page comes back. Where there is none, the work goes on and only the promise is not made.
 */

/** `on`: the screen stays on. `off`: nobody asks for it. `without`: the browser has none, or refused it (a low battery). */
export type AwakeState = 'on' | 'off' | 'without';

const listeners = new Set<() => void>();
const wanted = new Set<symbol>();
let state: AwakeState = 'off';
let lock: WakeLockSentinel | undefined;
let asking = false;
let watching = false;

/** Asks for the screen to stay on until the function given back is called. */
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
    // A browser refuses while the battery is low, or when the page was hidden meanwhile: the promise is not made.
    set('without');
  } finally {
    asking = false;
  }
  // What was wanted may have changed while the browser was asked.
  if (wanted.size === 0) await settle();
}

function set(next: AwakeState): void {
  if (state === next) return;
  state = next;
  for (const listener of [...listeners]) listener();
}
