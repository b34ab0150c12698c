import { useSyncExternalStore } from 'react';
import { LocalSetting } from '../../../platform/local-settings';

/** Hand that holds the pen, a setting of this device; the tools are placed for the other hand's thumb. */
type PenHand = 'left' | 'right';

const penHand = new LocalSetting<PenHand>('trace.hand', (stored) => (stored === 'left' ? 'left' : 'right'));

export const setPenHand = penHand.set;

export function usePenHand(): PenHand {
  return useSyncExternalStore(penHand.subscribe, penHand.get);
}
