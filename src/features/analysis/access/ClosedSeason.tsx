import { Link } from '@tanstack/react-router';
import styles from '../AnalysePage.module.css';

/**
 * 2§2: outside of the season "the page shows a notice to mark the calendar for February, a 'Sign up to be notified'
 * button".
 */
export function ClosedSeason() {
  return (
    <section className={styles.big}>
      <p className={styles.figure}>February</p>
      <p className={styles.words}>
        The analysis is closed for this season. Mark your calendar for February: new reef photographs will be ready to
        analyse then. Your work is saved.
      </p>
      <p>
        <Link to="/signup" className={styles.main ?? ''}>
          Sign up to be notified
        </Link>
      </p>
    </section>
  );
}
