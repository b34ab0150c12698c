import { useState, type FormEvent } from 'react';
import type { Person, Repositories } from '../../../data/repositories';
import { ReefError } from '../../../domain/errors';
import { isObject } from '../../../domain/json';
import { ANALYSIS_MESSAGES, VALIDATION_MESSAGES } from '../../../domain/messages';
import { Button } from '../../../ui/controls/Button';
import { readLocalSetting, writeLocalSetting } from '../../../platform/local-settings';
import { EmailField } from '../EmailField';
import { enterPerson } from './enter-person';
import { PeopleTiles } from './PeopleTiles';
import { NameFields } from '../NameFields';
import styles from './PersonForm.module.css';

interface Props {
  readonly repositories: Pick<Repositories, 'account' | 'edge'>;
  readonly onDone?: (person: Person) => void;
}

type State =
  | { readonly status: 'writing' }
  | { readonly status: 'saving' }
  | { readonly status: 'wrong'; readonly field: 'name' | 'email' | 'other'; readonly text: string };

interface PersonDraft {
  readonly first: string;
  readonly last: string;
  readonly email: string;
}

/** Name under which what was typed is stored, so that neither another page nor a reload loses it. */
const DRAFT_KEY = 'person.draft';

function readDraft(): PersonDraft {
  let read: unknown = null;
  try {
    read = JSON.parse(readLocalSetting(DRAFT_KEY) || 'null');
  } catch (error) {
    console.warn('What was typed before could not be read; the form is empty.', error);
  }
  const text = (key: string): string => (isObject(read) && typeof read[key] === 'string' ? read[key] : '');
  return { first: text('first'), last: text('last'), email: text('email') };
}

/** Name and email of the current user. Works without box and network. */
export function PersonForm({ repositories, onDone }: Props) {
  const [typed, setTyped] = useState(readDraft);
  const { email, ...name } = typed;
  const type = (change: Partial<PersonDraft>): void => {
    setTyped({ ...typed, ...change });
    writeLocalSetting(DRAFT_KEY, JSON.stringify({ ...typed, ...change }));
    // An error is about what was sent, not about what is being typed now.
    if (state.status === 'wrong') setState({ status: 'writing' });
  };
  const [state, setState] = useState<State>({ status: 'writing' });
  const wrong = (field: 'name' | 'email' | 'other') =>
    state.status === 'wrong' && state.field === field ? state.text : undefined;

  async function save(event: FormEvent) {
    event.preventDefault();
    setState({ status: 'saving' });
    try {
      const person = await enterPerson(repositories, {
        name: { first: name.first.trim(), last: name.last.trim() },
        email: email.trim(),
      });
      writeLocalSetting(DRAFT_KEY, '');
      setState({ status: 'writing' });
      onDone?.(person);
    } catch (error) {
      setState({ status: 'wrong', ...fieldError(error) });
    }
  }

  return (
    <form className={styles.form} onSubmit={(event) => void save(event)} noValidate>
      <PeopleTiles repositories={repositories} title="Who is here?" />
      <div className={styles.two}>
        <NameFields value={name} onChange={type} error={wrong('name')} />
      </div>
      <EmailField
        value={email}
        onChange={(next) => type({ email: next })}
        error={wrong('email')}
        help="It is confirmed later, ashore. Everything works until then."
      />
      {wrong('other') !== undefined && <p role="alert">{wrong('other')}</p>}
      <Button type="submit" variant="primary" isDisabled={state.status === 'saving'}>
        Continue
      </Button>
    </form>
  );
}

function fieldError(error: unknown): { field: 'name' | 'email' | 'other'; text: string } {
  if (!(error instanceof ReefError))
    return { field: 'other', text: error instanceof Error ? error.message : String(error) };
  const field = String(error.details['field'] ?? '');
  if (field.includes('email')) return { field: 'email', text: ANALYSIS_MESSAGES.profileEmailInvalid };
  if (field.includes('name')) return { field: 'name', text: VALIDATION_MESSAGES.firstNameRequired };
  return { field: 'other', text: error.message };
}
