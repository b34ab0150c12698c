import { createFileRoute, redirect } from '@tanstack/react-router';

/** The public home comes later; until then the crew's page is first. */
export const Route = createFileRoute('/')({
  beforeLoad: () => {
    throw redirect({ to: '/surveys', search: true, replace: true });
  },
});
