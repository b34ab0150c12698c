import { lazy, Suspense, type ComponentProps } from 'react';
import type { PersonForm } from './PersonForm';

const Form = lazy(() => import('./PersonForm').then((module) => ({ default: module.PersonForm })));

/** The form, loaded when nobody is at the tablet yet: most starts need none. */
export function LazyPersonForm(props: ComponentProps<typeof PersonForm>) {
  return (
    <Suspense fallback={null}>
      <Form {...props} />
    </Suspense>
  );
}
