import { createFileRoute } from '@tanstack/react-router';
import { use } from 'react';
import { ClockPage } from '../features/vessel/ClockPage';

export const Route = createFileRoute('/box/clock')({ component: Clock });

function Clock() {
  return <ClockPage repositories={use(Route.useRouteContext().open())} />;
}
