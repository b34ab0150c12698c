import { useSyncExternalStore } from 'react';
import { onLocalSettingChange, readLocalSetting, writeLocalSetting } from '../../../platform/small-store';

/** The hand that holds the pen; a setting of this device. The tools lie where the other hand's thumb is not needed. */
export type Hand = 'left' | 'right';

const KEY = 'trace.hand';
const listeners = new Set<() => void>();
const get = (): Hand => (readLocalSetting(KEY) === 'left' ? 'left' : 'right');

function subscribe(told: () => void): () => void {
  listeners.add(told);
  const stop = onLocalSettingChange(KEY, told);
  return () => {
    listeners.delete(told);
    stop();
  };
}

export function chooseHand(hand: Hand): void {
  writeLocalSetting(KEY, hand);
  for (const told of listeners) told();
}

export function useHand(): Hand {
  return useSyncExternalStore(subscribe, get);
}
