import { lazy, Suspense } from 'react';

const Page = lazy(() => import('./NotFoundPage').then((module) => ({ default: module.NotFoundPage })));

/** No such page; loaded when somebody gets lost. */
export function LazyNotFoundPage() {
  return (
    <Suspense fallback={null}>
      <Page />
    </Suspense>
  );
}
