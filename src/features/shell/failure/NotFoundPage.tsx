import { Link } from '@tanstack/react-router';
import styles from './UnsupportedPage.module.css';
import { useTitle } from '../frame/use-title';

export function NotFoundPage() {
  useTitle('You got lost :(');
  return (
    <main className={styles.page}>
      <h1>You got lost :(</h1>
      <p>There is no page at this address. Everything you saved is safe.</p>
      <p>
        <Link to="/surveys">Go to your surveys</Link>
      </p>
    </main>
  );
}
