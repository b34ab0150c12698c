import { useRef, type ChangeEvent } from 'react';
import { Button } from '../../ui/Button';
import { Menu } from '../../ui/Menu';
import styles from './AddPhotographs.module.css';
import { sortFolder, type GivenFiles } from './given-files';

interface Props {
  readonly onFiles: (given: GivenFiles) => void;
}

/** The ways in: photographs from a card, a whole folder, the tablet's own camera. Dropping them anywhere is the fourth. */
export function AddPhotographs({ onFiles }: Props) {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const take = (isFolder: boolean) => (event: ChangeEvent<HTMLInputElement>) => {
    const given = [...(event.target.files ?? [])];
    // The same files once more are a change too.
    event.target.value = '';
    if (given.length > 0) onFiles(isFolder ? sortFolder(given) : { photographs: given, leftOut: [] });
  };
  return (
    <span className={styles.ways}>
      {/* No accept list: a phone's picture picker strips the position from what it hands over, a file chooser does not. */}
      <input ref={files} hidden type="file" multiple onChange={take(false)} />
      <input ref={folder} hidden type="file" {...{ webkitdirectory: '' }} onChange={take(true)} />
      <input ref={camera} hidden type="file" accept="image/*" capture="environment" onChange={take(false)} />
      <Menu
        compact
        label="Other ways to add"
        items={[
          { id: 'camera', word: 'Take one with this tablet', icon: 'camera' },
          { id: 'folder', word: 'A whole folder', icon: 'photos' },
        ]}
        onPick={(way) => (way === 'camera' ? camera : folder).current?.click()}
      />
      <Button look="primary" icon="plus" onPress={() => files.current?.click()}>
        Add photographs
      </Button>
    </span>
  );
}
