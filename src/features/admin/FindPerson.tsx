import { useState, type FormEvent } from 'react';
import type { AdminPerson, AdminRepository } from '../../data/repositories';
import { Button } from '../../ui/Button';
import { TextField } from '../../ui/TextField';
import { adminProblem } from './admin-words';
import styles from './admin.module.css';

type State = { readonly is: 'idle' | 'asking' } | { readonly is: 'failed'; readonly words: string };

/** Finds a person by their address; what is typed stays until the next one. */
export function FindPerson({
  admin,
  onFound,
}: {
  readonly admin: AdminRepository;
  readonly onFound: (person: AdminPerson | null) => void;
}) {
  const [email, setEmail] = useState('');
  const [state, setState] = useState<State>({ is: 'idle' });

  async function find(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (email.trim() === '' || state.is === 'asking') return;
    setState({ is: 'asking' });
    try {
      const person = await admin.find(email.trim());
      setState({ is: 'idle' });
      onFound(person);
    } catch (error) {
      setState({ is: 'failed', words: adminProblem(error) });
      onFound(null);
    }
  }

  return (
    <section className={styles.card} aria-labelledby="find-title">
      <h2 id="find-title">Find a person</h2>
      <form className={styles.form} aria-label="Find a person" noValidate onSubmit={(event) => void find(event)}>
        <TextField
          label="Their email address"
          type="email"
          inputMode="email"
          autoComplete="off"
          maxLength={320}
          value={email}
          onChange={(value) => {
            setEmail(value);
            if (state.is === 'failed') setState({ is: 'idle' });
          }}
          error={state.is === 'failed' ? state.words : undefined}
        />
        <Button type="submit" look="primary" icon="search" isDisabled={email.trim() === '' || state.is === 'asking'}>
          {state.is === 'asking' ? 'Looking' : 'Find'}
        </Button>
      </form>
    </section>
  );
}
