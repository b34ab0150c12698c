import { createFileRoute, Link } from '@tanstack/react-router';
import { use } from 'react';
import { BackLink } from '../features/shell';
import { ConflictsPage } from '../features/survey/conflicts/ConflictsPage';

export const Route = createFileRoute('/conflicts')({ component: Conflicts });

function Conflicts() {
  return (
    <ConflictsPage
      repositories={use(Route.useRouteContext().open())}
      back={<BackLink to="/surveys" name="Back to the surveys" />}
      linkTo={(surveyId, content) => (
        <Link to="/surveys/$surveyId" params={{ surveyId }}>
          {content}
        </Link>
      )}
    />
  );
}
