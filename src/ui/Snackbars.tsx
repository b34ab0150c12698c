import { useEffect, useState, useSyncExternalStore } from 'react';
import { Button } from 'react-aria-components';
import { useDeck } from './deck';
import { Icon } from './Icon';
import { notices, type ShownNotice } from './notices';
import styles from './Snackbars.module.css';

/** How long a notice stands, ms; with something to press, longer; on deck, where eyes are elsewhere, twice that. */
const STANDS_MS = 7000;
const STANDS_TO_PRESS_MS = 12_000;

/** The place of the notices, once in the page. They wait while a hand or the keyboard is on them. */
export function Snackbars() {
  const shown = useSyncExternalStore(notices.subscribe, notices.shown);
  return (
    // The mark keeps it in reach of screen readers while a dialog closes off the page.
    <section className={styles.place} aria-label="Messages" aria-live="polite" data-react-aria-top-layer="true">
      {shown.map((notice) => (
        <Snack key={notice.id} notice={notice} />
      ))}
    </section>
  );
}

function Snack({ notice }: { readonly notice: ShownNotice }) {
  const { id, title, words, icon = 'info', action } = notice;
  const deck = useDeck();
  const [held, setHeld] = useState(false);
  const stands = (action === undefined ? STANDS_MS : STANDS_TO_PRESS_MS) * (deck ? 2 : 1);
  useEffect(() => {
    if (held) return undefined;
    const timer = setTimeout(() => notices.remove(id), stands);
    return () => clearTimeout(timer);
  }, [held, id, stands]);
  return (
    <div
      className={styles.snack}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon name={icon} />
      <div className={styles.words}>
        <strong className={styles.title}>{title}</strong>
        {words}
      </div>
      {action !== undefined && (
        <Button
          className={styles.button ?? ''}
          onPress={() => {
            action.onPress();
            notices.remove(id);
          }}
        >
          {action.word}
        </Button>
      )}
      <Button className={styles.button ?? ''} aria-label="Close message" onPress={() => notices.remove(id)}>
        <Icon name="close" />
      </Button>
    </div>
  );
}
