import { createFileRoute } from '@tanstack/react-router';
import { use } from 'react';
import { BoxPage } from '../features/vessel/BoxPage';

export const Route = createFileRoute('/box')({ component: Box });

function Box() {
  const { open, servedBy } = Route.useRouteContext();
  return <BoxPage repositories={use(open())} servedBy={servedBy} />;
}
