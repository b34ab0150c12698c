import { useEffect, useState, type FormEvent } from 'react';
import type { PasskeyOptions, Repositories } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { TextField } from '../../../ui/controls/TextField';
import { NoWrap } from '../../../ui/display/NoWrap';
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
          You act for the census on the shore’s own page, <NoWrap>{`${shoreOnly}.`}</NoWrap> Sign in and confirm that it
          is you there: no code of your account is typed on a page that a box serves. Here you work as a volunteer.
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

type Way = 'passkey' | 'code' | 'recovery';

const USE: Readonly<Record<Way, string>> = {
  passkey: 'Use a passkey',
  code: 'Use a code from your app',
  recovery: 'Use a recovery code',
};

function ShowSecondStep({ account: { secondFactor, admin }, onDone }: Omit<Props, 'isMissing' | 'shoreOnly'>) {
  const [ways, setWays] = useState<readonly Way[]>([]);
  const [way, setWay] = useState<Way | null>(null);
  const [typed, setTyped] = useState('');
  const { task, problem, run } = useTask();
  const [passkey, setPasskey] = useState<PasskeyOptions | null>(null);
  useEffect(() => {
    void secondFactor.start().then(
      ({ codes, passkey: options }) => {
        setPasskey(options);
        const own: readonly Way[] = [
          ...(options === null ? [] : (['passkey'] as const)),
          ...(codes ? (['code'] as const) : []),
          'recovery',
        ];
        setWays(own);
        setWay(own[0] ?? 'recovery');
      },
      () => {
        // The form shows the error of the next call.
        setWays(['code', 'recovery']);
        setWay('code');
      },
    );
  }, [secondFactor]);
  const passed = (): undefined => {
    admin.refresh();
    onDone();
  };
  const passWithPasskey = async (options: PasskeyOptions): Promise<undefined> => {
    const { showPasskey } = await import('./browser-passkeys');
    try {
      await secondFactor.passWithPasskey(await showPasskey(options));
    } catch (error) {
      // A challenge is answered once.
      setPasskey((await secondFactor.start()).passkey);
      throw error;
    }
    return passed();
  };
  const pass = (event: FormEvent): void => {
    event.preventDefault();
    void run('other', async () => {
      if (way === 'passkey') return passkey === null ? undefined : passWithPasskey(passkey);
      await (way === 'code' ? secondFactor.passWithCode(typed) : secondFactor.passWithRecoveryCode(typed));
      return passed();
    });
  };
  const choose = (next: Way): void => {
    setWay(next);
    setTyped('');
  };
  if (way === null) return <LoadingText />;
  return (
    <form className={`${styles.form} ${styles.step}`} onSubmit={pass} noValidate>
      <p>You have a role in running the census. It counts here once you have confirmed that it is you.</p>
      {way === 'passkey' ? (
        <p>Your browser asks for the finger, face, PIN or security key that you set up.</p>
      ) : (
        <TextField
          key={way}
          {...FIELDS[way]}
          autoFocus
          value={typed}
          onChange={setTyped}
          refused={problem?.field === 'code' ? problem.text : undefined}
        />
      )}
      <FormError problem={problem} shownByFields={way === 'passkey' ? [] : ['code']} />
      {task.status === 'working' ? (
        <LoadingText />
      ) : (
        <>
          <div className={styles.main}>
            <Button type="submit" variant="primary" isDisabled={way !== 'passkey' && typed.trim() === ''}>
              {way === 'passkey' ? USE.passkey : 'Continue'}
            </Button>
            <Button onPress={onDone}>Not now</Button>
          </div>
          <div className={styles.more}>
            {ways
              .filter((other) => other !== way)
              .map((other) => (
                <Button key={other} variant="quiet" onPress={() => choose(other)}>
                  {USE[other]}
                </Button>
              ))}
            <p className={styles.quiet}>
              Lost all of it? Another person of the staff, or the operator of the server, can remove it.
            </p>
          </div>
        </>
      )}
    </form>
  );
}

const FIELDS = {
  code: {
    label: 'Code from your app',
    name: 'second-factor-code',
    code: true,
    autoComplete: 'one-time-code',
    inputMode: 'numeric',
    help: 'The six digits that your authenticator app shows now.',
  },
  recovery: {
    label: 'Recovery code',
    name: 'recovery-code',
    autoComplete: 'off',
    help: 'One of the codes that you wrote down. It works once.',
  },
} as const;
