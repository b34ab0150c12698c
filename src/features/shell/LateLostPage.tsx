import { lazy, Suspense } from 'react';

const Page = lazy(() => import('./LostPage').then((module) => ({ default: module.LostPage })));

/** No such page; loaded when somebody gets lost. */
export function LateLostPage() {
  return (
    <Suspense fallback={null}>
      <Page />
    </Suspense>
  );
}
