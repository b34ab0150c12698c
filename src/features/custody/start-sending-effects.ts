import type { Repositories, SurveyCustody } from '../../data/repositories';
import { holdBusy } from '../../platform/busy';
import { keepAwake } from '../../platform/wake-lock';
import { detectArrival } from './detect-arrival';
import { unlockSound, playSignal } from './arrival-signals';

/**
 * Side effects of sending on every page: screen on, app updates blocked, receipts audible. Only in the sending tab, so
 * that nothing sounds twice.
 * @returns function that ends it
 */
export function startSendingEffects({ custody: { photographs, sending } }: Pick<Repositories, 'custody'>): () => void {
  let awake: (() => void) | undefined;
  let busy: (() => void) | undefined;
  let before: readonly SurveyCustody[] = [];

  const onSending = (): void => {
    const { state, tab } = sending.facts.get();
    if (state === 'sending') awake ??= keepAwake();
    else {
      awake?.();
      awake = undefined;
    }
    if (state === 'sending' && tab === 'here') busy ??= holdBusy('photographs are being sent');
    else {
      busy?.();
      busy = undefined;
    }
  };
  const onCounts = (): void => {
    const read = photographs.surveys.get();
    if (read.status !== 'ready') return;
    const arrival = detectArrival(before, read.items);
    before = read.items;
    if (arrival !== null && sending.facts.get().tab === 'here') playSignal(arrival);
  };
  const stops = [unlockSound(), sending.facts.subscribe(onSending), photographs.surveys.subscribe(onCounts)];
  onSending();
  return () => {
    stops.forEach((stop) => stop());
    awake?.();
    busy?.();
  };
}
