import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { Button } from './Button';
import { useDeck } from '../tokens/deck';
import styles from './HoldButton.module.css';
import { Icon } from '../display/Icon';
import type { IconName } from '../display/icon-paths';

/** How long a hand, or a key, stays down before what cannot be undone is done, ms. */
export const HOLD_MS = 1000;

interface Props {
  readonly children: ReactNode;
  readonly icon?: IconName;
  readonly onHeld: () => void;
  /** The label in the deck theme: `Hold to delete`; the children unless told. */
  readonly holdLabel?: string;
  readonly variant?: 'danger' | 'line';
  readonly isDisabled?: boolean;
}

type Hold = 'idle' | 'holding' | 'short';

const HOLD_TEXTS: Record<Hold, string> = {
  idle: 'Hold 1 second',
  holding: 'Keep holding',
  short: 'Too short: nothing done',
};

/**
 * For what cannot be undone. In the deck theme it is held for a second (touch, mouse, Enter or Space) while it fills; let go
 * sooner, or slid off, nothing happens. A screen reader's press acts at once: no drop of water makes one. In the other themes
 * it is a plain button.
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
      // A long touch is ours here: the menu that a browser opens for it would end the press.
      onContextMenu={(event) => event.preventDefault()}
      className={`${styles.hold} ${variant === 'line' ? styles.line : ''} ${hold === 'holding' ? styles.holding : ''}`}
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
    // Another window in front, and the release is never told.
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
