import { createFileRoute } from '@tanstack/react-router';
import { use } from 'react';
import { SurveysPage } from '../../features/survey/list/SurveysPage';

export const Route = createFileRoute('/surveys/')({ component: Surveys });

function Surveys() {
  const repositories = use(Route.useRouteContext().open());
  const navigate = Route.useNavigate();
  return (
    <SurveysPage
      repositories={repositories}
      onOpen={(surveyId) => void navigate({ to: '/surveys/$surveyId', params: { surveyId } })}
    />
  );
}
