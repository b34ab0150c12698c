import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { Button } from './Button';
import { useDeck } from '../tokens/deck';
import styles from './HoldButton.module.css';
import { Icon } from '../display/Icon';
import type { IconName } from '../display/icon-paths';

/** Hold time of an irreversible action, ms. */
const HOLD_MS = 1000;

interface Props {
  readonly children: ReactNode;
  readonly icon?: IconName;
  readonly onHeld: () => void;
  /** Deck label: `Hold to delete`; default is the children. */
  readonly holdLabel?: string;
  readonly variant?: 'danger' | 'line' | 'quiet';
  readonly isDisabled?: boolean;
}

type Hold = 'idle' | 'holding' | 'short';

const HOLD_TEXTS: Record<Hold, string> = {
  idle: 'Hold 1 second',
  holding: 'Keep holding',
  short: 'Too short: nothing was done',
};

/**
 * Button for irreversible actions: in the deck theme held for a second (touch, mouse, Enter or Space), otherwise plain.
 * A screen reader's press acts at once: no drop of water causes one.
 */
export function HoldButton({ children, icon, onHeld, holdLabel, variant = 'danger', isDisabled = false }: Props) {
  const isDeck = useDeck();
  const { hold, start, end } = useHold(onHeld);
  if (!isDeck) {
    return (
      <Button variant={variant} {...(icon === undefined ? {} : { icon })} isDisabled={isDisabled} onPress={onHeld}>
        {children}
      </Button>
    );
  }
  return (
    <AriaButton
      isDisabled={isDisabled}
      onPressStart={({ pointerType }) => {
        if (pointerType !== 'virtual') start();
      }}
      onPressEnd={end}
      onPress={({ pointerType }) => {
        if (pointerType === 'virtual') onHeld();
      }}
      // The context menu of a long touch would end the press.
      onContextMenu={(event) => event.preventDefault()}
      className={`${styles.hold} ${variant === 'danger' ? '' : styles[variant]} ${hold === 'holding' ? styles.holding : ''}`}
    >
      <span className={styles.fill} />
      {icon !== undefined && <Icon name={icon} />}
      <span className={styles.words}>
        <span>{holdLabel ?? children}</span>
        <span className={styles.say} role="status">
          {(['idle', 'holding', 'short'] as const).map((each) => (
            <span key={each} className={each === hold ? styles.now : ''}>
              {HOLD_TEXTS[each]}
            </span>
          ))}
        </span>
      </span>
    </AriaButton>
  );
}

function useHold(onHeld: () => void): { readonly hold: Hold; readonly start: () => void; readonly end: () => void } {
  const [hold, setHold] = useState<Hold>('idle');
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const latest = useRef(onHeld);
  useEffect(() => {
    latest.current = onHeld;
  });
  const end = useCallback(() => {
    if (timer.current === undefined) return;
    clearTimeout(timer.current);
    timer.current = undefined;
    setHold('short');
  }, []);
  const start = useCallback(() => {
    clearTimeout(timer.current);
    setHold('holding');
    timer.current = setTimeout(() => {
      timer.current = undefined;
      setHold('idle');
      navigator.vibrate?.(40);
      latest.current();
    }, HOLD_MS);
  }, []);
  useEffect(() => {
    // No release event arrives without the focus.
    window.addEventListener('blur', end);
    return () => {
      window.removeEventListener('blur', end);
      clearTimeout(timer.current);
    };
  }, [end]);
  useEffect(() => {
    if (hold !== 'short') return undefined;
    const back = setTimeout(() => setHold('idle'), 4000);
    return () => clearTimeout(back);
  }, [hold]);
  return { hold, start, end };
}
