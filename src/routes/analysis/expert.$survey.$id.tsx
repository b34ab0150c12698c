import { createFileRoute, notFound } from '@tanstack/react-router';
import { use } from 'react';
import { isId } from '../../domain/id-shape';
import type { AnalysisId, ImageId, SurveyId } from '../../domain/ids';
import { ExpertPage } from '../../features/analysis/ExpertPage';

export const Route = createFileRoute('/analysis/expert/$survey/$id')({
  /** `?of=`: form of someone else, view only. */
  validateSearch: ({ of }: Record<string, unknown>): { of?: AnalysisId } =>
    typeof of === 'string' && of !== '' ? { of: of as AnalysisId } : {},
  beforeLoad: ({ params: { survey, id } }) => {
    if (!isId(survey) || !isId(id)) throw notFound();
  },
  component: Expert,
});

function Expert() {
  const repositories = use(Route.useRouteContext().open());
  const { survey, id } = Route.useParams();
  const { of } = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <ExpertPage
      repositories={repositories}
      surveyId={survey as SurveyId}
      imageId={id as ImageId}
      of={of}
      onGo={(image) =>
        void navigate({ to: '/analysis/expert/$survey/$id', params: { survey: image.survey.id, id: image.id } })
      }
      onNextImage={(image) =>
        void navigate({ to: '/analysis/expert-image/$survey/$id', params: { survey: image.survey.id, id: image.id } })
      }
    />
  );
}
