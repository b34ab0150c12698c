import { useMemo, type ComponentType, type ReactNode } from 'react';
import type { Repositories } from '../../data/repositories';
import { useObservable, useTitle } from '../shell';
import { TRAINING_REPOSITORY, EMPTY_WORK, TRAINING_IMAGE } from './learning/training-repository';
import { PublicTraining } from './learning/PublicTraining';
import type { LearningProps } from './learning/learning-host';
import { Tracing } from './trace/Tracing';

interface Props {
  readonly repositories: Pick<Repositories, 'edge' | 'people'>;
  readonly back: (content: ReactNode, className: string, name: string) => ReactNode;
  /** To the photographs that wait to be analysed. */
  readonly onward: (words: string) => ReactNode;
}

/** The public training (2§4): the screen of tracing over made pictures, signed in or not, with or without a link. No record is made. */
export function TrainingPage({ repositories, back, onward }: Props) {
  useTitle('Training');
  const uid = useObservable(repositories.people.current)?.uid ?? null;
  // Made once for a person: another component would be another course.
  const teacher = useMemo(
    (): ComponentType<LearningProps> => (props) => <PublicTraining {...props} uid={uid} onward={onward} />,
    [uid, onward],
  );
  const own = useMemo(() => ({ edge: repositories.edge, analyses: TRAINING_REPOSITORY }), [repositories]);
  // Nobody's name is needed to learn: who is at the tablet says only whose progress it is.
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
      links={{ back, leave: onward, dashboard: null, library: null }}
      teacher={teacher}
      onSignIn={nothing}
      onGo={nothing}
    />
  );
}

const nothing = (): void => undefined;
