import { createFileRoute } from '@tanstack/react-router';
import { use } from 'react';
import { ConflictsPage } from '../features/survey/conflicts/ConflictsPage';

export const Route = createFileRoute('/conflicts')({ component: Conflicts });

function Conflicts() {
  return <ConflictsPage repositories={use(Route.useRouteContext().open())} />;
}
