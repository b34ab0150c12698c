import { useRef, useState, type DragEvent, type ReactNode } from 'react';
import { itemsOfDrop } from './dropped-items';
import styles from './DropFiles.module.css';
import { filesOfDrop, type GivenFiles } from './given-files';
import { keepPageOpen } from './keep-open';

interface Props {
  readonly onFiles: (given: GivenFiles) => void;
  readonly children: ReactNode;
}

/** Takes files and folders that are dropped anywhere on the page; photographs dragged within the roll are not its matter. */
export function DropFiles({ onFiles, children }: Props) {
  const [isOver, setOver] = useState(false);
  /** Entering a child comes before leaving its parent. */
  const depth = useRef(0);
  const isFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files');
  return (
    <div
      className={styles.area}
      onDragEnter={(event) => {
        if (!isFiles(event)) return;
        depth.current++;
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!isFiles(event)) return;
        depth.current--;
        if (depth.current === 0) setOver(false);
      }}
      onDragOver={(event) => {
        if (!isFiles(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'copy';
      }}
      onDrop={(event) => {
        if (!isFiles(event)) return;
        event.preventDefault();
        depth.current = 0;
        setOver(false);
        // A large folder takes a while to walk through.
        const letGo = keepPageOpen();
        void filesOfDrop(itemsOfDrop(event.dataTransfer)).then(onFiles).finally(letGo);
      }}
    >
      {children}
      {isOver && <div className={styles.over}>Drop photographs or a folder here</div>}
    </div>
  );
}
