import { createFileRoute, Link } from '@tanstack/react-router';
import { use, type ReactNode } from 'react';
import { TrainingPage } from '../features/analysis/TrainingPage';

export const Route = createFileRoute('/analysis/training')({ component: Training });

const back = (content: ReactNode, className: string, name: string) => (
  <Link to="/analysis" className={className} aria-label={name}>
    {content}
  </Link>
);
const onward = (words: string) => <Link to="/analysis">{words}</Link>;

function Training() {
  return <TrainingPage repositories={use(Route.useRouteContext().open())} back={back} onward={onward} />;
}
