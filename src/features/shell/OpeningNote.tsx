import { Note } from '../../ui/Note';
import styles from './RefusalPage.module.css';

/** While the data of this tablet is being opened. */
export function OpeningNote() {
  return (
    <main className={styles.page}>
      <Note icon="photos" title="Opening" role="status">
        Reading what is kept on this tablet.
      </Note>
    </main>
  );
}
