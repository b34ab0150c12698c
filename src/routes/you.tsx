import { createFileRoute, Link } from '@tanstack/react-router';
import { use } from 'react';
import { YouPage } from '../features/auth/account/YouPage';

export const Route = createFileRoute('/you')({ component: You });

function You() {
  return (
    <YouPage
      repositories={use(Route.useRouteContext().open())}
      toPhotographs={(words) => (
        <Link to="/photographs" hash="space">
          {words}
        </Link>
      )}
      toAdmin={(words) => <Link to="/admin">{words}</Link>}
    />
  );
}
