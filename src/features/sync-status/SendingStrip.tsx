import { useEffect, useState } from 'react';
import type { SendingRepository } from '../../data/repositories';
import { Button } from '../../ui/Button';
import { TideGauge } from '../../ui/TideGauge';
import { useLive } from '../shell';
import styles from './SendingStrip.module.css';
import { sendingDetail, sendingWords } from './words';

interface Props {
  readonly sending: SendingRepository;
  /** Photographs of what the strip stands under, and those of them that the box has. */
  readonly total: number;
  readonly onBox: number;
  readonly onItsWay: number;
}

/** What goes to the box now: how much is left, how long, and Pause. */
export function SendingStrip({ sending, total, onBox, onItsWay }: Props) {
  const facts = useLive(sending.facts);
  const now = useNow(facts.nextTryAt !== null);
  const waiting = facts.state === 'waiting';
  return (
    <div className={styles.strip}>
      <div className={styles.words}>
        <b className={styles.title} role="status">
          {sendingWords(facts)}
        </b>
        <TideGauge
          label="Sent to the box"
          total={total}
          parts={[
            { fill: 'saved', count: onBox },
            { fill: 'now', count: onItsWay },
          ]}
        />
        <span className={styles.detail}>{sendingDetail(facts, now)}</span>
      </div>
      {waiting && <Button onPress={() => sending.tryNow()}>Try now</Button>}
      {facts.state === 'paused' ? (
        <Button icon="next" onPress={() => void sending.resume()}>
          Go on
        </Button>
      ) : (
        facts.state !== 'done' && (
          <Button icon="pause" onPress={() => void sending.pause()}>
            Pause
          </Button>
        )
      )}
    </div>
  );
}

/** The time, once a second while `ticking`: only the countdown to the next try needs it. */
function useNow(ticking: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!ticking) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [ticking]);
  return now;
}
