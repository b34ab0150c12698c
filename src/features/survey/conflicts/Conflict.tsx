import { useState, type ReactNode } from 'react';
import type { ConflictView } from '../../../data/repositories';
import type { Json } from '../../../domain/json';
import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import styles from './Conflict.module.css';
import { fieldLabel, formatFieldValue } from './conflict-text';

interface Props {
  readonly conflict: ConflictView;
  /** Current user, and names of others. */
  readonly me: string | null;
  readonly names: ReadonlyMap<string, string>;
  readonly onSettle: (value: Json) => Promise<void>;
  /** Subject, if the page does not show it. */
  readonly about?: ReactNode;
}

/** Conflict of one field: values with author and time, to choose from. */
export function Conflict({ conflict: { field, shown, shownBy, shownAt, others }, me, names, onSettle, about }: Props) {
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
    <Note tone="look" icon="dup" title={`${fieldLabel(field)}: conflicting edits`} role="status">
      {about !== undefined && <p className={styles.about}>{about}</p>}
      <p>Both values are saved until someone picks one.</p>
      <ul className={styles.choices}>
        {choices.map(({ key, value, who: words }) => (
          <li key={key} className={styles.choice}>
            <span className={styles.words}>
              <b>{formatFieldValue(field, value)}</b>
              <span>{words}</span>
            </span>
            <Button
              isDisabled={state.status === 'settling'}
              aria-label={`Keep ${formatFieldValue(field, value)}`}
              onPress={() => void settle(value)}
            >
              Keep
            </Button>
          </li>
        ))}
      </ul>
      {state.status === 'failed' && <p role="alert">{state.words} Nothing was changed.</p>}
    </Note>
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
