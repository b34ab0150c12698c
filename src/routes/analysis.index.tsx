import { createFileRoute, Link } from '@tanstack/react-router';
import { use } from 'react';
import { AnalysePage } from '../features/analysis/AnalysePage';

export const Route = createFileRoute('/analysis/')({ component: Analyse });

function Analyse() {
  const repositories = use(Route.useRouteContext().open());
  const navigate = Route.useNavigate();
  return (
    <AnalysePage
      repositories={repositories}
      onTrace={(survey, id) => void navigate({ to: '/analysis/$survey/$id', params: { survey, id } })}
      toSurvey={(surveyId, content) => (
        <Link to="/surveys/$surveyId" params={{ surveyId }}>
          {content}
        </Link>
      )}
      toOwnAnalyses={(words) => <Link to="/dashboard">{words}</Link>}
      toTrace={(survey, id, content) => (
        <Link to="/analysis/$survey/$id" params={{ survey, id }}>
          {content}
        </Link>
      )}
      onExpert={(place, survey, id) =>
        void navigate({
          to: place === 'form' ? '/analysis/expert/$survey/$id' : '/analysis/expert-image/$survey/$id',
          params: { survey, id },
        })
      }
      toTraining={(words) => <Link to="/analysis/training">{words}</Link>}
      signUp={(words, className) => (
        <Link to="/signup" className={className}>
          {words}
        </Link>
      )}
    />
  );
}
