import { Note } from '../../../ui/feedback/Note';
import type { Readiness } from '../app-context';
import { failureText } from './failure-text';
import { LazyUnsupportedPage } from './LazyUnsupportedPage';
import { ReloadButton } from './ReloadButton';
import styles from './UnsupportedPage.module.css';
import { useTitle } from '../frame/use-title';

/** @param props.error `UnsupportedEngineError` of src/app with its readiness, or any other */
export function FailedPage({ error }: { readonly error: unknown }) {
  const readiness = (error as { readonly readiness?: Exclude<Readiness, { status: 'ready' }> } | null)?.readiness;
  return readiness === undefined ? <Failed error={error} /> : <LazyUnsupportedPage readiness={readiness} />;
}

function Failed({ error }: { readonly error: unknown }) {
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
