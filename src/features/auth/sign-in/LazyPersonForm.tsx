import { lazy, Suspense, type ComponentProps } from 'react';
import type { PersonForm } from './PersonForm';

const Form = lazy(() => import('./PersonForm').then((module) => ({ default: module.PersonForm })));

/** Lazily loaded person form: most starts need none. */
export function LazyPersonForm(props: ComponentProps<typeof PersonForm>) {
  return (
    <Suspense fallback={null}>
      <Form {...props} />
    </Suspense>
  );
}
