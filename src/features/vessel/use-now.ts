import { useSyncExternalStore } from 'react';
import { liveValue } from '../../base/live-value';
import { ObservableValue } from '../../base/observable';

const TICK_MS = 1000;

const now = new ObservableValue(Date.now());
const ticking = liveValue(now, () => {
  const tick = (): void => now.set(Date.now());
  tick();
  const timer = setInterval(tick, TICK_MS);
  return [() => clearInterval(timer)];
});

/** Ms since the epoch, every second. */
export function useNow(): number {
  return useSyncExternalStore(ticking.subscribe, ticking.get);
}
