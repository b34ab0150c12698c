import { useMemo } from 'react';
import { formatBytes } from '../../base/format-bytes';
import type { EdgeGps, PackState, Repositories } from '../../data/repositories';
import type { RegionId } from '../../domain/region/region-id';
import { useObservable, useRegionConfig } from '../shell';
import { Chart } from '../map';
import { useNearReefs } from './use-near-reefs';
import { useNow } from './use-now';
import styles from './VesselChart.module.css';
import { fixText, formatSince } from './vessel-text';

interface Props {
  readonly repositories: Pick<Repositories, 'edge' | 'census'>;
  readonly regionId: RegionId;
}

export function VesselChart({
  repositories: {
    edge,
    edge: { packs },
    census: { reefs: tables, regions },
  },
  regionId,
}: Props) {
  const gps = useObservable(edge.answers.gps);
  const track = useObservable(edge.answers.recentTrack).items;
  const meta = useObservable(edge.answers.meta).items[0];
  const answeredAt = useObservable(edge.answers.answerTimes);
  const land = useObservable(packs.land);
  const now = useNow();
  const fix = gps.items[0];
  const age = fix === undefined ? 0 : fix.age + Math.max(0, now - (answeredAt.gps ?? now));
  const text = fix === undefined ? null : fixText(fix, age);
  const isStale = text?.stale === true || gps.status !== 'ready';
  const vessel = useMemo(
    () => (fix === undefined ? null : { lat: fix.lat, lng: fix.lng, heading: fix.heading ?? null, stale: isStale }),
    [fix, isStale],
  );
  const region = useRegionConfig(regions, regionId);
  const reefs = useNearReefs(tables, region, vessel);
  const landId = 'cached' in land && land.cached !== null ? land.cached.id : null;
  const attribution = [
    'Land: Natural Earth',
    ...(reefs.attribution === '' ? [] : [reefs.attribution.split(':')[0] ?? '']),
  ];
  return (
    <Chart
      vessel={vessel}
      track={track}
      reefs={reefs.items}
      openLand={packs.openLand}
      landId={landId}
      fallbackBounds={region.mapBounds}
      attribution={(landId === null ? attribution.slice(1) : attribution).join(' · ')}
    >
      <div className={`${styles.fix} ${isStale ? styles.stale : ''}`}>
        {text === null ? (
          <>
            No position yet<small>{noFixText(fix, meta?.gps, gps.status === 'ready')}</small>
          </>
        ) : (
          <>
            {text.position}
            <small>
              {gps.status === 'ready' || text.stale ? text.fix : `last fix ${formatSince(now - age, now)}, GPS aboard`}
            </small>
            {text.course !== '' && <small>{text.course}</small>}
          </>
        )}
        <LandStatus land={land} />
      </div>
    </Chart>
  );
}

function noFixText(
  fix: EdgeGps | undefined,
  gps: 'none' | 'away' | 'no-fix' | 'fix' | undefined,
  isAnswered: boolean,
): string {
  if (fix !== undefined) return 'the GPS reports an impossible position';
  if (!isAnswered && gps === undefined) return 'shown once the box is in reach';
  switch (gps) {
    case 'none':
      return 'no GPS is set up aboard';
    case 'away':
      return 'the GPS aboard does not answer';
    case 'no-fix':
      return 'the GPS sees too few satellites';
    default:
      return 'the GPS aboard has no fix yet';
  }
}

function LandStatus({ land }: { readonly land: PackState }) {
  switch (land.status) {
    case 'looking':
    case 'kept':
      return null;
    case 'none':
      return <small>chart without land; the box provides it</small>;
    case 'fetching':
      return (
        <small>
          downloading the chart: {formatBytes(land.received)}
          {land.total === null ? '' : ` of ${formatBytes(land.total)}`}
        </small>
      );
    case 'failed':
      return (
        <small>{land.cached === null ? `chart without land: ${land.why.message}` : 'the downloaded chart stays'}</small>
      );
  }
}
