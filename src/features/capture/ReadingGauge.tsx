import { useState, type ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import type { ImageId } from '../../domain/ids';
import { Button } from '../../ui/Button';
import { TideGauge } from '../../ui/TideGauge';
import type { SurveyAdding } from './adding-state';
import { LeftOutDialog } from './LeftOutDialog';
import { leftWords, paceWords } from './pace';
import styles from './ReadingGauge.module.css';

interface Props {
  readonly adding: SurveyAdding;
  /** Photographs that the survey has. */
  readonly total: number;
  /** Stands below the figure when nothing is being read. */
  readonly rest: ReactNode;
  readonly onDismiss: () => void;
  /** The place of a photograph in the roll. */
  readonly numberOf: (id: ImageId) => number | null;
}

/** The one big fact: how many of the files given are read, or how many photographs there are. */
export function ReadingGauge({ adding, total, rest, onDismiss, numberOf }: Props) {
  const [shown, setShown] = useState<'known' | 'refused' | null>(null);
  const { saved, known, refused, reading, waiting, stopped, isPaused, pace } = adding;
  const left = reading + waiting;
  const isWorking = left > 0;
  if (!isWorking && known + refused + stopped === 0) {
    return (
      <div className={styles.gauge}>
        <p className={styles.big}>
          <b>{total.toLocaleString('en')}</b> {total === 1 ? 'photograph' : 'photographs'}
        </p>
        <div className={styles.full}>{rest}</div>
      </div>
    );
  }
  const done = adding.total - left - stopped;
  return (
    <section className={styles.gauge} aria-label="Adding photographs">
      <p className={styles.big}>
        <b>{done.toLocaleString('en')}</b> of {adding.total.toLocaleString('en')} read
      </p>
      {isWorking ? (
        <p className={styles.eta}>
          <b>{isPaused ? 'Paused' : leftWords(pace.minutesLeft)}</b>
          <span>{isPaused ? 'What is saved is safe.' : paceWords(pace.perSecond)}</span>
        </p>
      ) : (
        <span className={styles.clear}>
          <Button look="quiet" onPress={onDismiss}>
            Clear those left out
          </Button>
        </span>
      )}
      <div className={styles.full}>
        <TideGauge
          ticks
          label="Adding photographs"
          total={adding.total}
          parts={[
            { fill: 'saved', count: saved },
            { fill: 'left-out', count: known },
            { fill: 'look', count: refused },
            { fill: 'now', count: reading },
          ]}
        />
      </div>
      <ul className={`${styles.full} ${styles.key}`}>
        <Key fill="saved" n={saved} word="saved" isShown />
        <Key
          fill="leftOut"
          n={known}
          word={known === 1 ? 'duplicate left out' : 'duplicates left out'}
          onPress={() => setShown('known')}
        />
        <Key fill="look" n={refused} word="not taken" onPress={() => setShown('refused')} />
        <Key fill="now" n={reading} word="being read" />
        <Key fill="empty" n={waiting} word="waiting" />
        <Key fill="empty" n={stopped} word="not read: you stopped" />
      </ul>
      {/* The figures change several times a second; what is read out changes when a state does. */}
      <p className={styles.heard} role="status">
        {isWorking
          ? `Adding ${adding.total} photographs${isPaused ? ', paused' : ''}`
          : `${saved} saved, ${known} duplicates left out, ${refused} not taken`}
      </p>
      {shown !== null && (
        <LeftOutDialog which={shown} items={adding.items} numberOf={numberOf} onClose={() => setShown(null)} />
      )}
    </section>
  );
}

/** A count of the gauge; one that can be pressed says which files it counts, and why. */
function Key({
  fill,
  n,
  word,
  isShown = false,
  onPress,
}: {
  readonly fill: string;
  readonly n: number;
  readonly word: string;
  readonly isShown?: boolean;
  readonly onPress?: () => void;
}) {
  if (n === 0 && !isShown) return null;
  const words = (
    <>
      <b>{n.toLocaleString('en')}</b> {word}
    </>
  );
  return (
    <li>
      <i className={styles[fill]} />
      {onPress === undefined ? (
        <span>{words}</span>
      ) : (
        <AriaButton className={styles.which ?? ''} onPress={onPress}>
          {words}
        </AriaButton>
      )}
    </li>
  );
}
