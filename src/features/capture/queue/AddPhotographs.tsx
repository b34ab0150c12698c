import { useRef, type ChangeEvent } from 'react';
import { Button } from '../../../ui/controls/Button';
import { Menu } from '../../../ui/controls/Menu';
import styles from './AddPhotographs.module.css';
import { sortFolder, type PickedFiles } from './picked-files';

interface Props {
  readonly onFiles: (given: PickedFiles) => void;
}

/** Ways to add photographs: card, folder or camera. */
export function AddPhotographs({ onFiles }: Props) {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const onPicked = (isFolder: boolean) => (event: ChangeEvent<HTMLInputElement>) => {
    const picked = [...(event.target.files ?? [])];
    event.target.value = '';
    if (picked.length > 0) onFiles(isFolder ? sortFolder(picked) : { photographs: picked, leftOut: [] });
  };
  return (
    <span className={styles.ways}>
      {/* No accept list: a phone's picture picker strips the position. */}
      <input ref={files} hidden type="file" multiple onChange={onPicked(false)} />
      <input ref={folder} hidden type="file" {...{ webkitdirectory: '' }} onChange={onPicked(true)} />
      <input ref={camera} hidden type="file" accept="image/*" capture="environment" onChange={onPicked(false)} />
      <Menu
        compact
        label="Other ways to add"
        items={[
          { id: 'camera', label: 'Take one with this tablet', icon: 'camera' },
          { id: 'folder', label: 'A whole folder', icon: 'photos' },
        ]}
        onPick={(way) => (way === 'camera' ? camera : folder).current?.click()}
      />
      <Button variant="primary" icon="plus" onPress={() => files.current?.click()}>
        Add photographs
      </Button>
    </span>
  );
}
