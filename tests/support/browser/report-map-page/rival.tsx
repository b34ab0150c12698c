import '../../../../src/ui/tokens/tokens.css';
import '../../../../src/ui/tokens/base.css';
import type { FeatureCollection } from 'geojson';
import type { GeoJSONSource, LayerSpecification } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import { createRoot } from 'react-dom/client';
import { addArchive, createMap, MAP_FONT, mapFontUrl } from '../../../../src/features/map/map-library';
import { fitView } from '../../../../src/features/map/report/fit-view';
import { reportColours, type ReportColours } from '../../../../src/features/map/report/report-colours';
import { archiveLayers, NAMES_FROM_ZOOM, reportStyle } from '../../../../src/features/map/report/report-style';
import { countPixels, untilDrawn } from './on-screen';

/** Controls of a bench outside the page. */
export interface RivalPage {
  /** Settles when everything in view is drawn and computed. */
  readonly idle: () => Promise<void>;
  /** Numbers of pixels of each cover band, lowest first, in the next complete frame. */
  readonly countBands: () => Promise<readonly number[]>;
  /** Reads the collection, so that `setCovers` has it at hand. */
  readonly load: () => Promise<void>;
  /** Gives all outlines other covers: `setData` of the whole collection. */
  readonly setCovers: (covers: readonly (number | null)[]) => void;
}

declare global {
  interface Window {
    rival: RivalPage;
  }
}

/** True for the same map without any data: what the library itself takes to start. */
const isBare = new URLSearchParams(location.search).has('bare');
const ADDRESS = new URL('/files/outlines.geojson', location.href).href;

/**
 * The usual way at its best: one GeoJSON source that is in the style from the start and that a worker fetches and parses,
 * with figures as properties, painted and named by them; hover by feature state as MapLibre's own example does it ("Create
 * a hover effect"). Base map, colours, widths, library and its options are ours.
 */
function draw(container: HTMLElement): void {
  const colours = reportColours();
  const view = fitView(
    [141.65, -25.12, 154.34, -9.95],
    { width: container.clientWidth, height: container.clientHeight },
    { top: 0, right: 0, bottom: 0, left: 0 },
  );
  const style = reportStyle(colours, MAP_FONT, mapFontUrl());
  const base = new URL('/files/base-gbr.pmtiles', location.href).href;
  const map = createMap({
    container,
    style: {
      ...style,
      sources: isBare
        ? {}
        : {
            base: { type: 'vector', url: addArchive('base-gbr', '1', { kind: 'url', url: base }) },
            reefs: { type: 'geojson', data: ADDRESS },
          },
      layers: [
        ...style.layers.filter(({ id }) => id === 'sea'),
        ...(isBare ? [] : [...archiveLayers('base', colours), ...reefLayers(colours)]),
      ],
    },
    center: [view.longitude, view.latitude],
    zoom: view.zoom,
    maxZoom: 20,
  });
  let hovered: number | null = null;
  const hover = (id: number | null): void => {
    if (hovered !== null) map.setFeatureState({ source: 'reefs', id: hovered }, { hover: false });
    hovered = id;
    if (id !== null) map.setFeatureState({ source: 'reefs', id }, { hover: true });
  };
  map.on('mousemove', 'fill', ({ features }) => hover(Number(features?.[0]?.id)));
  map.on('mouseleave', 'fill', () => hover(null));
  let all: FeatureCollection | undefined;
  window.rival = {
    idle: () => untilDrawn(map, () => true),
    countBands: () => countPixels(map, colours.bands),
    load: async () => {
      all = (await (await fetch(ADDRESS)).json()) as FeatureCollection;
    },
    setCovers: (covers) => {
      if (all === undefined) throw new Error('The collection is not there.');
      const features = all.features.map((feature, row) => {
        const { cover: _before, ...properties } = feature.properties ?? {};
        const cover = covers[row] ?? null;
        return { ...feature, properties: cover === null ? properties : { ...properties, cover } };
      });
      void map.getSource<GeoJSONSource>('reefs')?.setData({ ...all, features });
    },
  };
  window.map = map;
}

function reefLayers(colours: ReportColours): LayerSpecification[] {
  const [few, some, half, much, most] = colours.bands;
  const isHovered = ['boolean', ['feature-state', 'hover'], false];
  /** By cover, by surveys alone, or neither. */
  const byFigure = (covered: unknown, surveyed: string | number, plain: string | number): unknown[] => [
    'case',
    ['has', 'cover'],
    covered,
    ['get', 'surveyed'],
    surveyed,
    plain,
  ];
  const band = ['step', ['get', 'cover'], few, 10, some, 30, half, 50, much, 75, most];
  const edge = byFigure(colours.edge, colours.surveyedLine, colours.reefLine);
  return [
    {
      id: 'fill',
      type: 'fill',
      source: 'reefs',
      paint: { 'fill-color': byFigure(band, colours.halo, colours.reef) as never, 'fill-antialias': false },
    },
    {
      id: 'edge',
      type: 'line',
      source: 'reefs',
      paint: {
        'line-color': ['case', isHovered, colours.hovered, edge] as never,
        'line-width': ['case', isHovered, 3, byFigure(1, 1, 0.8)] as never,
      },
    },
    {
      id: 'names',
      type: 'symbol',
      source: 'reefs',
      minzoom: NAMES_FROM_ZOOM,
      filter: ['has', 'cover'],
      layout: {
        'text-field': ['concat', ['get', 'name'], '\n', ['to-string', ['get', 'cover']], '%'],
        'text-font': [MAP_FONT],
        'text-size': 14,
      },
      paint: { 'text-color': colours.text, 'text-halo-color': colours.halo, 'text-halo-width': 1.8 },
    },
  ];
}

function Page() {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (container.current !== null) draw(container.current);
  }, []);
  return <div id="map" ref={container} />;
}

createRoot(document.querySelector('#app') as HTMLElement).render(<Page />);
