import { Link } from '@tanstack/react-router';
import styles from './RefusalPage.module.css';

/** No such page. */
export function LostPage() {
  return (
    <main className={styles.page}>
      <h1>You got lost :(</h1>
      <p>There is no page at this address. What you saved is where it was.</p>
      <p>
        <Link to="/">Home, to your surveys</Link>
      </p>
    </main>
  );
}
