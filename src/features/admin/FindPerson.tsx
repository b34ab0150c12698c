import { useState, type FormEvent } from 'react';
import type { AdminPerson, AdminRepository } from '../../data/repositories';
import { Button } from '../../ui/controls/Button';
import { TextField } from '../../ui/controls/TextField';
import { adminErrorText } from './admin-text';
import styles from './admin.module.css';

type State = { readonly status: 'idle' | 'asking' } | { readonly status: 'failed'; readonly text: string };

export function FindPerson({
  admin,
  onFound,
}: {
  readonly admin: AdminRepository;
  readonly onFound: (person: AdminPerson | null) => void;
}) {
  const [email, setEmail] = useState('');
  const [state, setState] = useState<State>({ status: 'idle' });

  async function find(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (email.trim() === '' || state.status === 'asking') return;
    setState({ status: 'asking' });
    try {
      const person = await admin.find(email.trim());
      setState({ status: 'idle' });
      onFound(person);
    } catch (error) {
      setState({ status: 'failed', text: adminErrorText(error) });
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
            if (state.status === 'failed') setState({ status: 'idle' });
          }}
          error={state.status === 'failed' ? state.text : undefined}
        />
        <Button
          type="submit"
          variant="primary"
          icon="search"
          isDisabled={email.trim() === '' || state.status === 'asking'}
        >
          {state.status === 'asking' ? 'Searching' : 'Find'}
        </Button>
      </form>
    </section>
  );
}
