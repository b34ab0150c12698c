import { createFileRoute, notFound } from '@tanstack/react-router';
import { use } from 'react';
import { eventHandle } from '../../domain/event/event-handle';
import { isId } from '../../domain/id-shape';
import type { ImageId, SurveyId } from '../../domain/ids';
import { LabellingPage } from '../../features/labelling/LabellingPage';

/** 2§2 analysis-ml-labels: `ml/:survey/:id/:event?`; the optional version is a query parameter. */
export const Route = createFileRoute('/analysis/ml/$survey/$id/{-$event}')({
  validateSearch: ({ version }: Record<string, unknown>): { version?: number } => {
    const asked = Number(version);
    return Number.isFinite(asked) && asked > 0 ? { version: asked } : {};
  },
  beforeLoad: ({ params: { survey, id, event } }) => {
    if (!isId(survey) || !isId(id) || (event !== undefined && eventHandle(event) === undefined)) throw notFound();
  },
  component: Labelling,
});

function Labelling() {
  const repositories = use(Route.useRouteContext().open());
  const { survey, id, event } = Route.useParams();
  const { version } = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <LabellingPage
      repositories={repositories}
      surveyId={survey as SurveyId}
      imageId={id as ImageId}
      version={version}
      event={event === undefined ? undefined : eventHandle(event)}
      onGo={(image) =>
        void navigate({
          to: '/analysis/ml/$survey/$id/{-$event}',
          params: { survey: image.survey.id, id: image.id, event },
          // The next photograph has the version of its own region.
          search: {},
        })
      }
    />
  );
}
