import { createFileRoute, notFound } from '@tanstack/react-router';
import { use } from 'react';
import { isId } from '../../domain/id-shape';
import type { ImageId, SurveyId } from '../../domain/ids';
import { ExpertImagePage } from '../../features/analysis/ExpertImagePage';

export const Route = createFileRoute('/analysis/expert-image/$survey/$id')({
  /** `?v=1`: the view of version 1 (2§2). */
  validateSearch: ({ v }: Record<string, unknown>): { v?: 1 } => (v === 1 || v === '1' ? { v: 1 } : {}),
  beforeLoad: ({ params: { survey, id } }) => {
    if (!isId(survey) || !isId(id)) throw notFound();
  },
  component: ExpertImage,
});

function ExpertImage() {
  const repositories = use(Route.useRouteContext().open());
  const { survey, id } = Route.useParams();
  const { v } = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <ExpertImagePage
      key={v ?? 3}
      repositories={repositories}
      surveyId={survey as SurveyId}
      imageId={id as ImageId}
      version={v ?? 3}
      onGo={(image) =>
        void navigate({
          to: '/analysis/expert-image/$survey/$id',
          params: { survey: image.survey.id, id: image.id },
          search: v === 1 ? { v: 1 } : {},
        })
      }
    />
  );
}
