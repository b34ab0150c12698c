import type { SpaceFacts } from '../../data/repositories';
import { bytesWords, count } from '../sync-status';

/** Why the shore cannot be asked now; null where it can. */
export function askWords({ ask }: Pick<SpaceFacts, 'ask'>): string | null {
  switch (ask) {
    case 'yes':
      return null;
    case 'no-account':
      return 'Only the shore itself can say that it still has them: sign in ashore, under You, and they can be freed. A box’s word is not enough.';
    case 'out-of-reach':
      return 'The shore does not answer now, and only it can say that it still has them. They stay until it does.';
    case 'offline':
      return 'You chose to stay offline. The shore has to be asked before anything is freed.';
  }
}

/** When the next photographs are freed without anybody asking. */
export function byItselfWords(at: number, now: Date): string {
  const days = Math.ceil((at - now.getTime()) / 86_400_000);
  if (days <= 0) return 'The first are freed by themselves when the shore next answers.';
  return days === 1
    ? 'The first are freed by themselves within a day.'
    : `The first are freed by themselves in ${days} days.`;
}

/** What stays on this tablet, and why. */
export function stayWords({ photographs, bytes, because }: SpaceFacts['stay'][number]): string {
  const what = `${count(photographs, 'photograph')}, ${bytesWords(bytes)}`;
  const one = photographs === 1;
  switch (because) {
    case 'not-ashore':
      return `${what}: ${one ? 'stays' : 'stay'}, as the shore has not confirmed ${one ? 'it' : 'them'} yet.`;
    case 'refused':
      return `${what}: ${one ? 'stays' : 'stay'}, as somebody ashore has to look at ${one ? 'it' : 'them'} first.`;
    case 'changed':
      return `${what}: ${one ? 'stays' : 'stay'} until the last change of ${one ? 'its record' : 'their records'} is ashore.`;
  }
}

/** What freeing came to. */
export function lastWords({ photographs, bytes, missing }: NonNullable<SpaceFacts['last']>): {
  readonly title: string;
  readonly detail: string;
} {
  if (missing > 0) {
    return {
      title: `${count(missing, 'photograph')} no longer ashore`,
      detail: `The shore gave receipts and does not have them now. They stay on this tablet: keep the card and tell the staff. ${bytesWords(bytes)} of others were freed.`,
    };
  }
  if (photographs === 0)
    return { title: 'Nothing was freed', detail: 'What could go is being sent or changed now. Try again in a moment.' };
  return {
    title: `${bytesWords(bytes)} freed`,
    detail: `${count(photographs, 'original')} ${photographs === 1 ? 'is' : 'are'} ashore, asked for just before. The previews stay here.`,
  };
}
