import { useEffect, useRef, useState } from 'react';
import type { AdminPerson, AdminRepository, AdminAccess, GivenRole } from '../../data/repositories';
import { isAllowed } from '../../domain/policy/cloud-policy';
import { Button } from '../../ui/controls/Button';
import { ConfirmDialog } from '../../ui/controls/ConfirmDialog';
import { Note } from '../../ui/feedback/Note';
import { Switch } from '../../ui/controls/Switch';
import { adminErrorText, formatPerson, ROLE_TEXTS, SHOWN_ROLES } from './admin-text';
import { PersonHandles } from './PersonHandles';
import { PersonTablets } from './PersonTablets';
import styles from './admin.module.css';

interface Props {
  readonly admin: AdminRepository;
  readonly me: Extract<AdminAccess, { status: 'admin' }>;
  readonly person: AdminPerson;
  readonly onChanged: (now: AdminPerson) => void;
}

type RequestedChange = { readonly role: GivenRole; readonly to: boolean };
type FactorReset = 'idle' | 'asking' | 'working';
type State =
  | { readonly status: 'idle' }
  | ({ readonly status: 'asking' | 'changing' } & RequestedChange)
  | { readonly status: 'done' | 'failed'; readonly text: string };

/** Facts of a person, and the roles that the reader may grant. */
export function PersonSheet({ admin, me, person, onChanged }: Props) {
  const [state, setState] = useState<State>({ status: 'idle' });
  const [reset, setReset] = useState<FactorReset>('idle');
  const who = formatPerson(person);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const canReset =
    (person.staff || person.admin) &&
    person.uid !== me.uid &&
    isAllowed(me.roles, 'POST /api/admin/users/:uid/second-factor/reset');
  const asked = state.status === 'asking' || state.status === 'changing' ? state : undefined;

  async function change({ role, to }: RequestedChange): Promise<void> {
    setState({ status: 'changing', role, to });
    try {
      onChanged(await admin.setRoles(person.uid, { [role]: to }));
      setState({
        status: 'done',
        text: `Done: you ${to ? ROLE_TEXTS[role].grantedText(who) : ROLE_TEXTS[role].revokedText(who)}.`,
      });
    } catch (error) {
      setState({ status: 'failed', text: adminErrorText(error) });
    }
  }

  async function resetFactor(): Promise<void> {
    setReset('working');
    try {
      await admin.resetSecondFactor(person.uid);
      onChanged(person);
      setState({ status: 'done', text: `Done: ${who} is signed out, and sets up a second step at the next sign-in.` });
    } catch (error) {
      setState({ status: 'failed', text: adminErrorText(error) });
    } finally {
      setReset('idle');
    }
  }

  return (
    <section className={styles.card} aria-labelledby="sheet-title">
      <h2 id="sheet-title" ref={title} tabIndex={-1}>
        {who}
      </h2>
      <dl className={styles.facts}>
        <dt>Email</dt>
        <dd>{emailText(person)}</dd>
        <dt>Since</dt>
        <dd>{dayOf(person.since)}</dd>
        <dt>Last sign-in</dt>
        <dd>{dayOf(person.lastLoginAt)}</dd>
      </dl>
      <h3>Roles</h3>
      <div className={styles.roles} role="group" aria-label={`Roles of ${who}`}>
        {SHOWN_ROLES.map((role) => {
          const barred = blockedReason(role, me, person);
          return (
            <Switch
              key={role}
              label={ROLE_TEXTS[role].name}
              help={barred ?? ROLE_TEXTS[role].description}
              isOn={person[role]}
              isDisabled={barred !== undefined || state.status === 'changing'}
              onChange={(to) => setState({ status: 'asking', role, to })}
            />
          );
        })}
      </div>
      {state.status === 'done' && (
        <p role="status" className={styles.quiet}>
          {state.text}
        </p>
      )}
      {state.status === 'failed' && (
        <Note tone="look" icon="alert" title="Nothing was changed" role="alert">
          {state.text}
        </Note>
      )}
      <PersonHandles admin={admin} person={person} onChanged={onChanged} />
      {isAllowed(me.roles, 'GET /api/admin/users/:uid/devices') && <PersonTablets admin={admin} person={person} />}
      {canReset && <Button onPress={() => setReset('asking')}>Remove the second step</Button>}
      {reset !== 'idle' && (
        <ConfirmDialog
          title={`Remove the second step of ${who}?`}
          confirmLabel="Remove it"
          isDanger
          isWorking={reset === 'working'}
          onConfirm={() => void resetFactor()}
          onClose={() => setReset('idle')}
        >
          <p>
            For a person who lost it. Make sure that it is really them who asks: call them, do not answer a mail. Their
            sign-ins end everywhere, and they set up another one.
          </p>
          <p>The log records this with your name.</p>
        </ConfirmDialog>
      )}
      {asked !== undefined && (
        <ConfirmDialog
          title={asked.to ? ROLE_TEXTS[asked.role].grantTitle(who) : ROLE_TEXTS[asked.role].revokeTitle(who)}
          confirmLabel={confirmLabel(asked)}
          isDanger={asked.role === 'disabled' && asked.to}
          isWorking={asked.status === 'changing'}
          onConfirm={() => void change(asked)}
          onClose={() => setState({ status: 'idle' })}
        >
          <p>{asked.to ? ROLE_TEXTS[asked.role].grantText : ROLE_TEXTS[asked.role].revokeText}</p>
          <p>The log records this with your name.</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

/** Reason that the reader may not change this role, by the table that the cloud enforces; undefined if they may. */
function blockedReason(role: GivenRole, { uid, roles }: Props['me'], person: AdminPerson): string | undefined {
  if (!isAllowed(roles, `give:${role}`)) return 'Only census staff can give or remove this role.';
  if (person.staff && !isAllowed(roles, 'change:staff')) return 'Only census staff can change other staff.';
  if (person.admin && !isAllowed(roles, 'change:admin')) return 'Only census staff can change an admin.';
  if (role === 'disabled') return person.uid === uid ? 'You cannot disable your own account.' : undefined;
  return person.isEmailVerified || person[role]
    ? undefined
    : 'They must confirm their email address with an emailed code first.';
}

function confirmLabel({ role, to }: RequestedChange): string {
  if (role === 'disabled') return to ? 'Disable' : 'Enable';
  return to ? `Give “${ROLE_TEXTS[role].name}”` : `Remove “${ROLE_TEXTS[role].name}”`;
}

function emailText({ email, isEmailVerified }: AdminPerson): string {
  if (email === '') return 'None';
  return isEmailVerified ? email : `${email}, not confirmed yet`;
}

function dayOf(iso: string | null): string {
  return iso === null ? 'Unknown' : new Date(iso).toLocaleDateString('en-AU', { dateStyle: 'medium' });
}
