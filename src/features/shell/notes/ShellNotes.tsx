import { use, useEffect, useState, useSyncExternalStore } from 'react';
import type { Repositories } from '../../../data/repositories';
import { isAnyTabBusy } from '../../../platform/busy';
import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import type { AppContext } from '../app-context';
import styles from '../frame/AppShell.module.css';
import { clockFault } from './clock-check';
import { clockWarningText, storageWarning, updateWaitText } from './note-text';
import { useObservable } from '../use-observable';

/** Interval of asking other tabs if they are busy, while a new version waits. */
const POLL_EVERY_MS = 2000;

/** Notes of every screen: new version, storage low or emptied, clock years off. */
export default function ShellNotes({ open, update }: Pick<AppContext, 'open' | 'update'>) {
  const repositories = use(open());
  const {
    edge,
    tablet: { storage },
  } = repositories;
  const state = useSyncExternalStore(update.subscribe, update.get);
  const { wiped, ...facts } = useObservable(storage.facts);
  const connected = useObservable(edge.link.state).status === 'connected';
  const notice = useObservable(edge.link.notice);
  const [nowMs] = useState(() => Date.now());
  const low = storageWarning(facts);
  const fault = clockFault(nowMs);
  useEffect(() => {
    if (connected) update.check();
  }, [connected, update]);
  if (state === 'none' && low === null && fault === null && wiped === null && notice === null) return null;
  return (
    <div className={styles.notes}>
      {wiped !== null && (
        <Note
          tone="look"
          icon="alert"
          title="This tablet’s storage was cleared"
          role="status"
          action={<Button onPress={() => void storage.dismissWiped()}>Dismiss</Button>}
        >
          The browser deleted what the app had stored here. This was found on{' '}
          {new Date(wiped.foundAt).toLocaleDateString('en-AU', { day: 'numeric', month: 'long' })}. Everything on the
          box is safe. Keep the camera cards of photographs that were not on the box yet, and pair again.
        </Note>
      )}
      {notice !== null && (
        <Note
          tone="wait"
          icon="person"
          title="Signed out of the box"
          role="status"
          action={<Button onPress={() => void edge.link.dismissNotice()}>Dismiss</Button>}
        >
          {notice}
        </Note>
      )}
      {fault !== null && (
        <Note tone="wait" icon="clock" title="Check this tablet’s clock" role="status">
          {clockWarningText(fault, nowMs)}
        </Note>
      )}
      {low !== null && (
        <Note tone={low.kind === 'full' ? 'look' : 'wait'} icon="disk" title={low.title} role="status">
          {low.text}
        </Note>
      )}
      {state !== 'none' && <UpdateNote repositories={repositories} update={update} />}
    </div>
  );
}

function UpdateNote({
  repositories: {
    custody: { sending },
  },
  update,
}: {
  readonly repositories: Pick<Repositories, 'custody'>;
  readonly update: AppContext['update'];
}) {
  const { owed } = useObservable(sending.facts);
  const [busy, setBusy] = useState(false);
  const starting = useSyncExternalStore(update.subscribe, update.get) === 'starting';
  useEffect(() => {
    const look = (): void => void isAnyTabBusy().then(setBusy);
    look();
    const timer = setInterval(look, POLL_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const waits = updateWaitText(owed, busy);
  return (
    <Note
      tone="plain"
      icon="info"
      title={starting ? 'Starting the new version' : 'A new version is ready'}
      role="status"
      action={
        <Button isDisabled={busy || starting} onPress={() => void update.takeOver().then((done) => setBusy(!done))}>
          {busy ? 'Waiting for current work' : 'Update now'}
        </Button>
      }
    >
      {waits ??
        'Nothing is waiting to be sent. You can update now, or the new version starts the next time you open the app.'}{' '}
      Everything saved stays saved.
    </Note>
  );
}
