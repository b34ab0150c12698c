import { createFileRoute, notFound } from '@tanstack/react-router';
import { regionNamed } from '../domain/region/region-id';
import { persistedStore } from '../features/shell';

/** 1§2: "The region is taken from a route parameter"; only an active region (1§6) has addresses of its own. */
export const Route = createFileRoute('/$region')({
  beforeLoad: async ({ params, context, search }) => {
    const region = regionNamed(params.region, undefined);
    if (region === null || !(await (await context.open()).census.regions.isActive(region))) throw notFound();
    persistedStore.readUrl(region, search);
  },
});
