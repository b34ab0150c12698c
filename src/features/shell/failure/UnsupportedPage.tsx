import { ENGINE_FLOORS_TEXT } from '../../../platform/engine-floors';
import { Note } from '../../../ui/feedback/Note';
import type { Readiness } from '../app-context';
import styles from './UnsupportedPage.module.css';
import { useTitle } from '../frame/use-title';

/** Replaces the app in a browser that cannot store photographs safely. */
export function UnsupportedPage({ readiness }: { readonly readiness: Exclude<Readiness, { status: 'ready' }> }) {
  useTitle('Photographs cannot be added here');
  const insecure = readiness.status === 'insecure';
  return (
    <main className={styles.page}>
      <h1>Photographs cannot be added here</h1>
      <Note
        tone="wait"
        icon="lock"
        title={
          insecure
            ? `This page came over plain http from ${readiness.host}`
            : readiness.status === 'private'
              ? 'Photographs are not stored in private browsing'
              : 'This browser cannot store photographs safely'
        }
      >
        {readiness.why} Nothing was captured, and nothing was lost.
      </Note>
      <h2>What to do</h2>
      <ol className={styles.steps}>
        {insecure ? (
          <>
            <li>
              Open the box at its secure address, which begins with <b>https://</b>. The box’s own screen shows it.
            </li>
            <li>
              If the browser does not trust that address yet, first let this tablet trust the box:{' '}
              <a href="/edge/trust">how to trust this box</a>.
            </li>
          </>
        ) : readiness.status === 'private' ? (
          <li>Leave private browsing: open the same address in a normal window of this browser.</li>
        ) : (
          <li>
            Update this browser, or open the same address in a newer one: {ENGINE_FLOORS_TEXT}, or later. Leave private
            browsing.
          </li>
        )}
      </ol>
    </main>
  );
}
