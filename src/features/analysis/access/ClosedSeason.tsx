import type { ReactNode } from 'react';
import styles from '../AnalysePage.module.css';

/**
 * 2§2: outside of the season "the page shows a notice to mark the calendar for February, a 'Sign up to be notified'
 * button".
 */
export function ClosedSeason({ signUp }: { readonly signUp: (words: string, className: string) => ReactNode }) {
  return (
    <section className={styles.big}>
      <p className={styles.figure}>February</p>
      <p className={styles.words}>
        The analysis is closed for this season. Mark your calendar for February: then new photographs of the reef are
        here to be analysed. What you have done is saved.
      </p>
      <p>{signUp('Sign up to be notified', styles.main ?? '')}</p>
    </section>
  );
}
