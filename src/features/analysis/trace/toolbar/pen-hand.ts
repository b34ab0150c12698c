import { useSyncExternalStore } from 'react';
import { onLocalSettingChange, readLocalSetting, writeLocalSetting } from '../../../../platform/local-settings';

/** Hand that holds the pen, a setting of this device; the tools are placed for the other hand's thumb. */
export type PenHand = 'left' | 'right';

const KEY = 'trace.hand';
const listeners = new Set<() => void>();
const readPenHand = (): PenHand => (readLocalSetting(KEY) === 'left' ? 'left' : 'right');

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  const stop = onLocalSettingChange(KEY, listener);
  return () => {
    listeners.delete(listener);
    stop();
  };
}

export function setPenHand(hand: PenHand): void {
  writeLocalSetting(KEY, hand);
  for (const listener of listeners) listener();
}

export function usePenHand(): PenHand {
  return useSyncExternalStore(subscribe, readPenHand);
}
