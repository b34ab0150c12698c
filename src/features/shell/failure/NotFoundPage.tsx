import { Link } from '@tanstack/react-router';
import { REPORTING_MESSAGES } from '../../../domain/messages';
import styles from './UnsupportedPage.module.css';
import { useTitle } from '../frame/use-title';

export function NotFoundPage() {
  useTitle(REPORTING_MESSAGES.lost);
  return (
    <main className={styles.page}>
      <h1>{REPORTING_MESSAGES.lost}</h1>
      <p>There is no page at this address. Everything you saved is safe.</p>
      <p>
        <Link to="/surveys">Go to your surveys</Link>
      </p>
    </main>
  );
}
