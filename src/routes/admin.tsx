import { createFileRoute, Link } from '@tanstack/react-router';
import { use } from 'react';
import { AdminPage } from '../features/admin/AdminPage';
import { BackLink } from '../features/shell';

export const Route = createFileRoute('/admin')({ component: Admin });

function Admin() {
  return (
    <AdminPage
      repositories={use(Route.useRouteContext().open())}
      back={<BackLink to="/you" name="Back to You" />}
      toShore={(words) => (
        <Link to="/you" hash="shore">
          {words}
        </Link>
      )}
    />
  );
}
