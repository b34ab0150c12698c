import { createFileRoute, notFound } from '@tanstack/react-router';
import { regionNamed } from '../domain/region/region-id';
import { persistedStore } from '../features/shell';
import { Report } from './-report';
import { reportSearch } from './-report-search';

/**
 * 3§2: the report of a region. Not within `$region.tsx`: the page itself has notes for an unknown or closed region,
 * with links.
 */
export const Route = createFileRoute('/$region_/detailed-reporting/{-$datasetId}/{-$subroute}')({
  validateSearch: reportSearch,
  beforeLoad: ({ params: { region, subroute }, context, search }) => {
    if (subroute !== undefined && subroute !== 'priority') throw notFound();
    const known = regionNamed(region, undefined);
    if (known === null) return;
    // 1§2: an active region of an address becomes the chosen one.
    context.open().then(
      async ({ census }) => {
        if (await census.regions.isActive(known)) persistedStore.readUrl(known, search);
      },
      () => undefined,
    );
  },
  component: RegionReport,
});

function RegionReport() {
  const { region, datasetId, subroute } = Route.useParams();
  return <Report region={region} datasetId={datasetId} subroute={subroute} search={Route.useSearch()} />;
}
