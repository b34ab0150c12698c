import { formatBytes } from '../../base/format-bytes';
import { formatCount, pluralize } from '../../base/plural';
import type { SpaceFacts } from '../../data/repositories';

export function unavailableText({ cloudAvailability }: Pick<SpaceFacts, 'cloudAvailability'>): string | null {
  switch (cloudAvailability) {
    case 'yes':
      return null;
    case 'no-account':
      return 'Only the shore can confirm that it still has them. Sign in ashore, under You, to free up space. A receipt from a box is not enough.';
    case 'out-of-reach':
      return 'The shore is not in reach, and only it can confirm that it still has them. They stay until it does.';
    case 'offline':
      return 'You chose to stay offline. The shore must confirm before anything is freed.';
  }
}

/** Time until the next automatic freeing. */
export function autoFreeText(at: number, now: Date): string {
  const days = Math.ceil((at - now.getTime()) / 86_400_000);
  if (days <= 0) return 'Space is freed automatically when the shore is next in reach.';
  return days === 1
    ? 'Space is freed automatically, starting within a day.'
    : `Space is freed automatically, starting in ${days} days.`;
}

export function retainedText({ photographs, bytes, because }: SpaceFacts['retained'][number]): string {
  const one = photographs === 1;
  const what = `${formatCount(photographs, 'photograph')} (${formatBytes(bytes)}) ${one ? 'stays' : 'stay'}`;
  switch (because) {
    case 'not-ashore':
      return `${what}: the shore has not confirmed ${one ? 'it' : 'them'} yet.`;
    case 'refused':
      return `${what}: staff ashore must review ${one ? 'it' : 'them'} first.`;
    case 'changed':
      return `${what} until the last change to ${one ? 'its record' : 'their records'} is ashore.`;
  }
}

export function freedText({ photographs, bytes, missing }: NonNullable<SpaceFacts['last']>): {
  readonly title: string;
  readonly detail: string;
} {
  if (missing > 0) {
    return {
      title: `${formatCount(missing, 'photograph')} no longer ashore`,
      detail: `The shore had confirmed them but no longer has them. They stay on this tablet: keep the card and tell the staff. ${formatBytes(bytes)} of others were freed.`,
    };
  }
  if (photographs === 0)
    return {
      title: 'Nothing was freed',
      detail: 'What could be freed is being sent or changed now. Try again in a moment.',
    };
  return {
    title: `${formatBytes(bytes)} freed`,
    detail: `${formatCount(photographs, 'original')} ${pluralize(photographs, 'is', 'are')} ashore, confirmed just before. The previews stay here.`,
  };
}
