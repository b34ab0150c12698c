import { useCallback, useEffect, useState } from 'react';
import type { FactorOverview, Repositories, SecondFactorState } from '../../../data/repositories';
import { formatCount } from '../../../base/plural';
import { Button } from '../../../ui/controls/Button';
import { FormError } from '../FormError';
import { LoadingText } from '../LoadingText';
import { overlay } from '../overlay-state';
import { useTask } from '../use-task';
import { CodesSetup } from './CodesSetup';
import { PasskeySettings } from './PasskeySettings';
import { RecoveryCodes } from './RecoveryCodes';
import styles from '../account/AccountSettings.module.css';

interface Props {
  readonly account: Pick<Repositories['account'], 'secondFactor' | 'admin'>;
  /** Address for a new sign-in, which a setup may need. */
  readonly email: string;
  readonly state: SecondFactorState;
  /** Reads the state again. */
  readonly onChange: () => Promise<void>;
}

/** Section of the account: the second step of staff and admins. */
export function SecondFactorSettings({ account, email, state, onChange }: Props) {
  const { secondFactor, admin } = account;
  const [overview, setOverview] = useState<FactorOverview | null>(null);
  const [isSettingUp, setSettingUp] = useState(false);
  const [recovery, setRecovery] = useState<readonly string[]>([]);
  const { task, problem, run } = useTask();
  const refresh = useCallback(async (): Promise<void> => {
    setOverview(await secondFactor.overview());
  }, [secondFactor]);
  useEffect(() => {
    void run('other', () => refresh().then(() => undefined));
  }, [refresh, run]);
  const changed = async (): Promise<void> => {
    admin.refresh();
    await Promise.all([refresh(), onChange()]);
  };
  const isLocked = state.status === 'needed';
  return (
    <section aria-label="Second step" className={styles.section}>
      <div className={styles.row}>
        <h3 className={styles.name}>Second step</h3>
        <p className={`${styles.fact} ${isLocked ? '' : styles.wide}`}>{stateText(state, overview)}</p>
        {isLocked && <Button onPress={() => overlay.replace({ show: 'second-factor' })}>Confirm now</Button>}
      </div>
      {!isLocked && (
        <div className={styles.row}>
          <h4 className={styles.name}>Codes from an app</h4>
          <p className={styles.fact}>{overview?.codes === true ? 'Set up' : 'Not set up'}</p>
          <Button
            aria-label={overview?.codes === true ? 'Remove one-time codes' : 'Set up one-time codes'}
            aria-expanded={isSettingUp}
            isDisabled={overview === null || task.status === 'working'}
            onPress={() =>
              overview?.codes === true
                ? void run('other', async () => {
                    await secondFactor.removeCodes();
                    await changed();
                    return undefined;
                  })
                : setSettingUp(!isSettingUp)
            }
          >
            {overview?.codes === true ? 'Remove' : 'Set up'}
          </Button>
        </div>
      )}
      {isSettingUp && (
        <CodesSetup
          secondFactor={secondFactor}
          email={email}
          onDone={async (codes) => {
            setSettingUp(false);
            setRecovery(codes);
            await changed();
          }}
        />
      )}
      {!isLocked && overview !== null && (
        <PasskeySettings
          secondFactor={secondFactor}
          email={email}
          passkeys={overview.passkeys}
          onChange={async (codes) => {
            setRecovery(codes);
            await changed();
          }}
        />
      )}
      {recovery.length > 0 && <RecoveryCodes codes={recovery} onDone={() => setRecovery([])} />}
      {!isLocked && overview !== null && hasWay(overview) && recovery.length === 0 && (
        <div className={styles.main}>
          <Button
            variant="quiet"
            isDisabled={task.status === 'working'}
            onPress={() =>
              void run('other', async () => {
                setRecovery(await secondFactor.renewRecoveryCodes());
                await refresh();
                return undefined;
              })
            }
          >
            New recovery codes
          </Button>
        </div>
      )}
      {overview === null && task.status === 'working' && <LoadingText />}
      <FormError problem={problem} email={email} />
    </section>
  );
}

function hasWay({ codes, passkeys }: FactorOverview): boolean {
  return codes || passkeys.length > 0;
}

function stateText({ status }: SecondFactorState, overview: FactorOverview | null): string {
  if (status === 'missing') return 'None yet. Your role counts once you have set one up.';
  if (status === 'needed') return 'Set up. Confirm that it is you before you act for the census here.';
  return overview === null
    ? 'Set up'
    : `Set up, with ${formatCount(overview.recoveryCodes, 'recovery code')} left. Asked for again after 12 hours.`;
}
