import { createFileRoute, redirect } from '@tanstack/react-router';

/** The surveys are the home of the crew's app for as long as there is no public home. */
export const Route = createFileRoute('/')({
  beforeLoad: () => {
    throw redirect({ to: '/surveys', replace: true });
  },
});
