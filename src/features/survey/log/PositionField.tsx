import { useState } from 'react';
import type { Repositories, StoredReefTable } from '../../../data/repositories';
import type { GeoPoint } from '../../../domain/position/geo-point';
import { formatChartPosition } from '../../../domain/position/format-position';
import { isInBounds, kmFromBounds } from '../../../domain/reef/geojson';
import { formatDistance, nearest } from '../../../domain/reef/nearest';
import type { Reef } from '../../../domain/reef/reef';
import { reefLabel } from '../../../domain/reef/reef-label';
import type { Region } from '../../../domain/region/region';
import { tabletPosition } from '../../../platform/tablet-position';
import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import { useObservable } from '../../shell';
import styles from './PositionField.module.css';
import { TextEntry } from './TextEntry';

/** Age from which the box's position shows its age, ms. */
const OLD_MS = 60_000;
/** Distance from which another reef is suggested, km. */
const FAR_KM = 3;
/** Largest distance of a suggestion, km. */
const TOO_FAR_KM = 50;

interface Props {
  readonly edge: Repositories['edge'];
  readonly region: Pick<Region, 'regionName' | 'mapBounds'>;
  readonly table: StoredReefTable | undefined;
  readonly reefId: string;
  readonly point: GeoPoint | null;
  readonly isConfirmed: boolean;
  /** Rejected text. */
  readonly entered: string | undefined;
  readonly error: string | undefined;
  readonly onEnter: (text: string) => void;
  readonly onConfirm: () => void;
  readonly onReef: (reef: Reef) => void;
  readonly onLeave: () => void;
}

type GpsRequest =
  { readonly status: 'idle' } | { readonly status: 'asking' } | { readonly status: 'refused'; readonly text: string };

/** Entry point of the divers: from the box's GPS, the tablet's, or typed. */
export function PositionField({
  edge,
  region,
  table,
  reefId,
  point,
  isConfirmed,
  entered,
  error,
  onEnter,
  onConfirm,
  onReef,
  onLeave,
}: Props) {
  const [request, setAsked] = useState<GpsRequest>({ status: 'idle' });
  const gps = useObservable(edge.answers.gps);
  const fix = gps.status === 'ready' ? gps.items[0] : undefined;

  async function askTablet() {
    setAsked({ status: 'asking' });
    const answer = await tabletPosition();
    if (answer.ok) onEnter(formatDegrees(answer.point));
    setAsked(answer.ok ? { status: 'idle' } : { status: 'refused', text: answer.text });
  }

  return (
    <div className={styles.position}>
      <TextEntry
        label="Position of the dive"
        value={entered ?? (point === null ? '' : formatChartPosition(point))}
        onEnter={onEnter}
        onLeave={onLeave}
        maxLength={80}
        help="Such as 16.8743 S, 146.2130 E"
        error={error}
      />
      <div className={styles.sources}>
        <Button
          isDisabled={fix === undefined}
          onPress={() => fix !== undefined && onEnter(formatDegrees({ latitude: fix.lat, longitude: fix.lng }))}
        >
          Box GPS
        </Button>
        <Button isDisabled={request.status === 'asking'} onPress={() => void askTablet()}>
          {request.status === 'asking' ? 'Locating' : 'Tablet GPS'}
        </Button>
      </div>
      {fix === undefined && <p className={styles.quiet}>The box has no position now.</p>}
      {fix !== undefined && fix.age > OLD_MS && (
        <p className={styles.quiet}>The box’s last position is {Math.round(fix.age / 60_000)} min old.</p>
      )}
      {request.status === 'refused' && (
        <Note icon="pin" title="No position from this tablet" role="status">
          {request.text}
        </Note>
      )}
      {point !== null && !isConfirmed && !isInBounds(point, region.mapBounds) && (
        <Note tone="wait" icon="map" title="Outside the region" role="status">
          {region.regionName} is {formatDistance(kmFromBounds(point, region.mapBounds))} away from this position. The
          position is saved: is it where the divers were?
          <span className={styles.answer}>
            <Button onPress={onConfirm}>Position is right</Button>
          </span>
        </Note>
      )}
      {point !== null && table !== undefined && (
        <NearestReef table={table} point={point} reefId={reefId} onReef={onReef} />
      )}
    </div>
  );
}

function NearestReef({
  table,
  point,
  reefId,
  onReef,
}: {
  readonly table: StoredReefTable;
  readonly point: GeoPoint;
  readonly reefId: string;
  readonly onReef: (reef: Reef) => void;
}) {
  const [first] = nearest(table.reefs, point, 1);
  const own = table.reefs.find(({ id }) => id === reefId);
  if (first === undefined || first.reef.id === reefId || first.km > TOO_FAR_KM) return null;
  const ownKm = own === undefined ? Infinity : (nearest([own], point, 1)[0]?.km ?? Infinity);
  if (ownKm < Math.max(FAR_KM, first.km)) return null;
  return (
    <p className={styles.quiet}>
      Nearest in the table: {reefLabel(first.reef)}, {formatDistance(first.km)}.{' '}
      <Button variant="quiet" onPress={() => onReef(first.reef)}>
        Use this reef
      </Button>
    </p>
  );
}

/** Formats degrees with six decimals (a tenth of a metre), as the field parses them. */
function formatDegrees({ latitude, longitude }: GeoPoint): string {
  return `${latitude.toFixed(6)}, ${longitude.toFixed(6)}`;
}
