import { createFileRoute, notFound } from '@tanstack/react-router';
import { use } from 'react';
import { isId } from '../../domain/id-shape';
import type { SurveyId } from '../../domain/ids';
import { CapturePage } from '../../features/capture/CapturePage';

export const Route = createFileRoute('/surveys/$surveyId')({
  beforeLoad: ({ params }) => {
    if (!isId(params.surveyId)) throw notFound();
  },
  component: Survey,
});

function Survey() {
  const repositories = use(Route.useRouteContext().open());
  const { surveyId } = Route.useParams();
  return <CapturePage repositories={repositories} surveyId={surveyId as SurveyId} />;
}
