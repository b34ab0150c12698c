import { createFileRoute, Link } from '@tanstack/react-router';
import { use } from 'react';
import { PhotographsPage } from '../features/custody/PhotographsPage';

export const Route = createFileRoute('/photographs')({ component: Photographs });

function Photographs() {
  const repositories = use(Route.useRouteContext().open());
  return (
    <PhotographsPage
      repositories={repositories}
      linkTo={(surveyId, content) => (
        <Link to="/surveys/$surveyId" params={{ surveyId }}>
          {content}
        </Link>
      )}
      toConflicts={(words) => <Link to="/conflicts">{words}</Link>}
      toShore={(words) => (
        <Link to="/you" hash="shore">
          {words}
        </Link>
      )}
    />
  );
}
