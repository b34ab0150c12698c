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
      onTrace={(survey, id) => void navigate({ to: '/analysis/$survey/$id', params: { survey, id } })}
      onExpert={(place, survey, id) =>
        void navigate({
          to: place === 'form' ? '/analysis/expert/$survey/$id' : '/analysis/expert-image/$survey/$id',
          params: { survey, id },
        })
      }
    />
  );
}
