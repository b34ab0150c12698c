import { createFileRoute, useRouter } from '@tanstack/react-router';
import { use, useState } from 'react';
import { SignInLinkPage } from '../features/auth/sign-in/SignInLinkPage';

export const Route = createFileRoute('/sign-in')({ component: SignInLink });

function SignInLink() {
  const { account } = use(Route.useRouteContext().open());
  const router = useRouter();
  const [text] = useState(() => router.state.location.hash || router.state.location.searchStr);
  // 3§2: "If signed in via email link and the path is /signup, go to dashboard."; without one, to the surveys.
  const home = Object.hasOwn(router.routesByPath, '/dashboard') ? '/dashboard' : '/surveys';
  const goOn = (path: string): void => router.history.replace(/^\/signup([/?#]|$)/.test(path) ? home : path);
  return <SignInLinkPage account={account} text={text} onDone={goOn} />;
}
