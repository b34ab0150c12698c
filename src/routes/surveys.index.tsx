import { createFileRoute, Link } from '@tanstack/react-router';
import { use } from 'react';
import { SurveysPage } from '../features/survey/list/SurveysPage';

export const Route = createFileRoute('/surveys/')({ component: Surveys });

function Surveys() {
  const repositories = use(Route.useRouteContext().open());
  const navigate = Route.useNavigate();
  return (
    <SurveysPage
      repositories={repositories}
      onOpen={(surveyId) => void navigate({ to: '/surveys/$surveyId', params: { surveyId } })}
      linkTo={(surveyId, content) => (
        <Link to="/surveys/$surveyId" params={{ surveyId }}>
          {content}
        </Link>
      )}
      toBox={(words) => <Link to="/box">{words}</Link>}
      toConflicts={(words) => <Link to="/conflicts">{words}</Link>}
    />
  );
}
