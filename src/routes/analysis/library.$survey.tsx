import { createFileRoute, notFound } from '@tanstack/react-router';
import { use } from 'react';
import { isId } from '../../domain/id-shape';
import type { SurveyId } from '../../domain/ids';
import { LibraryPage } from '../../features/analysis/LibraryPage';

export const Route = createFileRoute('/analysis/library/$survey')({
  beforeLoad: ({ params: { survey } }) => {
    if (!isId(survey)) throw notFound();
  },
  component: Library,
});

function Library() {
  const { survey } = Route.useParams();
  return <LibraryPage repositories={use(Route.useRouteContext().open())} surveyId={survey as SurveyId} />;
}
