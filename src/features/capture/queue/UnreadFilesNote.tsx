import { formatCount, pluralize } from '../../../base/plural';
import type { CardRepository } from '../../../data/repositories';
import type { SurveyId } from '../../../domain/ids';
import { Note } from '../../../ui/feedback/Note';
import { useObservable } from '../../shell';

/** Files of a card that were never read; the reason (closed page, no space, stopped) is not stored. */
export function UnreadFilesNote({ cards, surveyId }: { readonly cards: CardRepository; readonly surveyId: SurveyId }) {
  const verdict = useObservable(cards.all).items.find((card) => card.surveyId === surveyId)?.verdict;
  const unread =
    verdict?.kind === 'keep'
      ? verdict.blockers.reduce((n, missing) => (missing.kind === 'unread' ? n + missing.count : n), 0)
      : 0;
  if (unread === 0) return null;
  return (
    <Note
      tone="look"
      icon="card"
      title={`${formatCount(unread, 'photograph')} of the card ${pluralize(unread, 'was', 'were')} not read`}
      role="status"
    >
      {pluralize(unread, 'It was', 'They were')} chosen, but the app did not get to {pluralize(unread, 'it', 'them')}.
      Add the same card again: photographs that are already saved are left out.
    </Note>
  );
}
