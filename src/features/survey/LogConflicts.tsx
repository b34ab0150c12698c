import { useState } from 'react';
import type { ConflictRepository, ConflictView, PersonRepository, SurveyView } from '../../data/repositories';
import type { Json } from '../../domain/json';
import { Button } from '../../ui/Button';
import { Note } from '../../ui/Note';
import { useLive } from '../shell';
import { fieldWords, valueWords } from './conflict-words';
import styles from './LogConflicts.module.css';

interface Props {
  readonly conflicts: ConflictRepository;
  readonly people: PersonRepository;
  readonly survey: SurveyView;
}

/** Fields for which two people wrote something else without having seen each other: both values, and which one holds. */
export function LogConflicts({ conflicts, people, survey }: Props) {
  const all = useLive(conflicts.all).items.filter(({ kind, docId }) => kind === 'survey' && docId === survey.id);
  const me = useLive(people.current)?.uid ?? null;
  if (all.length === 0) return null;
  return (
    <section aria-label="Written twice" className={styles.list}>
      {all.map((conflict) => (
        <Conflict key={conflict.field} conflict={conflict} me={me} onSettle={(value) => conflicts.settle(conflict, value)} />
      ))}
    </section>
  );
}

function Conflict({ conflict: { field, shown, others }, me, onSettle }: { readonly conflict: ConflictView; readonly me: string | null; readonly onSettle: (value: Json) => Promise<void> }) {
  const [state, setState] = useState<{ readonly status: 'open' | 'settling' } | { readonly status: 'failed'; readonly words: string }>({ status: 'open' });
  const choices = [{ key: 'shown', value: shown, who: 'shown now' }, ...others.map(({ opId, value, by, madeAt }) => ({ key: opId, value, who: whoWords(by, madeAt, me) }))];

  async function settle(value: Json) {
    setState({ status: 'settling' });
    try {
      await onSettle(value);
    } catch (error) {
      setState({ status: 'failed', words: error instanceof Error ? error.message : String(error) });
    }
  }

  return (
    <Note tone="look" icon="dup" title={`${fieldWords(field)}: written twice`} role="status">
      <p>Both are kept until somebody says which one holds.</p>
      <ul className={styles.choices}>
        {choices.map(({ key, value, who }) => (
          <li key={key} className={styles.choice}>
            <span className={styles.words}>
              <b>{valueWords(field, value)}</b>
              <span>{who}</span>
            </span>
            <Button isDisabled={state.status === 'settling'} aria-label={`Keep ${valueWords(field, value)}`} onPress={() => void settle(value)}>
              Keep
            </Button>
          </li>
        ))}
      </ul>
      {state.status === 'failed' && <p role="alert">{state.words} Nothing was changed.</p>}
    </Note>
  );
}

function whoWords(by: string | null, madeAt: string | null, me: string | null): string {
  const who = by !== null && by === me ? 'you' : 'someone else';
  if (madeAt === null) return who;
  return `${who}, ${new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' }).format(new Date(madeAt))}`;
}
