import type { CardRepository } from '../../../data/repositories';
import type { SurveyId } from '../../../domain/ids';
import { useObservable } from '../../shell';

/** Number of files of the card that were never read; the reason (closed page, no space, stopped) is not stored. */
export function useUnreadFiles(cards: CardRepository, surveyId: SurveyId): number {
  const verdict = useObservable(cards.all).items.find((card) => card.surveyId === surveyId)?.verdict;
  return verdict?.kind === 'keep'
    ? verdict.blockers.reduce((n, missing) => (missing.kind === 'unread' ? n + missing.count : n), 0)
    : 0;
}
