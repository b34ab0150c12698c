import { useRouteContext, useRouter } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { regionNamed } from '../domain/region/region-id';
import { useRegion } from '../features/shell';
import { ReportPage } from '../features/report-map/ReportPage';
import type { ReportSearch } from './-report-search';

interface Props {
  /** Region of the address, if it names one. */
  readonly region?: string;
  readonly datasetId: string | undefined;
  readonly subroute: string | undefined;
  readonly search: ReportSearch;
}

/** 3§2: the report, "also under /:region/"; without a region in the address, of the chosen one. */
export function Report({ region, datasetId, subroute, search }: Props) {
  const { open } = useRouteContext({ from: '__root__' });
  const router = useRouter();
  const chosen = useRegion();
  const place = useMemo(
    () => ({ datasetId, isPriority: subroute !== undefined, query: search }),
    [datasetId, subroute, search],
  );
  const go = useCallback<Parameters<typeof ReportPage>[0]['go']>(
    (to, { replace }) => {
      const rest = { datasetId: to.datasetId, subroute: to.isPriority ? 'priority' : undefined };
      void (region === undefined
        ? router.navigate({
            to: '/detailed-reporting/{-$datasetId}/{-$subroute}',
            params: rest,
            search: to.query,
            replace,
          })
        : router.navigate({
            to: '/$region/detailed-reporting/{-$datasetId}/{-$subroute}',
            params: { region, ...rest },
            search: to.query,
            replace,
          }));
    },
    [router, region],
  );
  return (
    <ReportPage
      open={open}
      regionId={region === undefined ? chosen : regionNamed(region, undefined)}
      regionText={region ?? chosen}
      place={place}
      go={go}
      onOpenPage={(path) => router.history.push(path)}
    />
  );
}
