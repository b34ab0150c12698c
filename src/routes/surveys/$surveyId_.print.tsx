import { createFileRoute, notFound } from '@tanstack/react-router';
import { use } from 'react';
import { isId } from '../../domain/id-shape';
import type { SurveyId } from '../../domain/ids';
import { PrintPage } from '../../features/capture/sheet/PrintPage';

export const Route = createFileRoute('/surveys/$surveyId_/print')({
  beforeLoad: ({ params }) => {
    if (!isId(params.surveyId)) throw notFound();
  },
  component: Print,
});

function Print() {
  const repositories = use(Route.useRouteContext().open());
  const { surveyId } = Route.useParams();
  return <PrintPage repositories={repositories} surveyId={surveyId as SurveyId} />;
}
