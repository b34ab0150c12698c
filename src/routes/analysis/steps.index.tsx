import { createFileRoute } from '@tanstack/react-router';
import { use } from 'react';
import { LinearStartPage } from '../../features/labelling/linear/LinearStartPage';

export const Route = createFileRoute('/analysis/steps/')({ component: LinearStart });

function LinearStart() {
  const repositories = use(Route.useRouteContext().open());
  const navigate = Route.useNavigate();
  return (
    <LinearStartPage
      repositories={repositories}
      onGo={(image) =>
        void navigate({
          to: '/analysis/steps/$survey/$id/$step',
          params: { survey: image.survey.id, id: image.id, step: 'analysis' },
          replace: true,
        })
      }
    />
  );
}
