import { createFileRoute, notFound } from '@tanstack/react-router';
import { use } from 'react';
import { isId } from '../../domain/id-shape';
import type { AnalysisId, SurveyId } from '../../domain/ids';
import { ViewedAnalysisPage } from '../../features/labelling/ViewedAnalysisPage';

export const Route = createFileRoute('/analysis/library/$survey_/$analysis')({
  beforeLoad: ({ params: { survey } }) => {
    if (!isId(survey)) throw notFound();
  },
  component: Viewed,
});

function Viewed() {
  const { survey, analysis } = Route.useParams();
  return (
    <ViewedAnalysisPage
      repositories={use(Route.useRouteContext().open())}
      surveyId={survey as SurveyId}
      analysisId={analysis as AnalysisId}
    />
  );
}
