import { useEffect, useRef } from 'react';
import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import styles from '../account/AccountSettings.module.css';

interface Props {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

/** Recovery codes, shown this once. */
export function RecoveryCodes({ codes, onDone }: Props) {
  const place = useRef<HTMLElement>(null);
  // Shown this once: no one should have to scroll to find them.
  useEffect(() => {
    // Newer browsers return a promise, which is no cleanup.
    place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <section ref={place} className={styles.form} aria-label="Recovery codes">
      <Note tone="wait" icon="lock" title="Write these down now" role="status">
        Each works once if you lose your app or passkey. They are not shown again. Keep them away from this tablet.
      </Note>
      <ul className={styles.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className={styles.main}>
        <Button variant="primary" onPress={onDone}>
          I wrote them down
        </Button>
      </div>
    </section>
  );
}
