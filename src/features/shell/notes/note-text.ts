import { formatCount, pluralize } from '../../../base/plural';
import type { SendingFacts, StorageFacts } from '../../../data/repositories';
import { LIMITS } from '../../../domain/limits';
import type { ClockFault } from './clock-check';

export function updateWaitText(owed: SendingFacts['owed'], busy: boolean): string | null {
  if (busy) return 'The update waits until the current work is done.';
  if (owed.photographs > 0)
    return `The update waits until ${formatCount(owed.photographs, 'photograph')} ${pluralize(owed.photographs, 'is', 'are')} on the box.`;
  return owed.records > 0
    ? `The update waits until ${formatCount(owed.records, 'record')} ${pluralize(owed.records, 'is', 'are')} on the box.`
    : null;
}

/** Warning about this tablet's storage; null if there is enough. */
type StorageWarning = { readonly kind: 'full' | 'low'; readonly title: string; readonly text: string };

export function storageWarning({ photographsLeft }: Pick<StorageFacts, 'photographsLeft'>): StorageWarning | null {
  if (photographsLeft === null || photographsLeft >= LIMITS.storageWarnPhotographs) return null;
  const advice =
    'Everything saved stays saved. Bring this tablet to the box, then free up space: remove other apps, films or downloads.';
  if (photographsLeft === 0)
    return { kind: 'full', title: 'This tablet is full', text: `It cannot store more photographs. ${advice}` };
  return {
    kind: 'low',
    title: `Space for about ${formatCount(rounded(photographsLeft), 'more photograph')}`,
    text: advice,
  };
}

/** Two significant figures suit such an estimate. */
function rounded(n: number): number {
  const step = n < 100 ? 1 : 10;
  return Math.floor(n / step) * step;
}

export function clockWarningText(fault: ClockFault, nowMs: number): string {
  const day = new Date(nowMs).toLocaleDateString('en-AU', { day: 'numeric', month: 'long', year: 'numeric' });
  return `It says ${day}${fault === 'behind' ? ', which is before this app was made' : ''}. Everything saved is safe. Set the clock in the tablet’s settings: otherwise surveys get the wrong day, and the box’s certificate is not valid.`;
}
