import { useEffect, useState, type FormEvent } from 'react';
import type { PasskeyOptions, Repositories } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { TextField } from '../../../ui/controls/TextField';
import { FormError } from '../FormError';
import { LoadingText } from '../LoadingText';
import { overlay } from '../overlay-state';
import { useTask } from '../use-task';
import styles from '../auth.module.css';

interface Props {
  readonly account: Pick<Repositories['account'], 'secondFactor' | 'admin'>;
  /** True if the person has none yet. */
  readonly isMissing: boolean;
  /** Name of the shore, if this page is not its own: no code is typed here. */
  readonly shoreOnly: string | null;
  readonly onDone: () => void;
}

/** Asks staff and admins for their second step. Without it they work on as volunteers. */
export default function SecondFactorStep({ account, isMissing, shoreOnly, onDone }: Props) {
  if (shoreOnly !== null)
    return (
      <div className={`${styles.form} ${styles.step}`}>
        <p>
          You act for the census on the shore’s own page, {shoreOnly}. Sign in there and show your second step: no code
          of your account is typed on a page that a box serves. Here you work as a volunteer.
        </p>
        <div className={styles.main}>
          <Button onPress={onDone}>Close</Button>
        </div>
      </div>
    );
  return isMissing ? <SetUpFirst onLater={onDone} /> : <ShowSecondStep account={account} onDone={onDone} />;
}

function SetUpFirst({ onLater }: { readonly onLater: () => void }) {
  return (
    <div className={`${styles.form} ${styles.step}`}>
      <p>
        You have a role in running the census. It counts once you have set up a second step, so that someone who reads
        your mail cannot act in your name. Until then you work as a volunteer.
      </p>
      <div className={styles.main}>
        <Button variant="primary" onPress={() => overlay.replace({ show: 'profile', part: 'account' })}>
          Set it up
        </Button>
        <Button onPress={onLater}>Later</Button>
      </div>
    </div>
  );
}

type Way = 'code' | 'recovery';

function ShowSecondStep({ account: { secondFactor, admin }, onDone }: Omit<Props, 'isMissing' | 'shoreOnly'>) {
  const [way, setWay] = useState<Way>('code');
  const [typed, setTyped] = useState('');
  const { task, problem, run } = useTask();
  const [passkey, setPasskey] = useState<PasskeyOptions | null>(null);
  useEffect(() => {
    void secondFactor.start().then(
      ({ codes, passkey: options }) => {
        setPasskey(options);
        setWay((now) => (codes || options !== null ? now : 'recovery'));
      },
      // The form shows the error of the next call.
      () => undefined,
    );
  }, [secondFactor]);
  const pass = (event: FormEvent): void => {
    event.preventDefault();
    void run('other', async () => {
      await (way === 'code' ? secondFactor.passWithCode(typed) : secondFactor.passWithRecoveryCode(typed));
      admin.refresh();
      onDone();
      return undefined;
    });
  };
  const passWithPasskey = (options: PasskeyOptions): void =>
    void run('other', async () => {
      const { showPasskey } = await import('./browser-passkeys');
      try {
        await secondFactor.passWithPasskey(await showPasskey(options));
      } finally {
        // A challenge is answered once.
        setPasskey((await secondFactor.start()).passkey);
      }
      admin.refresh();
      onDone();
      return undefined;
    });
  const choose = (next: Way): void => {
    setWay(next);
    setTyped('');
  };
  const wrong = problem?.field === 'code' ? problem.text : undefined;
  return (
    <form className={`${styles.form} ${styles.step}`} onSubmit={pass} noValidate>
      <p>You have a role in running the census. Show that it is you.</p>
      {passkey !== null && task.status !== 'working' && (
        <div className={styles.main}>
          <Button variant="primary" icon="lock" onPress={() => passWithPasskey(passkey)}>
            Use a passkey
          </Button>
        </div>
      )}
      {way === 'code' ? (
        <TextField
          key="code"
          label="Code from your app"
          name="second-factor-code"
          code
          autoComplete="one-time-code"
          inputMode="numeric"
          autoFocus
          value={typed}
          onChange={setTyped}
          error={wrong}
          help="The six digits that your authenticator app shows now."
        />
      ) : (
        <TextField
          key="recovery"
          label="Recovery code"
          name="recovery-code"
          autoComplete="off"
          autoFocus
          value={typed}
          onChange={setTyped}
          error={wrong}
          help="One of the codes that you wrote down. It works once."
        />
      )}
      <FormError problem={problem} shownByFields={['code']} />
      {task.status === 'working' ? (
        <LoadingText />
      ) : (
        <>
          <div className={styles.main}>
            <Button type="submit" variant="primary" isDisabled={typed.trim() === ''}>
              Continue
            </Button>
            <Button onPress={onDone}>Not now</Button>
          </div>
          <div className={styles.more}>
            {way === 'code' ? (
              <Button variant="quiet" onPress={() => choose('recovery')}>
                Use a recovery code
              </Button>
            ) : (
              <Button variant="quiet" onPress={() => choose('code')}>
                Use a code from your app
              </Button>
            )}
            <p className={styles.quiet}>
              Lost all of it? Another person of the staff, or the operator of the server, can remove it.
            </p>
          </div>
        </>
      )}
    </form>
  );
}
