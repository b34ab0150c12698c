import type { ConflictRepository, PersonRepository, SurveyView } from '../../../data/repositories';
import { useObservable } from '../../shell';
import { Conflict } from './Conflict';
import styles from './LogConflicts.module.css';

interface Props {
  readonly conflicts: ConflictRepository;
  readonly people: PersonRepository;
  readonly survey: SurveyView;
}

/** Conflicts of a survey's log, to settle. */
export function LogConflicts({ conflicts, people, survey }: Props) {
  const all = useObservable(conflicts.all).items.filter(({ kind, docId }) => kind === 'survey' && docId === survey.id);
  const me = useObservable(people.current)?.uid ?? null;
  const names = new Map(useObservable(conflicts.names).items.map(({ uid, name }) => [uid, name]));
  if (all.length === 0) return null;
  return (
    <section aria-label="Conflicting edits" className={styles.list}>
      {all.map((conflict) => (
        <Conflict
          key={conflict.field}
          conflict={conflict}
          me={me}
          names={names}
          onSettle={(value) => conflicts.resolve(conflict, value)}
        />
      ))}
    </section>
  );
}
