import { lazy, Suspense, use, useEffect } from 'react';
import { needsName } from '../../domain/user/user';
import { useObservable, type AppContext } from '../shell';
import { AuthErrorBoundary } from './AuthErrorBoundary';
import { overlay, useOverlay } from './overlay-state';

const AuthOverlay = lazy(() => import('./AuthOverlay'));

/** Host of the overlay, mounted once. Its screens load on first opening. */
export default function AuthOverlayHost({ open }: Pick<AppContext, 'open'>) {
  const repositories = use(open());
  const {
    account: { people, profile },
  } = repositories;
  const person = useObservable(people.current);
  const request = useOverlay();
  // 3§4: "The profile form opens when the name is missing or the first name is 'Anonymous'."
  const unnamedUid = person !== null && needsName(person) ? person.uid : null;
  useEffect(() => profile.follow(), [profile]);
  useEffect(() => {
    if (unnamedUid !== null) overlay.open({ show: 'profile' });
  }, [unnamedUid]);
  if (request === null) return null;
  return (
    <AuthErrorBoundary key={request.openingId}>
      <Suspense fallback={null}>
        <AuthOverlay repositories={repositories} request={request} />
      </Suspense>
    </AuthErrorBoundary>
  );
}
