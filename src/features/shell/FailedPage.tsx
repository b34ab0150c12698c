import { Button } from '../../ui/Button';
import { Note } from '../../ui/Note';
import styles from './RefusalPage.module.css';
import { useTitle } from './use-title';

/** A page that could not be shown. What is on the disk is not touched by it. */
export function FailedPage({ error }: { readonly error: unknown }) {
  useTitle('This page could not be shown');
  return (
    <main className={styles.page}>
      <h1>This page could not be shown</h1>
      <Note tone="look" icon="alert" title="What is saved on this tablet is still there" role="alert" action={<Button onPress={() => window.location.reload()}>Load again</Button>}>
        {error instanceof Error ? error.message : String(error)}
      </Note>
    </main>
  );
}
