import { useState, type FormEvent } from 'react';
import type { AdminPerson, AdminRepository } from '../../data/repositories';
import { Button } from '../../ui/controls/Button';
import { linkResult, type LinkResult } from './admin-text';
import styles from './admin.module.css';
import { HandleField } from './HandleField';
import { linkedHandles } from './people-text';

interface Props {
  readonly admin: AdminRepository;
  readonly person: AdminPerson;
  readonly onChanged: (now: AdminPerson) => void;
}

/** Events and organisations of a person, and a field to add another one (1§5). */
export function PersonHandles({ admin, person, onChanged }: Props) {
  const [handle, setHandle] = useState('');
  const [result, setResult] = useState<LinkResult | null>(null);
  const [isWorking, setWorking] = useState(false);
  const handles = linkedHandles(person);
  const to = handle.trim().toLowerCase();

  async function link(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isWorking || to === '') return;
    setWorking(true);
    try {
      onChanged(await admin.link(person.email, to));
      setResult(linkResult(person.email, to));
      setHandle('');
    } catch (error) {
      setResult(linkResult(person.email, to, error));
    } finally {
      setWorking(false);
    }
  }

  return (
    <>
      <h3>Events and organisations</h3>
      <p>{handles.length === 0 ? 'None yet.' : handles.join(', ')}</p>
      {person.email === '' ? (
        <p className={styles.quiet}>They can be linked once they have an email address.</p>
      ) : (
        <form className={styles.form} aria-label="Link this person" noValidate onSubmit={(event) => void link(event)}>
          <HandleField
            admin={admin}
            handle={handle}
            onHandle={(typed) => {
              setHandle(typed);
              setResult(null);
            }}
            isDisabled={isWorking}
          />
          <Button type="submit" isDisabled={isWorking || to === ''}>
            {isWorking ? 'Linking' : 'Link to it'}
          </Button>
        </form>
      )}
      {result !== null && (
        <p
          role={result.status === 'linked' ? 'status' : 'alert'}
          className={result.status === 'linked' ? styles.quiet : styles.problem}
        >
          {result.text}
        </p>
      )}
    </>
  );
}
