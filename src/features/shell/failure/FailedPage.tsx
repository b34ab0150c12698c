import { Note } from '../../../ui/feedback/Note';
import { failureText } from './failure-text';
import { ReloadButton } from './ReloadButton';
import styles from './UnsupportedPage.module.css';
import { useTitle } from '../frame/use-title';

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
