import { createFileRoute, Link } from '@tanstack/react-router';
import { use } from 'react';
import { OwnAnalysesPage } from '../features/analysis/OwnAnalysesPage';
import { BackLink } from '../features/shell';

export const Route = createFileRoute('/dashboard')({ component: Dashboard });

function Dashboard() {
  return (
    <OwnAnalysesPage
      repositories={use(Route.useRouteContext().open())}
      back={<BackLink to="/analysis" name="Back to Analyse" />}
      toAnalyse={(words) => <Link to="/analysis">{words}</Link>}
      linkTo={(place, { survey, imageId }, content) => {
        const params = { survey: survey.id, id: imageId };
        switch (place) {
          case 'form':
            return (
              <Link to="/analysis/expert/$survey/$id" params={params}>
                {content}
              </Link>
            );
          case 'version-1':
            return (
              <Link to="/analysis/expert-image/$survey/$id" params={params} search={{ v: 1 }}>
                {content}
              </Link>
            );
          case 'trace':
            return (
              <Link to="/analysis/$survey/$id" params={params}>
                {content}
              </Link>
            );
        }
      }}
    />
  );
}
