import { useLocation } from '@tanstack/react-router';
import { lazy, Suspense, use, useEffect } from 'react';
import { needsName } from '../../domain/user/user';
import { useObservable, type AppContext } from '../shell';
import { AuthErrorBoundary } from './AuthErrorBoundary';
import { mayPrompt, noteAsked, promptFacts } from './name-prompt';
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
  const path = useLocation({ select: ({ pathname }) => pathname });
  useEffect(() => {
    if (unnamedUid === null) return;
    // A sign-in that is open goes on to the profile, and so has asked.
    const isOpen = overlay.get() !== null;
    if (!isOpen && !mayPrompt(promptFacts(path, unnamedUid))) return;
    noteAsked(unnamedUid);
    if (!isOpen) overlay.open({ show: 'profile' });
  }, [unnamedUid, path]);
  if (request === null) return null;
  return (
    <AuthErrorBoundary key={request.openingId}>
      <Suspense fallback={null}>
        <AuthOverlay repositories={repositories} request={request} />
      </Suspense>
    </AuthErrorBoundary>
  );
}
