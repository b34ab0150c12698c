import { lazy, Suspense, type ComponentProps } from 'react';
import type { SignInButton } from './SignInButton';

const Button = lazy(() => import('./SignInButton').then((module) => ({ default: module.SignInButton })));

export function LazySignInButton(props: ComponentProps<typeof SignInButton>) {
  return (
    <Suspense fallback={null}>
      <Button {...props} />
    </Suspense>
  );
}
