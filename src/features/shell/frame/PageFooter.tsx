import { lazy, Suspense } from 'react';
import type { Repositories } from '../../../data/repositories';

// Below everything else, so the first paint of a page does without it.
const PageFooterText = lazy(() => import('./PageFooterText'));

/** Footer of the long pages (3§2 "Navigation and footer"): data sources, version, pages off the rail. */
export function PageFooter({ repositories }: { readonly repositories: Pick<Repositories, 'census'> }) {
  return (
    <Suspense fallback={null}>
      <PageFooterText reefs={repositories.census.reefs} />
    </Suspense>
  );
}
