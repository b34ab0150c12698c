import { useEffect, useState, useSyncExternalStore } from 'react';
import type { SendingRepository } from '../../data/repositories';
import { awakeState, onAwakeChange } from '../../platform/wake-lock';
import { Button } from '../../ui/controls/Button';
import { HoldButton } from '../../ui/controls/HoldButton';
import { TideGauge } from '../../ui/feedback/TideGauge';
import { useObservable } from '../shell';
import styles from './SendingStrip.module.css';
import { sendingDetail, sendingText } from './status-text';

interface Props {
  readonly sending: SendingRepository;
  /** Number of photographs that the strip covers, and of those on the box. */
  readonly total: number;
  readonly onBox: number;
  /** Number of those ashore. */
  readonly ashore?: number;
  readonly onItsWay: number;
  /** Number that needs a person's attention. */
  readonly held?: number;
  /** Number that is neither here, on the box nor ashore. */
  readonly missing?: number;
  readonly canStop?: boolean;
  /** Hides the strip while nothing is owed to the box. */
  readonly isQuiet?: boolean;
}

/** Status of sending: amount left, time, speed; Pause, Resume and Cancel. The same in every tab. */
export function SendingStrip({
  sending,
  total,
  onBox,
  ashore = 0,
  onItsWay,
  held = 0,
  missing = 0,
  canStop = false,
  isQuiet = false,
}: Props) {
  const facts = useObservable(sending.facts);
  const awake = useSyncExternalStore(onAwakeChange, awakeState);
  const now = useNow(facts.nextTryAt !== null);
  const rests = facts.state === 'paused' || facts.state === 'stopped';
  if (isQuiet && facts.state === 'done') return null;
  return (
    <div className={styles.strip} data-sending={facts.state}>
      <div className={styles.words}>
        <b className={styles.title} role="status">
          {facts.state === 'done' && missing > 0 ? 'This tablet has sent all it has' : sendingText(facts)}
        </b>
        <TideGauge
          label={facts.to === 'shore' ? 'Sent ashore' : 'Sent to the box'}
          total={total}
          parts={[
            { fill: 'saved', count: facts.to === 'shore' ? ashore : onBox },
            { fill: 'now', count: onItsWay },
            { fill: 'look', count: held + missing },
          ]}
        />
        <span className={styles.detail}>
          {sendingDetail(facts, now)}
          {facts.state === 'sending' && awake === 'on' && 'The screen stays on until sending is done.'}
          {facts.state === 'sending' && facts.tab === 'elsewhere' && 'Another tab on this tablet is sending.'}
        </span>
      </div>
      <div className={styles.buttons}>
        {facts.state === 'waiting' && <Button onPress={() => sending.tryNow()}>Try now</Button>}
        {/* One button for both, so that one key pauses and resumes. */}
        {facts.state !== 'done' && (
          <Button icon={rests ? 'play' : 'pause'} onPress={() => void (rests ? sending.resume() : sending.pause())}>
            {!rests ? 'Pause' : facts.state === 'stopped' ? 'Send' : 'Resume'}
          </Button>
        )}
        {canStop && (facts.state === 'sending' || facts.state === 'paused') && (
          <HoldButton variant="line" onHeld={() => void sending.stop()} holdLabel="Hold to cancel">
            Cancel
          </HoldButton>
        )}
      </div>
    </div>
  );
}

function useNow(ticking: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!ticking) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [ticking]);
  return now;
}
