import { useRef, useState, type DragEvent, type ReactNode } from 'react';
import { droppedItems } from './dropped-items';
import styles from './DropFiles.module.css';
import { readDroppedFiles, type PickedFiles } from './picked-files';
import { holdPageOpen } from './hold-page-open';

interface Props {
  readonly onFiles: (given: PickedFiles) => void;
  readonly children: ReactNode;
}

/** Accepts files and folders dropped anywhere; ignores photographs dragged within the roll. */
export function DropFiles({ onFiles, children }: Props) {
  const [isOver, setOver] = useState(false);
  /** Entering a child fires before leaving its parent. */
  const depth = useRef(0);
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files');
  return (
    <div
      className={styles.area}
      onDragEnter={(event) => {
        if (!hasFiles(event)) return;
        depth.current++;
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!hasFiles(event)) return;
        depth.current--;
        if (depth.current === 0) setOver(false);
      }}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'copy';
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        depth.current = 0;
        setOver(false);
        const releasePage = holdPageOpen();
        void readDroppedFiles(droppedItems(event.dataTransfer)).then(onFiles).finally(releasePage);
      }}
    >
      {children}
      {isOver && <div className={styles.over}>Drop photographs or a folder here</div>}
    </div>
  );
}
