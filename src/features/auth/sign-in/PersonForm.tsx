import { useState, type FormEvent } from 'react';
import type { Person, Repositories } from '../../../data/repositories';
import { ReefError } from '../../../domain/errors';
import { ANALYSIS_MESSAGES, VALIDATION_MESSAGES } from '../../../domain/messages';
import { Button } from '../../../ui/controls/Button';
import { EmailField } from '../EmailField';
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

/** Name and email of the current user. Works without box and network. */
export function PersonForm({ repositories, onDone }: Props) {
  const [name, setName] = useState({ first: '', last: '' });
  const [email, setEmail] = useState('');
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
      setState({ status: 'writing' });
      onDone?.(person);
    } catch (error) {
      setState({ status: 'wrong', ...fieldError(error) });
    }
  }

  return (
    <form className={styles.form} onSubmit={(event) => void save(event)} noValidate>
      <div className={styles.two}>
        <NameFields value={name} onChange={setName} error={wrong('name')} />
      </div>
      <EmailField
        value={email}
        onChange={setEmail}
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

/** Signs in aboard if a box is connected; else enters the person on the tablet only. */
async function enterPerson(
  { edge, account: { people } }: Props['repositories'],
  person: { name: { first: string; last: string }; email: string },
): Promise<Person> {
  if (edge.link.state.get().status !== 'connected') return people.createPending(person);
  try {
    return await edge.link.signIn(person);
  } catch (error) {
    if (error instanceof ReefError && (error.code === 'disconnected' || error.code === 'timeout'))
      return people.createPending(person);
    throw error;
  }
}

function fieldError(error: unknown): { field: 'name' | 'email' | 'other'; text: string } {
  if (!(error instanceof ReefError))
    return { field: 'other', text: error instanceof Error ? error.message : String(error) };
  const field = String(error.details['field'] ?? '');
  if (field.includes('email')) return { field: 'email', text: ANALYSIS_MESSAGES.profileEmailInvalid };
  if (field.includes('name')) return { field: 'name', text: VALIDATION_MESSAGES.firstNameRequired };
  return { field: 'other', text: error.message };
}
