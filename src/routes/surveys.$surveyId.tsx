import { createFileRoute, notFound } from '@tanstack/react-router';
import { use } from 'react';
import { idSchema, type SurveyId } from '../domain/ids';
import { SurveyPage } from '../features/capture/SurveyPage';
import { BackLink } from '../features/shell';

export const Route = createFileRoute('/surveys/$surveyId')({
  beforeLoad: ({ params }) => {
    if (!idSchema.safeParse(params.surveyId).success) throw notFound();
  },
  component: Survey,
});

function Survey() {
  const repositories = use(Route.useRouteContext().open());
  const { surveyId } = Route.useParams();
  return <SurveyPage repositories={repositories} surveyId={surveyId as SurveyId} back={<BackLink to="/surveys" name="Back to the surveys" />} />;
}
