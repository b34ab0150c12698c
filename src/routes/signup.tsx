import { createFileRoute, useRouter } from '@tanstack/react-router';
import { use } from 'react';
import { SignUpPage } from '../features/auth/sign-up/SignUpPage';

/** `?handle=` of an event or organisation (1§6); the page reads it. */
const search = ({ handle }: Readonly<Record<string, unknown>>): { handle?: unknown } => ({ handle });

export const Route = createFileRoute('/signup')({ validateSearch: search, component: SignUp });

function SignUp() {
  const repositories = use(Route.useRouteContext().open());
  const router = useRouter();
  const { handle } = Route.useSearch();
  // 2§2: "After sign-in the user goes to the dashboard."; without one, back to the previous page.
  const goOn = (): void => {
    if (Object.hasOwn(router.routesByPath, '/dashboard')) router.history.push('/dashboard');
    else if (router.history.canGoBack()) router.history.back();
    else router.history.push('/surveys');
  };
  return <SignUpPage repositories={repositories} invitation={handle} onDone={goOn} />;
}
