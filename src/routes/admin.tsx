import { createFileRoute } from '@tanstack/react-router';
import { use } from 'react';
import { AdminPage } from '../features/admin/AdminPage';

export const Route = createFileRoute('/admin')({ component: Admin });

function Admin() {
  return <AdminPage repositories={use(Route.useRouteContext().open())} />;
}
