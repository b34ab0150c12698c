import { useState } from 'react';
import { formatCount } from '../../../base/plural';
import type { ConflictRepository, PersonRepository, SurveyView } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { Dialog } from '../../../ui/controls/Dialog';
import { Note } from '../../../ui/feedback/Note';
import { useObservable } from '../../shell';
import { Conflict } from './Conflict';
import { conflictQuestion } from './conflict-text';
import styles from './LogConflicts.module.css';

interface Props {
  readonly conflicts: ConflictRepository;
  readonly people: PersonRepository;
  readonly survey: SurveyView;
}

/** Conflicts of a survey's log: a note, and a dialog wide enough to compare the answers. */
export function LogConflicts({ conflicts, people, survey }: Props) {
  const all = useObservable(conflicts.all).items.filter(({ kind, docId }) => kind === 'survey' && docId === survey.id);
  const me = useObservable(people.current)?.uid ?? null;
  const names = new Map(useObservable(conflicts.names).items.map(({ uid, name }) => [uid, name]));
  const [isOpen, setOpen] = useState(false);
  const [first] = all;
  if (first === undefined) return null;
  const only = all.length === 1 ? first : undefined;
  return (
    <section aria-label="Conflicting edits">
      <Note
        tone="look"
        icon="dup"
        title={
          only === undefined ? `${formatCount(all.length, 'value')} with conflicting edits` : conflictQuestion(only)
        }
        role="status"
      >
        <p>Nothing is lost: all answers are saved.</p>
        <div className={styles.open}>
          <Button onPress={() => setOpen(true)}>Compare</Button>
        </div>
      </Note>
      <Dialog
        title={only === undefined ? 'Which answers are right?' : conflictQuestion(only)}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        wide
      >
        <div className={styles.list}>
          {all.map((conflict) => (
            <Conflict
              key={conflict.field}
              conflict={conflict}
              me={me}
              names={names}
              isAsked={only !== undefined}
              onSettle={(value) => conflicts.resolve(conflict, value)}
            />
          ))}
        </div>
      </Dialog>
    </section>
  );
}
