import { Emitter } from '../../base/emitter';
import { useSyncExternalStore } from 'react';

const TICK_MS = 1000;

let now = Date.now();
const ticked = new Emitter();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  const stop = ticked.subscribe(listener);
  now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    ticked.emit();
  }, TICK_MS);
  return () => {
    stop();
    if (ticked.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Ms since the epoch, every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
