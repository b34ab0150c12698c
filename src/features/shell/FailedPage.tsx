import { Note } from '../../ui/Note';
import { failureText } from './failure-words';
import { ReloadButton } from './ReloadButton';
import styles from './RefusalPage.module.css';
import { useTitle } from './use-title';

/** A page that could not be shown. What is on the disk is not touched by it. */
export function FailedPage({ error }: { readonly error: unknown }) {
  useTitle('This page could not be shown');
  const { title, text } = failureText(error);
  return (
    <main className={styles.page}>
      <h1>This page could not be shown</h1>
      <Note tone="look" icon="alert" title={title} role="alert" action={<ReloadButton />}>
        {text}
      </Note>
    </main>
  );
}
