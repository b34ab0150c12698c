import '../../../../src/ui/tokens/tokens.css';
import '../../../../src/ui/tokens/base.css';
import type { FeatureCollection } from 'geojson';
import type { GeoJSONSource, Map as MapLibre } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import { createRoot } from 'react-dom/client';
import { addArchive, createMap, MAP_FONT, mapFontUrl } from '../../../../src/features/map/map-library';
import { fitView } from '../../../../src/features/map/report/fit-view';
import { reportColours } from '../../../../src/features/map/report/report-colours';
import { archiveLayers, reportStyle } from '../../../../src/features/map/report/report-style';

/** Controls of a bench outside the page. */
export interface RivalPage {
  /** Settles when everything in view is drawn. */
  readonly idle: () => Promise<void>;
  /** Changes the covers of all outlines: `setData` of the whole collection. */
  readonly setCovers: (covers: readonly (number | null)[]) => void;
}

declare global {
  interface Window {
    rival: RivalPage;
  }
}

/**
 * The usual way: outlines as one GeoJSON source with their figures as properties, painted and named by them, and hover by
 * feature state as MapLibre's own example does it ("Create a hover effect"). Base map, library and its options are ours.
 */
function draw(container: HTMLElement, outlines: Promise<FeatureCollection>): void {
  const colours = reportColours();
  const view = fitView(
    [141.65, -25.12, 154.34, -9.95],
    { width: container.clientWidth, height: container.clientHeight },
    { top: 0, right: 0, bottom: 0, left: 0 },
  );
  const style = reportStyle(colours, MAP_FONT, mapFontUrl());
  const map = createMap({
    container,
    style: {
      ...style,
      sources: {
        base: {
          type: 'vector',
          url: addArchive('base-gbr', '1', {
            kind: 'url',
            url: new URL('/files/base-gbr.pmtiles', location.href).href,
          }),
        },
      },
      layers: [...style.layers.filter(({ id }) => id === 'sea'), ...archiveLayers('base', colours)],
    },
    center: [view.longitude, view.latitude],
    zoom: view.zoom,
    maxZoom: 20,
  });
  const [few, some, half, much, most] = colours.bands;
  const isHovered = ['boolean', ['feature-state', 'hover'], false] as const;
  const withCovers = (all: FeatureCollection, covers: readonly (number | null)[]): FeatureCollection => ({
    ...all,
    features: all.features.map((feature, row) => ({
      ...feature,
      properties: { ...feature.properties, cover: covers[row] ?? -1 },
    })),
  });
  const addReefs = (all: FeatureCollection): void => {
    map.addSource('reefs', {
      type: 'geojson',
      data: withCovers(
        all,
        all.features.map((_, row) => (row % 6 === 0 ? (row * 37) % 100 : null)),
      ),
    });
    map.addLayer({
      id: 'fill',
      type: 'fill',
      source: 'reefs',
      paint: {
        'fill-color': ['step', ['get', 'cover'], colours.reef, 0, few, 10, some, 30, half, 50, much, 75, most],
        'fill-antialias': false,
      },
    });
    map.addLayer({
      id: 'edge',
      type: 'line',
      source: 'reefs',
      paint: {
        'line-color': [
          'case',
          isHovered,
          colours.hovered,
          ['<', ['get', 'cover'], 0],
          colours.reefLine,
          colours.edge,
        ] as never,
        'line-width': ['case', isHovered, 3, ['<', ['get', 'cover'], 0], 0.8, 1] as never,
      },
    });
    map.addLayer({
      id: 'names',
      type: 'symbol',
      source: 'reefs',
      minzoom: 7,
      filter: ['>=', ['get', 'cover'], 0],
      layout: {
        'text-field': ['concat', ['get', 'gid'], '\n', ['to-string', ['get', 'cover']], '%'],
        'text-font': [MAP_FONT],
        'text-size': 14,
      },
      paint: { 'text-color': colours.text, 'text-halo-color': colours.halo, 'text-halo-width': 1.8 },
    });
    let hovered: number | null = null;
    const hover = (id: number | null): void => {
      if (hovered !== null) map.setFeatureState({ source: 'reefs', id: hovered }, { hover: false });
      hovered = id;
      if (id !== null) map.setFeatureState({ source: 'reefs', id }, { hover: true });
    };
    map.on('mousemove', 'fill', ({ features }) => hover(Number(features?.[0]?.id)));
    map.on('mouseleave', 'fill', () => hover(null));
  };
  void Promise.all([outlines, map.once('load')]).then(([all]) => addReefs(all));
  window.rival = {
    idle: async () => {
      while (map.getLayer('fill') === undefined || !map.loaded())
        await new Promise((resolve) => map.once('render', resolve));
    },
    setCovers: (covers) =>
      void outlines.then((all) => map.getSource<GeoJSONSource>('reefs')?.setData(withCovers(all, covers))),
  };
  (window as unknown as { map: MapLibre }).map = map;
}

const outlines = fetch('/files/outlines.geojson').then((answer) => answer.json() as Promise<FeatureCollection>);

function Page() {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (container.current !== null) draw(container.current, outlines);
  }, []);
  return <div id="map" ref={container} />;
}

createRoot(document.querySelector('#app') as HTMLElement).render(<Page />);
