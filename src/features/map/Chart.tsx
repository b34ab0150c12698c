import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { isJsonEqual } from '../../base/observable';
import { REPORTING_MESSAGES } from '../../domain/messages';
import { Button } from '../../ui/controls/Button';
import { NeatLine } from '../../ui/display/NeatLine';
import styles from './Chart.module.css';
import { chartColours } from './chart-colours';
import type { ChartFrame, ChartMap, ChartPlace, ChartPoint, ChartReef, ChartVessel } from './chart-map';
import { useMapDriver, type MapState } from './use-map-driver';

interface Props {
  readonly vessel: ChartVessel | null;
  readonly track: readonly ChartPoint[];
  /** Nearest first. */
  readonly reefs: readonly (ChartReef & { readonly miles: number })[];
  /** Called again when `landId` changes. */
  readonly openLand: () => Promise<File | null>;
  /** Cached land chart; null shows the graticule only. */
  readonly landId: string | null;
  /** Until the position is known: west, south, east, north. */
  readonly fallbackBounds: readonly [number, number, number, number];
  readonly attribution: string;
  /** Position as text; shown even if nothing can be drawn. */
  readonly children: ReactNode;
}

/** About six miles across a tablet's chart. */
const VESSEL_ZOOM = 10.4;

/** Chart of land, graticule, reefs, vessel and track. Its library loads on first use. */
export function Chart({ vessel, track, reefs, openLand, landId, fallbackBounds, attribution, children }: Props) {
  const container = useRef<HTMLDivElement>(null);
  const vesselMark = useRef<HTMLDivElement>(null);
  const [frame, setFrame] = useState<ChartFrame | null>(null);
  const start = useRef<ChartPlace>(vessel === null ? { bounds: fallbackBounds } : { at: vessel, zoom: VESSEL_ZOOM });
  const state = useChartMap(container, vesselMark, start, setFrame);
  const map = state.status === 'drawn' ? state.map : null;
  const hasCentred = useRef(vessel !== null);
  const shownBounds = useRef(fallbackBounds);

  useEffect(() => {
    // Staff may move a region's bounds, and an address may choose another region.
    if (hasCentred.current || isJsonEqual(shownBounds.current, fallbackBounds)) return;
    shownBounds.current = fallbackBounds;
    if (map === null) start.current = { bounds: fallbackBounds };
    else map.show({ bounds: fallbackBounds });
  }, [map, fallbackBounds]);

  useEffect(() => {
    if (map === null) return;
    map.setVessel(vessel);
    // The first fix centres the chart; then it is the person's.
    if (vessel !== null && !hasCentred.current) map.show({ at: vessel, zoom: VESSEL_ZOOM });
    if (vessel !== null) hasCentred.current = true;
  }, [map, vessel]);
  useEffect(() => void map?.setTrack(track), [map, track]);
  useEffect(() => void map?.setReefs(reefs), [map, reefs]);
  useEffect(() => {
    if (map === null || landId === null) return;
    void openLand().then((file) => (file === null ? undefined : map.setLand(file)));
  }, [map, landId, openLand]);

  return (
    <NeatLine label="Where the box is">
      <div className={styles.chart}>
        <div className={styles.map} ref={container} />
        <div className={styles.marks} aria-hidden="true">
          <div
            ref={vesselMark}
            className={styles.mark}
            data-stale={vessel?.stale === true}
            data-heading={vessel?.heading !== null && vessel?.heading !== undefined}
          >
            <svg viewBox="-20 -20 40 40" width="44" height="44">
              <path className={styles.arrow} d="M0-17L11 14L0 7L-11 14Z" />
              <circle className={styles.round} r="9" />
            </svg>
          </div>
        </div>
        {frame !== null && <Frame frame={frame} />}
        {(state.status === 'no-webgl' || state.status === 'failed') && (
          <div className={styles.none} role="status">
            <strong>
              {state.status === 'failed' ? 'The chart could not be drawn.' : REPORTING_MESSAGES.webglMissing}
            </strong>
            <span>
              {state.status === 'failed'
                ? 'The position above is still correct. Open the page again to retry.'
                : REPORTING_MESSAGES.webglAdvice}
            </span>
          </div>
        )}
        {state.status === 'reading' && (
          <p className={styles.reading} role="status">
            Loading the chart
          </p>
        )}
        <div className={styles.corner}>{children}</div>
        {map !== null && (
          <div className={styles.tools} role="toolbar" aria-label="Chart">
            {vessel !== null && (
              <Button
                icon="box"
                aria-label="Show the vessel"
                onPress={() => map.show({ at: vessel, zoom: VESSEL_ZOOM })}
              />
            )}
            <Button icon="zoomin" aria-label="Zoom in" onPress={() => map.zoom(1)} />
            <Button icon="zoomout" aria-label="Zoom out" onPress={() => map.zoom(-1)} />
          </div>
        )}
        <small className={styles.attribution}>{attribution}</small>
      </div>
    </NeatLine>
  );
}

function Frame({ frame }: { readonly frame: ChartFrame }) {
  return (
    <div className={styles.frame} aria-hidden="true">
      {frame.lines.map(({ kind, label, at }) => (
        <span
          key={`${kind} ${label}`}
          className={kind === 'meridian' ? styles.meridian : styles.parallel}
          style={kind === 'meridian' ? { left: at } : { top: at }}
        >
          {label}
        </span>
      ))}
      <span className={styles.scale} style={{ width: frame.scale.width }}>
        {frame.scale.miles} NM
      </span>
    </div>
  );
}

const repaint = (map: ChartMap): void => void map.setColours(chartColours());

/** Chart in the theme's colours. */
function useChartMap(
  container: React.RefObject<HTMLDivElement | null>,
  vesselMark: React.RefObject<HTMLDivElement | null>,
  start: React.RefObject<ChartPlace>,
  onFrame: (frame: ChartFrame) => void,
): MapState<ChartMap> {
  const create = useCallback(async () => {
    const { ChartMap: Driver } = await import('./chart-map');
    if (container.current === null || vesselMark.current === null) return null;
    return new Driver({
      container: container.current,
      mark: vesselMark.current,
      colours: chartColours(),
      place: start.current,
      sharesGestures: matchMedia('(max-width: 700px)').matches,
      onFrame,
      onError: (error) => console.warn('The chart reported an error.', error),
    });
  }, [container, vesselMark, start, onFrame]);
  return useMapDriver(create, repaint);
}
