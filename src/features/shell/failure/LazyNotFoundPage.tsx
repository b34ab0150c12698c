import { lazy, Suspense } from 'react';

const Page = lazy(() => import('./NotFoundPage').then((module) => ({ default: module.NotFoundPage })));

export function LazyNotFoundPage() {
  return (
    <Suspense fallback={null}>
      <Page />
    </Suspense>
  );
}
