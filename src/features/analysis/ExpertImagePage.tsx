import type { ComponentProps } from 'react';
import { useObservable } from '../shell';
import { ExpertsOnly } from './expert/ExpertsOnly';
import { TracePage } from './TracePage';
import { useRoles } from './access/use-roles';

/**
 * Screen `analysis-expert-image` (2§2): tracing for experts in advanced mode (2§4), "with a v1 view". Writes version 1:
 * GeoJSON as text, lines and fills alone.
 */
export function ExpertImagePage(props: ComponentProps<typeof TracePage>) {
  const { repositories, links } = props;
  const uid = useObservable(repositories.people.current)?.uid ?? null;
  const roles = useRoles(repositories.analyses, uid);
  if (roles === null) return null;
  // After sign-in the requested photograph opens.
  return uid !== null && roles.isExpert ? (
    <TracePage {...props} />
  ) : (
    <ExpertsOnly isSignedIn={uid !== null} leave={links.leave} />
  );
}
