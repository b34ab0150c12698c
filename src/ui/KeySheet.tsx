import { useState } from 'react';
import { Button } from './Button';
import { Dialog } from './Dialog';
import { keyWords } from './keys';
import styles from './KeySheet.module.css';
import { Switch } from './Switch';
import { keyRing, setSingleKeys, singleKeysOn } from './use-keys';

/** The keys that work on this page, and whether they do. */
export function KeySheet({ onClose }: { readonly onClose: () => void }) {
  const [keys] = useState(() => keyRing.all());
  const [on, setOn] = useState(singleKeysOn);
  return (
    <Dialog
      title="Keys"
      isOpen
      onClose={onClose}
      actions={
        <Button look="primary" onPress={onClose}>
          Close
        </Button>
      }
    >
      <p>
        For a keyboard, a remote shutter or the buttons of a housing. Tab goes from one control to the next, Enter
        presses it.
      </p>
      <ul className={styles.keys}>
        {keys.map(({ key, words }) => (
          <li key={key} className={styles.key}>
            <span>{words}</span>
            <kbd className={styles.cap}>{keyWords(key)}</kbd>
          </li>
        ))}
      </ul>
      <Switch
        label="Single keys do something"
        isOn={on}
        onChange={(next) => {
          setSingleKeys(next);
          setOn(next);
        }}
      />
    </Dialog>
  );
}
