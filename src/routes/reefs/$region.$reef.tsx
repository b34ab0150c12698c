import { createFileRoute, notFound } from '@tanstack/react-router';
import { use } from 'react';
import { regionNamed } from '../../domain/region/region-id';
import { reefSearch } from '../../features/reef-page';
import { ReefPage } from '../../features/reef-page/ReefPage';

export const Route = createFileRoute('/reefs/$region/$reef')({
  validateSearch: reefSearch,
  beforeLoad: ({ params: { region } }) => {
    if (regionNamed(region, undefined) === null) throw notFound();
  },
  component: Reef,
});

function Reef() {
  const { region, reef } = Route.useParams();
  const navigate = Route.useNavigate();
  const repositories = use(Route.useRouteContext().open());
  const regionId = regionNamed(region, undefined);
  if (regionId === null) throw notFound();
  return (
    <ReefPage
      repositories={repositories}
      regionId={regionId}
      featureId={reef}
      search={Route.useSearch()}
      onSearch={(search) => void navigate({ search, resetScroll: false })}
    />
  );
}
