import { createFileRoute } from '@tanstack/react-router';
import { use } from 'react';
import { AnalysePage } from '../features/analysis/AnalysePage';

export const Route = createFileRoute('/analysis/')({ component: Analyse });

function Analyse() {
  const repositories = use(Route.useRouteContext().open());
  const navigate = Route.useNavigate();
  return (
    <AnalysePage
      repositories={repositories}
      onTrace={(survey, id) => void navigate({ to: '/analysis/$survey/$id', params: { survey, id } })}
      onExpert={(place, survey, id) =>
        void navigate({
          to: place === 'form' ? '/analysis/expert/$survey/$id' : '/analysis/expert-image/$survey/$id',
          params: { survey, id },
        })
      }
    />
  );
}
