import { formatCount, pluralize } from '../../../base/plural';
import type { SendingFacts } from '../../../data/repositories';

/** Unsent work in a sentence; null if none. */
export function unsentText({ photographs, records }: SendingFacts['owed']): string | null {
  const parts = [
    photographs > 0 ? formatCount(photographs, 'photograph') : '',
    records > 0 ? formatCount(records, 'record') : '',
  ].filter((part) => part !== '');
  if (parts.length === 0) return null;
  return `${parts.join(' and ')} ${pluralize(photographs + records, 'is', 'are')} not sent yet.`;
}
