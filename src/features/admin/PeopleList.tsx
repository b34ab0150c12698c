import { useEffect, useRef } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { formatCount } from '../../base/plural';
import type { AdminPerson } from '../../data/repositories';
import { LIMITS } from '../../domain/limits';
import { Button } from '../../ui/controls/Button';
import { TextField } from '../../ui/controls/TextField';
import { Icon } from '../../ui/display/Icon';
import { Note } from '../../ui/feedback/Note';
import { formatPerson } from './admin-text';
import { lastSignInText, linkedHandles, roleNames } from './people-text';
import styles from './PeopleList.module.css';
import type { PeopleSearch } from './use-people';

interface Props {
  readonly search: PeopleSearch;
  /** Person whose sheet was just closed: their row gets the focus. */
  readonly lastOpen: string | null;
  readonly onOpen: (person: AdminPerson) => void;
}

/** Everyone with an account, found by the beginning of a name or address. */
export function PeopleList({ search, lastOpen, onOpen }: Props) {
  const { read, text, pageNumber } = search;
  const page = read.status === 'failed' ? null : read.page;
  const row = useRef<HTMLButtonElement>(null);
  useEffect(() => row.current?.focus(), []);
  return (
    <>
      <form role="search" aria-label="People" onSubmit={(event) => event.preventDefault()}>
        <TextField
          label="Name or email address"
          help="How a first name, last name or address begins."
          type="search"
          autoComplete="off"
          spellCheck="false"
          maxLength={LIMITS.peopleSearchMax}
          value={text}
          onChange={search.setText}
        />
      </form>
      <p role="status" className={styles.status}>
        {statusText(search)}
      </p>
      {read.status === 'failed' && (
        <Note
          tone="look"
          icon="alert"
          title="The list could not be loaded"
          role="alert"
          action={<Button onPress={search.retry}>Try again</Button>}
        >
          {read.problem}
        </Note>
      )}
      {page !== null && page.people.length > 0 && (
        <ul className={styles.people} aria-label="People, by name" aria-busy={read.status === 'reading'}>
          {page.people.map((person) => (
            <li key={person.uid}>
              <AriaButton
                ref={person.uid === lastOpen ? row : null}
                className={styles.person ?? ''}
                onPress={() => onOpen(person)}
              >
                <PersonRow person={person} />
              </AriaButton>
            </li>
          ))}
        </ul>
      )}
      {(pageNumber > 1 || (read.status === 'read' && read.page.next !== null)) && (
        <nav className={styles.pages} aria-label="Pages of people">
          <Button icon="back" isDisabled={pageNumber === 1} onPress={search.previous}>
            Previous
          </Button>
          <Button icon="next" isDisabled={read.status !== 'read' || read.page.next === null} onPress={search.next}>
            Next
          </Button>
        </nav>
      )}
    </>
  );
}

function PersonRow({ person }: { readonly person: AdminPerson }) {
  const name = formatPerson(person);
  const roles = roleNames(person);
  const handles = linkedHandles(person);
  return (
    <>
      <span className={styles.words}>
        <b>{name}</b>
        {person.email === '' ? <span>No email address</span> : name !== person.email && <span>{person.email}</span>}
        {handles.length > 0 && <span>In {handles.join(', ')}</span>}
        <span>{lastSignInText(person, Date.now())}</span>
      </span>
      {roles.length > 0 && (
        <span className={styles.roles}>
          {roles.map((role) => (
            <span key={role} data-off={role === 'Disabled' || undefined}>
              {role}
            </span>
          ))}
        </span>
      )}
      <Icon name="next" />
    </>
  );
}

function statusText({ read, text, pageNumber }: PeopleSearch): string {
  if (read.status === 'reading') return text.trim() === '' ? 'Loading the list' : 'Searching';
  if (read.status === 'failed') return '';
  const { people, next } = read.page;
  if (people.length === 0)
    return read.text === '' ? 'No one has an account yet.' : `No name or address begins with “${read.text}”.`;
  const count = formatCount(people.length, 'person', 'people');
  return pageNumber > 1 || next !== null ? `${count} on page ${pageNumber}.` : `${count}.`;
}
