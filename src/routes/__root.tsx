import { createRootRouteWithContext, Outlet } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import {
  AppShell,
  persistedStore,
  LostPage,
  NotesErrorBoundary,
  UnsupportedPage,
  type AppContext,
} from '../features/shell';

// Lazy, since it needs the tablet's data, which the first paint lacks.
const AuthPlace = lazy(() => import('../features/auth/AuthOverlayHost'));

export const Route = createRootRouteWithContext<AppContext>()({
  // The route parameter is read by `$region.tsx`. 3§2: "On every navigation the region and feature flags are taken from the URL."
  beforeLoad: ({ location }) => persistedStore.readUrl(undefined, location.search),
  component: Root,
  notFoundComponent: LostPage,
});

function Root() {
  const { readiness, update, open } = Route.useRouteContext();
  if (readiness.status !== 'ready') return <UnsupportedPage readiness={readiness} />;
  return (
    <AppShell update={update} open={open}>
      <Outlet />
      <NotesErrorBoundary>
        <Suspense fallback={null}>
          <AuthPlace open={open} />
        </Suspense>
      </NotesErrorBoundary>
    </AppShell>
  );
}
