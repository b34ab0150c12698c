import { createFileRoute, notFound } from '@tanstack/react-router';
import { Report } from '../-report';
import { reportSearch } from '../-report-search';

/** 3§2 report: `/detailed-reporting/:datasetId?/:subroute(priority)?`. */
export const Route = createFileRoute('/detailed-reporting/{-$datasetId}/{-$subroute}')({
  validateSearch: reportSearch,
  beforeLoad: ({ params: { subroute } }) => {
    if (subroute !== undefined && subroute !== 'priority') throw notFound();
  },
  component: OwnReport,
});

function OwnReport() {
  const { datasetId, subroute } = Route.useParams();
  return <Report datasetId={datasetId} subroute={subroute} search={Route.useSearch()} />;
}
