import { useState } from 'react';
import type { SurveyRepository } from '../../../data/repositories';
import type { SurveyId } from '../../../domain/ids';
import { formatDay } from '../../../domain/survey/day';
import { Button } from '../../../ui/controls/Button';
import { Disclosure } from '../../../ui/controls/Disclosure';
import { Note } from '../../../ui/feedback/Note';
import { useObservable } from '../../shell';
import styles from './DeletedSurveys.module.css';

/** Number of deleted surveys shown. */
const SHOWN = 50;

/** Surveys deleted on this tablet or aboard, to restore. */
export function DeletedSurveys({ surveys }: { readonly surveys: SurveyRepository }) {
  const { items } = useObservable(surveys.removed);
  const [failed, setFailed] = useState<string | null>(null);
  if (items.length === 0) return null;

  function restore(id: SurveyId) {
    surveys.restore(id).then(
      () => setFailed(null),
      (error: unknown) => setFailed(error instanceof Error ? error.message : String(error)),
    );
  }

  return (
    <Disclosure title="Deleted" detail={items.length.toLocaleString('en')} level={2}>
      {failed !== null && (
        <Note tone="look" icon="alert" title="The survey could not be restored" role="alert">
          {failed}
        </Note>
      )}
      <ul className={styles.list}>
        {items.slice(0, SHOWN).map(({ id, name, date }) => (
          <li key={id} className={styles.item}>
            <span className={styles.words}>
              <b>{name}</b>
              <span>{date === '' ? 'No date' : formatDay(date)}</span>
            </span>
            <Button icon="undo" aria-label={`Restore ${name}`} onPress={() => restore(id)}>
              Restore
            </Button>
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}
