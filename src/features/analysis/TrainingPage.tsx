import { useMemo, type ComponentType } from 'react';
import type { Repositories } from '../../data/repositories';
import { useObservable, useTitle } from '../shell';
import { TRAINING_REPOSITORY, EMPTY_WORK, TRAINING_IMAGE } from './learning/training-repository';
import { PublicTraining } from './learning/PublicTraining';
import { followLearner } from './learning/course-storage';
import type { LearningProps } from './learning/learning-host';
import { Tracing } from './trace/Tracing';

/** Public training (2§4): tracing over generated pictures, signed in or not, online or offline. Writes no record. */
export function TrainingPage({ repositories }: { readonly repositories: Pick<Repositories, 'edge' | 'account'> }) {
  useTitle('Training');
  const person = useObservable(repositories.account.people.current);
  if (person !== null) followLearner(person);
  const uid = person?.uid ?? null;
  // Memoised per user: a new component would start a new course.
  const teacher = useMemo(
    (): ComponentType<LearningProps> => (props) => <PublicTraining {...props} uid={uid} />,
    [uid],
  );
  const own = useMemo(() => ({ edge: repositories.edge, census: { analyses: TRAINING_REPOSITORY } }), [repositories]);
  // Learning needs no name: the uid only selects the progress.
  return (
    <Tracing
      key={uid ?? ''}
      repositories={own}
      image={TRAINING_IMAGE}
      work={EMPTY_WORK}
      version={3}
      uid={uid ?? 'nobody'}
      isExpert={false}
      hasMoreActions={false}
      teacher={teacher}
      onSignIn={nothing}
      onGo={nothing}
    />
  );
}

const nothing = (): void => undefined;
