import { createFileRoute, redirect } from '@tanstack/react-router';

/** 2§2: "The old analysis route name redirects to analysis with the same params." */
export const Route = createFileRoute('/analysis-old/$survey/$id')({
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/analysis/$survey/$id', params, search: true, hash: true, replace: true });
  },
});
