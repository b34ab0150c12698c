import { createRootRouteWithContext, Outlet } from '@tanstack/react-router';
import { AppShell, LostPage, RefusalPage, type AppContext } from '../features/shell';

export const Route = createRootRouteWithContext<AppContext>()({ component: Root, notFoundComponent: LostPage });

function Root() {
  const { readiness, update } = Route.useRouteContext();
  if (readiness.status !== 'ready') return <RefusalPage readiness={readiness} />;
  return (
    <AppShell update={update}>
      <Outlet />
    </AppShell>
  );
}
