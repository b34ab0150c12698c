import { useId, useState, type ReactNode } from 'react';
import { Button } from 'react-aria-components';
import type { ConflictView } from '../../../data/repositories';
import type { Json } from '../../../domain/json';
import styles from './Conflict.module.css';
import { conflictQuestion, formatFieldValue } from './conflict-text';

interface Props {
  readonly conflict: ConflictView;
  /** Current user, and names of others. */
  readonly me: string | null;
  readonly names: ReadonlyMap<string, string>;
  readonly onSettle: (value: Json) => Promise<void>;
  /** Subject, if the page does not show it. */
  readonly about?: ReactNode;
  /** The title of the dialog asks already. */
  readonly isAsked?: boolean;
}

/** Conflict of one field: a button for each value, with its author and time. */
export function Conflict({ conflict, me, names, onSettle, about, isAsked = false }: Props) {
  const { field, shown, shownBy, shownAt, others } = conflict;
  const id = useId();
  const [state, setState] = useState<
    { readonly status: 'open' | 'settling' } | { readonly status: 'failed'; readonly words: string }
  >({ status: 'open' });
  const author = (by: string | null, at: string | null): string => authorText(by, at, me, names);
  const choices = [
    { key: 'shown', value: shown, who: `${author(shownBy, shownAt)}; shown now` },
    ...others.map(({ opId, value, by, madeAt }) => ({ key: opId, value, who: author(by, madeAt) })),
  ];

  async function settle(value: Json) {
    setState({ status: 'settling' });
    try {
      await onSettle(value);
    } catch (error) {
      setState({ status: 'failed', words: error instanceof Error ? error.message : String(error) });
    }
  }

  return (
    <section className={styles.conflict} aria-labelledby={isAsked ? undefined : id}>
      {!isAsked && (
        <h2 id={id} className={styles.question}>
          {conflictQuestion(conflict)}
        </h2>
      )}
      {about !== undefined && <p className={styles.about}>{about}</p>}
      <ul className={styles.choices}>
        {choices.map(({ key, value, who: words }) => (
          <li key={key}>
            <Button
              className={styles.choice ?? ''}
              isDisabled={state.status === 'settling'}
              onPress={() => void settle(value)}
            >
              <b>{formatFieldValue(field, value)}</b> <span>{words}</span>
            </Button>
          </li>
        ))}
      </ul>
      <p className={styles.help}>All answers are saved until someone picks one.</p>
      {state.status === 'failed' && <p role="alert">{state.words} Nothing was changed.</p>}
    </section>
  );
}

function authorText(
  by: string | null,
  madeAt: string | null,
  me: string | null,
  names: ReadonlyMap<string, string>,
): string {
  const who = by !== null && by === me ? 'you' : (by === null ? undefined : names.get(by)) || 'someone else';
  if (madeAt === null) return who;
  return `${who}, ${new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }).format(new Date(madeAt))}`;
}
