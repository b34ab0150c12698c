import { lazy, Suspense } from 'react';
import type { Repositories } from '../../../data/repositories';

// It stands below everything else: the first picture of a page does without it.
const PageFooterText = lazy(() => import('./PageFooterText'));

/** The foot of the long pages (3§2 "Navigation and footer"): whose facts the app shows, its version, and pages off the rail. Stands last in `main`. */
export function PageFooter({ repositories }: { readonly repositories: Pick<Repositories, 'reefs'> }) {
  return (
    <Suspense fallback={null}>
      <PageFooterText reefs={repositories.reefs} />
    </Suspense>
  );
}
