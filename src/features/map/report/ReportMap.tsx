import { useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { REPORTING_MESSAGES } from '../../../domain/messages';
import { afterFirstView } from '../../../platform/first-view';
import { Button } from '../../../ui/controls/Button';
import { useMapDriver } from '../use-map-driver';
import { fitView, type MapBounds } from './fit-view';
import { MapPin } from './MapPin';
import { reportColours } from './report-colours';
import type { ReportMapDriver } from './report-map';
import type { MapView, ReportMapProps } from './report-map-props';
import styles from './ReportMap.module.css';
import { RubblePopup } from './RubblePopup';
import { scaleBar } from './scale-bar';
import { attributionText, keysText, labelsOf } from './report-text';
import { openFirstArchives, useArchives } from './use-archives';
import { useMapElement } from './use-map-element';
import { useReefStates } from './use-reef-states';
import { useTakeOver } from './use-take-over';

const repaint = (map: ReportMapDriver): void => void map.setColours(reportColours());

/**
 * Map of the report screen (3§2): reefs painted by their figures, layers, pins and survey markers. Hidden until its archives
 * are drawn, so that a `FirstPicture` below it is seen first. The caller's list is its accessible twin.
 */
export function ReportMap(props: ReportMapProps) {
  const { region, table, selected, hovered, markers, flight, rubble, layers } = props;
  const container = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const [site, setSite] = useState<number | null>(null);
  const [view, setView] = useState<MapView | null>(null);

  const keysId = useId();
  const isShown = useRef(false);
  const create = useCallback(async () => {
    await afterFirstView();
    const { ReportMapDriver: Driver } = await import('./report-map');
    const archives = await openFirstArchives(Driver, latest.current);
    const element = container.current;
    if (element === null) {
      for (const { archive } of archives) archive.dispose();
      return null;
    }
    const now = latest.current;
    const size = { width: element.clientWidth, height: element.clientHeight };
    const bounds = boundsOf(now) ?? now.region.mapBounds;
    const start = now.startView ?? fitView(bounds, size, now.insets);
    setView(start);
    return new Driver({
      container: element,
      colours: reportColours(),
      view: start,
      name: `Map of reefs, ${now.region.regionName}`,
      describedBy: keysId,
      sharesGestures: false,
      allenBefore: now.region.mapAllenCoralBeforeId,
      archives,
      onHover: (row) => latest.current.onHover(row),
      onPick: (row) => latest.current.onPick(row),
      onRubble: setSite,
      onView: (moved) => {
        setView(moved);
        if (isShown.current) latest.current.onView(moved);
      },
      onError: (error) => console.warn('The map reported an error.', error),
    });
  }, [keysId]);
  const state = useMapDriver(create, repaint);
  const map = state.status === 'drawn' ? state.map : null;

  const { failures, areOpen } = useArchives(map, props);
  const hasTakenOver = useTakeOver(map, container, props, areOpen);
  isShown.current = hasTakenOver;
  useReefStates(map, props);
  useEffect(() => void map?.setLabels(labelsOf(table, props.paint, layers)), [map, table, props.paint, layers]);

  const regionBounds = region.mapBounds.join();
  const lastShown = useRef({ selected, regionBounds });
  useEffect(() => {
    if (map === null) return;
    const before = lastShown.current;
    lastShown.current = { selected, regionBounds };
    if (before.regionBounds !== regionBounds) map.showBounds(latest.current.region.mapBounds, latest.current.insets);
    const bounds = selected === before.selected ? null : boundsOf(latest.current);
    if (bounds !== null) map.showBounds(bounds, latest.current.insets);
  }, [map, selected, regionBounds]);
  useEffect(() => {
    if (flight !== null) map?.flyTo(flight, latest.current.insets);
  }, [map, flight]);

  const pinned = hovered ?? selected;
  const pinAt = useMemo(
    () => (pinned === null || table === null ? null : pointOf(table.longitudes[pinned], table.latitudes[pinned])),
    [pinned, table],
  );
  const siteAt = useMemo(
    () => (site === null || rubble === null ? null : pointOf(rubble.longitudes[site], rubble.latitudes[site])),
    [site, rubble],
  );
  const pin = useMapElement(map, markers.length > 0 && hovered === null ? null : pinAt);
  const popup = useMapElement(map, layers.has('rubbleProbability') ? siteAt : null);
  const scale = view === null ? null : scaleBar(view);

  return (
    <div className={styles.report} style={insetStyle(props)}>
      <div className={styles.map} ref={container} data-drawn={hasTakenOver} />
      <p id={keysId} className={styles.keys}>
        {keysText(layers)}
      </p>
      {pin !== null && createPortal(<MapPin name={hovered === null ? '' : (table?.names[hovered] ?? '')} />, pin)}
      {markers.map((marker, n) => (
        <SurveyPin
          key={marker.surveyId}
          map={map}
          marker={marker}
          number={n + 1}
          isOpen={flight?.surveyId === marker.surveyId}
          onPick={props.onPickSurvey}
        />
      ))}
      {popup !== null &&
        site !== null &&
        rubble !== null &&
        createPortal(
          <RubblePopup
            table={rubble}
            site={site}
            onClose={() => {
              setSite(null);
              map?.focus();
            }}
          />,
          popup,
        )}
      {(state.status === 'no-webgl' || state.status === 'failed') && (
        <div className={styles.none} role="status">
          <strong>{state.status === 'failed' ? 'The map could not be drawn.' : REPORTING_MESSAGES.webglMissing}</strong>
          <span>
            {state.status === 'failed'
              ? 'The list has the same reefs and figures. Open the page again to retry.'
              : REPORTING_MESSAGES.webglAdvice}
          </span>
        </div>
      )}
      {map !== null && hasTakenOver && (
        <div className={styles.tools} role="toolbar" aria-label="Map" aria-orientation="vertical">
          <Button icon="zoomin" variant="quiet" aria-label="Zoom in" onPress={() => map.zoom(1)} />
          <Button icon="zoomout" variant="quiet" aria-label="Zoom out" onPress={() => map.zoom(-1)} />
        </div>
      )}
      {scale !== null && (
        <div className={styles.scale} aria-hidden="true">
          <i style={{ width: scale.width }} />
          <span style={{ width: scale.width }}>
            <b>0</b>
            <b>{scale.text}</b>
          </span>
        </div>
      )}
      <p className={styles.attribution}>
        {failures.length > 0 && <span role="status">Not in reach: {failures.join(', ')}. </span>}
        {attributionText(props.meta, layers)}
      </p>
    </div>
  );
}

function SurveyPin({
  map,
  marker,
  number,
  isOpen,
  onPick,
}: {
  readonly map: ReportMapDriver | null;
  readonly marker: ReportMapProps['markers'][number];
  readonly number: number;
  readonly isOpen: boolean;
  readonly onPick: (surveyId: string) => void;
}) {
  const { longitude, latitude } = marker;
  const at = useMemo(() => ({ longitude, latitude }), [longitude, latitude]);
  const element = useMapElement(map, at);
  if (element === null) return null;
  return createPortal(
    <button
      type="button"
      className={styles.survey}
      aria-label={marker.name}
      aria-current={isOpen ? 'true' : undefined}
      onClick={() => onPick(marker.surveyId)}
    >
      <MapPin name={String(number)} isNumber />
    </button>,
    element,
  );
}

function boundsOf({ selected, table }: ReportMapProps): MapBounds | null {
  return (selected === null ? undefined : table?.bounds[selected]) ?? null;
}

function pointOf(longitude: number | undefined, latitude: number | undefined) {
  return longitude === undefined || latitude === undefined ? null : { longitude, latitude };
}

/** Distances of the controls from the edges, for the style sheet. */
function insetStyle({ insets }: ReportMapProps): React.CSSProperties {
  return Object.fromEntries(Object.entries(insets).map(([side, px]) => [`--inset-${side}`, `${px}px`]));
}
