import { createFileRoute } from '@tanstack/react-router';
import { use } from 'react';
import { YouPage } from '../features/auth/account/YouPage';

export const Route = createFileRoute('/you')({ component: You });

function You() {
  return <YouPage repositories={use(Route.useRouteContext().open())} />;
}
