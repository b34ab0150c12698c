import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore, type RefObject } from 'react';
import { Button } from 'react-aria-components';
import { useDeck } from '../tokens/deck';
import { Icon } from '../display/Icon';
import { notices, type ShownNotice } from './notices';
import styles from './Snackbars.module.css';

/** Longer with an action; doubled on deck, where eyes are elsewhere. Ms. */
const SHOWN_MS = 7000;
const SHOWN_WITH_ACTION_MS = 12_000;

/** Notices stay while hovered or focused. */
export function Snackbars() {
  const shown = useSyncExternalStore(notices.subscribe, notices.shown);
  const place = useRef<HTMLElement>(null);
  useRoomAboveFeet(place, shown);
  return (
    // Accessible while a modal hides the page.
    <section
      ref={place}
      className={styles.place}
      aria-label="Messages"
      aria-live="polite"
      data-react-aria-top-layer="true"
    >
      {shown.map((notice) => (
        <Snack key={notice.id} notice={notice} />
      ))}
    </section>
  );
}

/** Time between two looks at where the page's feet are: it may change while a notice is shown. Ms. */
const LOOK_MS = 250;

/** Raises the notices above each foot (`data-foot`) that they would cover: its buttons are the next step. */
function useRoomAboveFeet(place: RefObject<HTMLElement | null>, shown: readonly ShownNotice[]): void {
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null || shown.length === 0) return undefined;
    const raise = (): void => {
      const lift = Number.parseFloat(element.style.getPropertyValue('--lift')) || 0;
      const { left, right, bottom } = element.getBoundingClientRect();
      const needed = [...document.querySelectorAll('[data-foot]')].reduce((most, foot) => {
        const rect = foot.getBoundingClientRect();
        const isBeside = rect.right <= left || rect.left >= right || rect.height === 0;
        const isUnder = rect.top > window.innerHeight / 2 && rect.top < bottom + lift;
        return isBeside || !isUnder ? most : Math.max(most, bottom + lift - rect.top + GAP_PX);
      }, 0);
      element.style.setProperty('--lift', `${needed}px`);
    };
    raise();
    const timer = setInterval(raise, LOOK_MS);
    return () => clearInterval(timer);
  }, [place, shown]);
}

/** Between a foot and the notices above it. */
const GAP_PX = 8;

function Snack({ notice }: { readonly notice: ShownNotice }) {
  const { id, title, text, icon = 'info', action, durationMs: wanted } = notice;
  const isDeck = useDeck();
  const [isHeld, setIsHeld] = useState(false);
  const durationMs = wanted ?? (action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS) * (isDeck ? 2 : 1);
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(() => notices.remove(id), durationMs);
    return () => clearTimeout(timer);
  }, [isHeld, id, durationMs]);
  return (
    <div
      className={styles.snack}
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
    >
      <Icon name={icon} />
      <div className={styles.words}>
        <strong className={styles.title}>{title}</strong>
        {text}
      </div>
      {action !== undefined && (
        <Button
          className={`${styles.button} ${styles.action}`}
          onPress={() => {
            action.onPress();
            notices.remove(id);
          }}
        >
          {action.label}
        </Button>
      )}
      <Button className={styles.button ?? ''} aria-label="Close message" onPress={() => notices.remove(id)}>
        <Icon name="close" />
      </Button>
    </div>
  );
}
