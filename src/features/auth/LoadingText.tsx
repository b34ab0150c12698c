import { ANALYSIS_MESSAGES } from '../../domain/messages';
import { Ring } from '../../ui/feedback/Ring';
import styles from './auth.module.css';

/** Loading message (2§2). */
export function LoadingText({ text = ANALYSIS_MESSAGES.oneMoment }: { readonly text?: string | undefined }) {
  return (
    <p className={styles.waiting} role="status">
      <Ring label={text} size={28} />
      {text}
    </p>
  );
}
