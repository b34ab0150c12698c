import { useNavigate, useRouteContext } from '@tanstack/react-router';
import { use } from 'react';
import { AnalysePage } from '../features/analysis/AnalysePage';

/** Start page of analysis, at its own address and at that of a region. */
export function Analyse() {
  const { open } = useRouteContext({ from: '__root__' });
  const navigate = useNavigate();
  return (
    <AnalysePage
      repositories={use(open())}
      onStart={(way, { survey, id }, isExpert) =>
        void navigate({
          to:
            way === 'labels'
              ? '/analysis/ml/$survey/$id/{-$event}'
              : way === 'form'
                ? '/analysis/expert/$survey/$id'
                : isExpert
                  ? '/analysis/expert-image/$survey/$id'
                  : '/analysis/$survey/$id',
          params: { survey: survey.id, id },
        })
      }
    />
  );
}
