import { createFileRoute } from '@tanstack/react-router';
import { use } from 'react';
import { TrainingPage } from '../../features/analysis/TrainingPage';

export const Route = createFileRoute('/analysis/training')({ component: Training });

function Training() {
  return <TrainingPage repositories={use(Route.useRouteContext().open())} />;
}
