import { createFileRoute } from '@tanstack/react-router';
import { use } from 'react';
import { PhotographsPage } from '../features/custody/PhotographsPage';

export const Route = createFileRoute('/photographs')({ component: Photographs });

function Photographs() {
  return <PhotographsPage repositories={use(Route.useRouteContext().open())} />;
}
