import { createFileRoute, useRouter } from '@tanstack/react-router';
import { use, useState } from 'react';
import { mailedLink } from '../features/auth';
import { SignInLinkPage } from '../features/auth/SignInLinkPage';

export const Route = createFileRoute('/sign-in')({ component: SignInLink });

function SignInLink() {
  const { account } = use(Route.useRouteContext().open());
  const router = useRouter();
  const [link] = useState(() => mailedLink(router.state.location.hash || router.state.location.searchStr));
  return <SignInLinkPage account={account} link={link} onDone={(path) => router.history.replace(path)} />;
}
