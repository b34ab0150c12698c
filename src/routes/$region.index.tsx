import { createFileRoute, redirect } from '@tanstack/react-router';

/** 2§2: "/gbr redirects to /gbr/analysis and /hawaii to /hawaii/analysis." */
export const Route = createFileRoute('/$region/')({
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$region/analysis', params, search: true, hash: true, replace: true });
  },
});
