import { Note } from '../../../ui/feedback/Note';
import type { Readiness } from '../app-context';
import styles from './UnsupportedPage.module.css';
import { useTitle } from '../frame/use-title';

/** Replaces the app in a browser that cannot store photographs safely. */
export function UnsupportedPage({ readiness }: { readonly readiness: Exclude<Readiness, { status: 'ready' }> }) {
  useTitle('This page takes no photographs');
  const insecure = readiness.status === 'insecure';
  return (
    <main className={styles.page}>
      <h1>This page takes no photographs</h1>
      <Note
        tone="wait"
        icon="lock"
        title={insecure ? `It came over plain http from ${readiness.host}` : 'This browser cannot keep them safe'}
      >
        {readiness.why} Nothing was captured and nothing was lost.
      </Note>
      <h2>What to do</h2>
      <ol className={styles.steps}>
        {insecure ? (
          <>
            <li>
              Open the box by its secure address, which begins with <b>https://</b>. It stands on the box’s own screen.
            </li>
            <li>
              If the browser does not trust that address yet, let this tablet trust the box first:{' '}
              <a href="/edge/trust">how to trust this box</a>.
            </li>
          </>
        ) : (
          <li>
            Update this browser, or open the same address in a newer one: Chrome or Edge 137, Firefox 130, Safari 17, or
            later. Leave private browsing.
          </li>
        )}
      </ol>
    </main>
  );
}
