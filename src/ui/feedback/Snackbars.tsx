import { useEffect, useState, useSyncExternalStore } from 'react';
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
  return (
    // Accessible while a modal hides the page.
    <section className={styles.place} aria-label="Messages" aria-live="polite" data-react-aria-top-layer="true">
      {shown.map((notice) => (
        <Snack key={notice.id} notice={notice} />
      ))}
    </section>
  );
}

function Snack({ notice }: { readonly notice: ShownNotice }) {
  const { id, title, text, icon = 'info', action } = notice;
  const isDeck = useDeck();
  const [isHeld, setIsHeld] = useState(false);
  const durationMs = (action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS) * (isDeck ? 2 : 1);
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
          className={styles.button ?? ''}
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
