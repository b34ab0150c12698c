import { useState, type ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { formatCount, pluralize } from '../../../base/plural';
import type { ImageId } from '../../../domain/ids';
import { Button } from '../../../ui/controls/Button';
import { TideGauge } from '../../../ui/feedback/TideGauge';
import type { SurveyAdding } from './adding-state';
import { LeftOutDialog } from '../dialogs/LeftOutDialog';
import { formatMinutesLeft, formatPace } from './pace';
import styles from './AddingProgress.module.css';

interface Props {
  readonly adding: SurveyAdding;
  readonly total: number;
  readonly rest: ReactNode;
  readonly onDismiss: () => void;
  readonly numberOf: (id: ImageId) => number | null;
}

/** Number of files read, or of photographs. */
export function AddingProgress({ adding, total, rest, onDismiss, numberOf }: Props) {
  const [shown, setShown] = useState<'known' | 'refused' | null>(null);
  const { saved, known, refused, reading, waiting, stopped, isPaused, pace } = adding;
  const remaining = reading + waiting;
  const isWorking = remaining > 0;
  if (!isWorking && known + refused + stopped === 0) {
    return (
      <div className={styles.gauge}>
        <p className={styles.big}>
          <b>{total.toLocaleString('en')}</b> {pluralize(total, 'photograph')}
        </p>
        <div className={styles.full}>{rest}</div>
      </div>
    );
  }
  const done = adding.total - remaining - stopped;
  return (
    <section className={styles.gauge} aria-label="Adding photographs">
      <p className={styles.big}>
        <b>{done.toLocaleString('en')}</b> of {adding.total.toLocaleString('en')} read
      </p>
      {isWorking ? (
        <p className={styles.eta}>
          <b>{isPaused ? 'Paused' : formatMinutesLeft(pace.minutesLeft)}</b>
          <span>{isPaused ? 'Everything saved is safe.' : formatPace(pace.perSecond)}</span>
        </p>
      ) : (
        <span className={styles.clear}>
          <Button variant="quiet" onPress={onDismiss}>
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
        <CountItem fill="saved" n={saved} label="saved" isShown />
        <CountItem
          fill="leftOut"
          n={known}
          label={pluralize(known, 'duplicate left out', 'duplicates left out')}
          onPress={() => setShown('known')}
        />
        <CountItem fill="look" n={refused} label="not added" onPress={() => setShown('refused')} />
        <CountItem fill="now" n={reading} label="being read" />
        <CountItem fill="empty" n={waiting} label="waiting" />
        <CountItem fill="empty" n={stopped} label="not read: you stopped" />
      </ul>
      {/* Announced only when the state changes, not with every figure. */}
      <p className={styles.heard} role="status">
        {isWorking
          ? `Adding ${formatCount(adding.total, 'photograph')}${isPaused ? ', paused' : ''}`
          : `${saved} saved, ${formatCount(known, 'duplicate')} left out, ${refused} not added`}
      </p>
      {shown !== null && (
        <LeftOutDialog which={shown} items={adding.items} numberOf={numberOf} onClose={() => setShown(null)} />
      )}
    </section>
  );
}

/** Count; if pressable, opens its list. */
function CountItem({
  fill,
  n,
  label,
  isShown = false,
  onPress,
}: {
  readonly fill: string;
  readonly n: number;
  readonly label: string;
  readonly isShown?: boolean;
  readonly onPress?: () => void;
}) {
  if (n === 0 && !isShown) return null;
  const content = (
    <>
      <b>{n.toLocaleString('en')}</b> {label}
    </>
  );
  return (
    <li>
      <i className={styles[fill]} />
      {onPress === undefined ? (
        <span>{content}</span>
      ) : (
        <AriaButton className={styles.which ?? ''} onPress={onPress}>
          {content}
        </AriaButton>
      )}
    </li>
  );
}
