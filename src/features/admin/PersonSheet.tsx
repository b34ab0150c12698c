import { useState } from 'react';
import type { AdminPerson, AdminRepository, AdminStanding, GivenRole } from '../../data/repositories';
import { may } from '../../domain/policy/cloud-policy';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { Note } from '../../ui/Note';
import { Switch } from '../../ui/Switch';
import { adminProblem, personWords, ROLE_WORDS, SHOWN_ROLES } from './admin-words';
import styles from './admin.module.css';

interface Props {
  readonly admin: AdminRepository;
  readonly me: Extract<AdminStanding, { is: 'admin' }>;
  readonly person: AdminPerson;
  readonly onChanged: (now: AdminPerson) => void;
}

type Asked = { readonly role: GivenRole; readonly to: boolean };
type State =
  | { readonly is: 'idle' }
  | ({ readonly is: 'asking' | 'changing' } & Asked)
  | { readonly is: 'done' | 'failed'; readonly words: string };

/** A person as the census knows them, and the roles that whoever looks may give. */
export function PersonSheet({ admin, me, person, onChanged }: Props) {
  const [state, setState] = useState<State>({ is: 'idle' });
  const who = personWords(person);
  const asked = state.is === 'asking' || state.is === 'changing' ? state : undefined;

  async function change({ role, to }: Asked): Promise<void> {
    setState({ is: 'changing', role, to });
    try {
      onChanged(await admin.setRoles(person.uid, { [role]: to }));
      setState({ is: 'done', words: `Done: you ${to ? ROLE_WORDS[role].gave(who) : ROLE_WORDS[role].took(who)}.` });
    } catch (error) {
      setState({ is: 'failed', words: adminProblem(error) });
    }
  }

  return (
    <section className={styles.card} aria-labelledby="sheet-title">
      <h2 id="sheet-title">{who}</h2>
      <dl className={styles.facts}>
        <dt>Email</dt>
        <dd>{person.isEmailVerified ? person.email : `${person.email}, not proven yet`}</dd>
        <dt>Since</dt>
        <dd>{dayOf(person.since)}</dd>
        <dt>Last sign-in</dt>
        <dd>{dayOf(person.lastLoginAt)}</dd>
        <dt>Domains</dt>
        <dd>{person.domains.length === 0 ? 'None' : person.domains.join(', ')}</dd>
      </dl>
      <h3>Roles</h3>
      <div className={styles.roles} role="group" aria-label={`Roles of ${who}`}>
        {SHOWN_ROLES.map((role) => {
          const barred = barredBy(role, me, person);
          return (
            <Switch
              key={role}
              label={ROLE_WORDS[role].name}
              help={barred ?? ROLE_WORDS[role].opens}
              isOn={person[role]}
              isDisabled={barred !== undefined || state.is === 'changing'}
              onChange={(to) => setState({ is: 'asking', role, to })}
            />
          );
        })}
      </div>
      {state.is === 'done' && (
        <p role="status" className={styles.quiet}>
          {state.words}
        </p>
      )}
      {state.is === 'failed' && (
        <Note tone="look" icon="alert" title="Nothing was changed" role="alert">
          {state.words}
        </Note>
      )}
      {asked !== undefined && (
        <Dialog
          title={asked.to ? ROLE_WORDS[asked.role].giveTitle(who) : ROLE_WORDS[asked.role].takeTitle(who)}
          isOpen
          role="alertdialog"
          isClosable={asked.is === 'asking'}
          onClose={() => setState({ is: 'idle' })}
          actions={
            <>
              <Button isDisabled={asked.is === 'changing'} onPress={() => setState({ is: 'idle' })}>
                Leave it as it is
              </Button>
              <Button
                look={asked.role === 'disabled' && asked.to ? 'danger' : 'primary'}
                isDisabled={asked.is === 'changing'}
                onPress={() => void change(asked)}
              >
                {asked.is === 'changing' ? 'One moment' : confirmWord(asked)}
              </Button>
            </>
          }
        >
          <p>{asked.to ? ROLE_WORDS[asked.role].give : ROLE_WORDS[asked.role].take}</p>
          <p>It stands in the log with your name.</p>
        </Dialog>
      )}
    </section>
  );
}

/** Why whoever looks does not change this role of this person, by the table that the shore enforces from; undefined: they do. */
function barredBy(role: GivenRole, { uid, roles }: Props['me'], person: AdminPerson): string | undefined {
  if (!may(roles, `give:${role}`)) return 'Only the people who run the census give or take this.';
  if (person.staff && !may(roles, 'change:staff'))
    return 'Only the people who run the census change one of themselves.';
  if (person.admin && !may(roles, 'change:admin')) return 'Only the people who run the census change an admin.';
  if (role === 'disabled') return person.uid === uid ? 'Nobody shuts themselves out.' : undefined;
  return person.isEmailVerified || person[role]
    ? undefined
    : 'They prove their address first: with a code that is mailed to it.';
}

function confirmWord({ role, to }: Asked): string {
  if (role === 'disabled') return to ? 'Shut out' : 'Let in again';
  return to ? `Give “${ROLE_WORDS[role].name}”` : `Take “${ROLE_WORDS[role].name}”`;
}

function dayOf(iso: string | null): string {
  return iso === null ? 'Not known' : new Date(iso).toLocaleDateString('en-AU', { dateStyle: 'medium' });
}
