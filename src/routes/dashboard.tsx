import { createFileRoute } from '@tanstack/react-router';
import { use } from 'react';
import { OwnAnalysesPage } from '../features/analysis/OwnAnalysesPage';

export const Route = createFileRoute('/dashboard')({ component: Dashboard });

function Dashboard() {
  return <OwnAnalysesPage repositories={use(Route.useRouteContext().open())} />;
}
