import { useState, type FormEvent } from 'react';
import type { SurveyRepository } from '../../data/repositories';
import type { SurveyId } from '../../domain/ids';
import { DEFAULT_REGION } from '../../domain/region/region-id';
import { Button } from '../../ui/Button';
import { TextField } from '../../ui/TextField';
import { today } from '../../domain/survey/day';
import styles from './NewSurveyForm.module.css';

interface Props {
  readonly surveys: SurveyRepository;
  readonly onAdded: (id: SurveyId) => void;
  readonly onCancel: () => void;
}

type State = { readonly status: 'writing' } | { readonly status: 'saving' } | { readonly status: 'wrong'; readonly words: string };

/** What a survey needs first: the place and the day. */
export function NewSurveyForm({ surveys, onAdded, onCancel }: Props) {
  const [place, setPlace] = useState('');
  const [date, setDate] = useState(() => today(new Date()));
  const [state, setState] = useState<State>({ status: 'writing' });

  async function save(event: FormEvent) {
    event.preventDefault();
    const name = place.trim();
    if (name === '') {
      setState({ status: 'wrong', words: 'Say where: a reef, a site, a mooring.' });
      return;
    }
    setState({ status: 'saving' });
    try {
      onAdded(await surveys.add({ name, date, type: 'scuba', location: { id: placeId(name), regionId: DEFAULT_REGION, name } }));
    } catch (error) {
      setState({ status: 'wrong', words: error instanceof Error ? error.message : String(error) });
    }
  }

  return (
    <form className={styles.form} onSubmit={(event) => void save(event)} noValidate aria-label="New survey">
      <h2>New survey</h2>
      <div className={styles.two}>
        <TextField label="Reef or place" name="place" value={place} onChange={setPlace} autoFocus maxLength={120} error={state.status === 'wrong' ? state.words : undefined} />
        <TextField label="Day of the dive" name="date" type="date" value={date} onChange={setDate} />
      </div>
      <div className={styles.row}>
        <Button onPress={onCancel}>Not now</Button>
        <Button type="submit" look="primary" isDisabled={state.status === 'saving'}>
          Start this survey
        </Button>
      </div>
    </form>
  );
}

/** A place that was only named: the same words give the same id, and none that a map's feature has. */
function placeId(name: string): string {
  return `named:${name.toLocaleLowerCase('en').normalize('NFC').replaceAll(/\s+/g, ' ')}`;
}
