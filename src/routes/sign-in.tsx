import { createFileRoute, useRouter } from '@tanstack/react-router';
import { use, useState } from 'react';
import { SignInLinkPage } from '../features/auth/sign-in/SignInLinkPage';

export const Route = createFileRoute('/sign-in')({ component: SignInLink });

function SignInLink() {
  const { account } = use(Route.useRouteContext().open());
  const router = useRouter();
  const [text] = useState(() => router.state.location.hash || router.state.location.searchStr);
  // Without a dashboard, to the surveys.
  const home = Object.hasOwn(router.routesByPath, '/dashboard') ? '/dashboard' : '/surveys';
  return <SignInLinkPage account={account} text={text} home={home} onDone={(path) => router.history.replace(path)} />;
}
