import { createFileRoute, useRouter } from '@tanstack/react-router';
import { use } from 'react';
import { SignUpPage } from '../features/auth/SignUpPage';

export const Route = createFileRoute('/signup')({ component: SignUp });

function SignUp() {
  const repositories = use(Route.useRouteContext().open());
  const router = useRouter();
  // 2§2: "After sign-in the user goes to the dashboard."; without one, where the person came from.
  const goOn = (): void => {
    if (Object.hasOwn(router.routesByPath, '/dashboard')) router.history.push('/dashboard');
    else if (router.history.canGoBack()) router.history.back();
    else router.history.push('/surveys');
  };
  return <SignUpPage repositories={repositories} onDone={goOn} />;
}
