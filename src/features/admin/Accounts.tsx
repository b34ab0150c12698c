import { useState } from 'react';
import type { AdminAccess, AdminPerson, AdminRepository } from '../../data/repositories';
import { Button } from '../../ui/controls/Button';
import styles from './admin.module.css';
import { AuditLog } from './AuditLog';
import { LinkPeople } from './LinkPeople';
import { PeopleList } from './PeopleList';
import { PersonSheet } from './PersonSheet';
import { usePeople } from './use-people';

interface Props {
  readonly admin: AdminRepository;
  readonly me: Extract<AdminAccess, { status: 'admin' }>;
}

/** People as a list or one of them, linking of many, and the log. */
export function Accounts({ admin, me }: Props) {
  const search = usePeople(admin);
  const [person, setPerson] = useState<AdminPerson | null>(null);
  const [lastOpen, setLastOpen] = useState<string | null>(null);
  /** Number of changes made here: the log reloads after each. */
  const [done, setDone] = useState(0);
  const show = (now: AdminPerson): void => {
    search.update(now);
    setPerson((shown) => (shown?.uid === now.uid ? now : shown));
  };
  const reload = (): void => setDone((n) => n + 1);
  return (
    <>
      <div className={styles.side}>
        {person === null ? (
          <section className={styles.card} aria-labelledby="people-title">
            <h2 id="people-title">People</h2>
            <PeopleList search={search} lastOpen={lastOpen} onOpen={setPerson} />
          </section>
        ) : (
          <>
            <Button
              icon="back"
              variant="quiet"
              onPress={() => {
                setLastOpen(person.uid);
                setPerson(null);
              }}
            >
              All people
            </Button>
            <PersonSheet
              key={person.uid}
              admin={admin}
              me={me}
              person={person}
              onChanged={(now) => {
                show(now);
                reload();
              }}
            />
          </>
        )}
        <LinkPeople admin={admin} onLinked={show} onDone={reload} />
      </div>
      <div className={styles.side}>
        <AuditLog key={person?.uid ?? ''} admin={admin} me={me.uid} person={person} done={done} />
      </div>
    </>
  );
}
