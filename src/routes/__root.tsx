import { createRootRouteWithContext, Outlet } from '@tanstack/react-router';
import { AppShell, keptParts, LostPage, RefusalPage, type AppContext } from '../features/shell';

export const Route = createRootRouteWithContext<AppContext>()({
  // 3§2: "On every navigation the region and feature flags are taken from the URL."
  beforeLoad: ({ location, params }) => keptParts.readUrl((params as { region?: unknown }).region, location.search),
  component: Root,
  notFoundComponent: LostPage,
});

function Root() {
  const { readiness, update, open } = Route.useRouteContext();
  if (readiness.status !== 'ready') return <RefusalPage readiness={readiness} />;
  return (
    <AppShell update={update} open={open}>
      <Outlet />
    </AppShell>
  );
}
