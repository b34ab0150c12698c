import { createFileRoute, Link, notFound, useRouter } from '@tanstack/react-router';
import { use } from 'react';
import { isId } from '../domain/id-shape';
import type { ImageId, SurveyId } from '../domain/ids';
import { TracePage } from '../features/analysis/TracePage';

export const Route = createFileRoute('/analysis/$survey/$id')({
  beforeLoad: ({ params: { survey, id } }) => {
    if (!isId(survey) || !isId(id)) throw notFound();
  },
  component: Trace,
});

function Trace() {
  const repositories = use(Route.useRouteContext().open());
  const { survey, id } = Route.useParams();
  const navigate = Route.useNavigate();
  const router = useRouter();
  /** A place that further parts of the app bring. */
  const link = (path: string, words: string) => <a href={router.history.createHref(path)}>{words}</a>;
  return (
    <TracePage
      repositories={repositories}
      surveyId={survey as SurveyId}
      imageId={id as ImageId}
      links={{
        back: (content, className, name) => (
          <Link to="/analysis" className={className} aria-label={name}>
            {content}
          </Link>
        ),
        leave: (words) => <Link to="/analysis">{words}</Link>,
        signUp: (words, className) => (
          <Link to="/signup" className={className}>
            {words}
          </Link>
        ),
        dashboard: Object.hasOwn(router.routesByPath, '/dashboard') ? (words) => link('/dashboard', words) : null,
        library: Object.hasOwn(router.routesByPath, '/analysis/library/$survey') ? (image, words) => link(`/analysis/library/${image.survey.id}`, words) : null,
      }}
      onGo={(image) => void navigate({ to: '/analysis/$survey/$id', params: { survey: image.survey.id, id: image.id } })}
    />
  );
}
