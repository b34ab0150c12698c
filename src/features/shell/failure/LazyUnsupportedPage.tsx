import { lazy, Suspense } from 'react';
import type { Readiness } from '../app-context';
import { OpeningNote } from '../frame/OpeningNote';

// Lazy, since few tablets ever show it.
const Page = lazy(() => import('./UnsupportedPage').then((module) => ({ default: module.UnsupportedPage })));

export function LazyUnsupportedPage(props: { readonly readiness: Exclude<Readiness, { status: 'ready' }> }) {
  return (
    <Suspense fallback={<OpeningNote />}>
      <Page {...props} />
    </Suspense>
  );
}
