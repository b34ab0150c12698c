import { ANALYSIS_MESSAGES } from '../../domain/messages';
import { Ring } from '../../ui/Ring';
import styles from './auth.module.css';

/** Something is asked and the answer is on its way (2§2: "'One moment...' shows while loading"). */
export function Waiting({ words = ANALYSIS_MESSAGES.oneMoment }: { readonly words?: string | undefined }) {
  return (
    <p className={styles.waiting} role="status">
      <Ring label={words} size={28} />
      {words}
    </p>
  );
}
