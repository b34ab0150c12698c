import { createFileRoute, notFound } from '@tanstack/react-router';
import { use } from 'react';
import { isId } from '../../domain/id-shape';
import type { ImageId, SurveyId } from '../../domain/ids';
import { TracePage } from '../../features/analysis/TracePage';

export const Route = createFileRoute('/analysis/$survey/$id')({
  beforeLoad: ({ params: { survey, id } }) => {
    if (!isId(survey) || !isId(id)) throw notFound();
  },
  component: Trace,
});

function Trace() {
  const repositories = use(Route.useRouteContext().open());
  const { survey, id } = Route.useParams();
  const navigate = Route.useNavigate();
  return (
    <TracePage
      repositories={repositories}
      surveyId={survey as SurveyId}
      imageId={id as ImageId}
      onGo={(image) =>
        void navigate({ to: '/analysis/$survey/$id', params: { survey: image.survey.id, id: image.id } })
      }
    />
  );
}
