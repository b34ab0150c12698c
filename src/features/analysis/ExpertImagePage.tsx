import { Link } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { ExpertsOnly } from './expert/ExpertsOnly';
import { TracePage } from './TracePage';
import { useAnalyst } from './access/use-analyst';

/**
 * Screen `analysis-expert-image` (2§2): tracing for experts in advanced mode (2§4), "with a v1 view". Writes version 1:
 * GeoJSON as text, lines and fills alone.
 */
export function ExpertImagePage(props: ComponentProps<typeof TracePage>) {
  const { repositories, surveyId, imageId, version } = props;
  const params = { survey: surveyId, id: imageId };
  const { uid, roles } = useAnalyst(repositories);
  if (roles === null) return null;
  // After sign-in the requested photograph opens.
  return uid !== null && roles.isExpert ? (
    <TracePage
      {...props}
      moreLinks={
        <>
          <Link to="/analysis/expert/$survey/$id" params={params}>
            Percentages
          </Link>
          <Link to="/analysis/expert-image/$survey/$id" params={params} search={version === 1 ? {} : { v: 1 }}>
            {version === 1 ? 'View of version 3' : 'View of version 1'}
          </Link>
        </>
      }
    />
  ) : (
    <ExpertsOnly isSignedIn={uid !== null} />
  );
}
