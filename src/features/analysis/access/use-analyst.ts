import type { AnalysisRepository, PersonRoles, Repositories } from '../../../data/repositories';
import { useObservable } from '../../shell';
import { followLearner } from '../learning/course-storage';
import { useRoles } from './use-roles';

interface Analyst {
  readonly analyses: AnalysisRepository;
  /** Current user; null: none. */
  readonly uid: string | null;
  /** null until they are read. */
  readonly roles: PersonRoles | null;
}

export function useAnalyst({
  census: { analyses },
  account: { people },
}: Pick<Repositories, 'census' | 'account'>): Analyst {
  const person = useObservable(people.current);
  if (person !== null) followLearner(person);
  const uid = person?.uid ?? null;
  return { analyses, uid, roles: useRoles(analyses, uid) };
}
