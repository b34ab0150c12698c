import { useState } from 'react';
import { Button } from '../controls/Button';
import { Dialog } from '../controls/Dialog';
import { formatKey } from './shortcut-registry';
import styles from './ShortcutSheet.module.css';
import { Switch } from '../controls/Switch';
import { shortcuts, setSingleKeys, areSingleKeysOn } from './use-shortcuts';

export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  const [keys] = useState(() => shortcuts.all());
  const [isEnabled, setEnabled] = useState(areSingleKeysOn);
  return (
    <Dialog
      title="Keyboard shortcuts"
      isOpen
      onClose={onClose}
      actions={
        <Button variant="primary" onPress={onClose}>
          Close
        </Button>
      }
    >
      <p>
        For a keyboard, a remote shutter or the buttons of a housing. Tab moves to the next control, Enter presses it.
      </p>
      <ul className={styles.keys}>
        {keys.map(({ key, label }) => (
          <li key={key} className={styles.key}>
            <span>{label}</span>
            <kbd className={styles.cap}>{formatKey(key)}</kbd>
          </li>
        ))}
      </ul>
      <Switch
        label="Single-key shortcuts"
        isOn={isEnabled}
        onChange={(next) => {
          setSingleKeys(next);
          setEnabled(next);
        }}
      />
    </Dialog>
  );
}
