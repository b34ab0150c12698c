import { createFileRoute, Link, notFound } from '@tanstack/react-router';
import { use } from 'react';
import { isId } from '../domain/id-shape';
import type { SurveyId } from '../domain/ids';
import { LibraryPage } from '../features/analysis/LibraryPage';
import { BackLink } from '../features/shell';

export const Route = createFileRoute('/analysis/library/$survey')({
  beforeLoad: ({ params: { survey } }) => {
    if (!isId(survey)) throw notFound();
  },
  component: Library,
});

function Library() {
  const { survey } = Route.useParams();
  return (
    <LibraryPage
      repositories={use(Route.useRouteContext().open())}
      surveyId={survey as SurveyId}
      back={<BackLink to="/analysis" name="Back to Analyse" />}
      linkTo={({ survey: { id }, imageId }, content) => (
        <Link to="/analysis/$survey/$id" params={{ survey: id, id: imageId }}>
          {content}
        </Link>
      )}
    />
  );
}
