import { createFileRoute, notFound, Outlet } from '@tanstack/react-router';
import { use } from 'react';
import { regionNamed } from '../domain/region/region-id';
import { LostPage, persistedStore } from '../features/shell';

/**
 * 1§2: "The region is taken from a route parameter"; only an active region (1§6) has addresses of its own. The tablet's
 * data knows which are active; the frame of the app does not wait for it.
 */
export const Route = createFileRoute('/$region')({
  beforeLoad: ({ params, context, search }) => {
    const region = regionNamed(params.region, undefined);
    if (region === null) throw notFound();
    const isOpen = context.open().then(async ({ census }) => {
      const isActive = await census.regions.isActive(region);
      if (isActive) persistedStore.readUrl(region, search);
      return isActive;
    });
    // A failure shows where the page reads the result; the page may be left before.
    isOpen.catch(() => undefined);
    return { isOpen };
  },
  component: RegionPages,
});

function RegionPages() {
  return use(Route.useRouteContext().isOpen) ? <Outlet /> : <LostPage />;
}
