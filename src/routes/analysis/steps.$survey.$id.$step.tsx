import { createFileRoute, notFound } from '@tanstack/react-router';
import { use } from 'react';
import { isId } from '../../domain/id-shape';
import type { ImageId, SurveyId } from '../../domain/ids';
import { LinearFlowPage } from '../../features/labelling/linear/LinearFlowPage';

/** 2§2: steps of the older linear flow, "route names may carry a survey- prefix". */
export const Route = createFileRoute('/analysis/steps/$survey/$id/$step')({
  beforeLoad: ({ params: { survey, id, step } }) => {
    if (!isId(survey) || !isId(id) || !/^(survey-)?(analysis|labels|domination|coral-?level|success)$/i.test(step))
      throw notFound();
  },
  component: LinearFlow,
});

function LinearFlow() {
  const repositories = use(Route.useRouteContext().open());
  const { survey, id, step } = Route.useParams();
  const navigate = Route.useNavigate();
  const go = (surveyId: string, imageId: string, to: string) =>
    void navigate({ to: '/analysis/steps/$survey/$id/$step', params: { survey: surveyId, id: imageId, step: to } });
  return (
    <LinearFlowPage
      repositories={repositories}
      surveyId={survey as SurveyId}
      imageId={id as ImageId}
      routeName={step}
      onStep={(next) => go(survey, id, next)}
      onGo={(image) => go(image.survey.id, image.id, 'analysis')}
    />
  );
}
