import { Map as MapLibre, setWorkerUrl, type GeoJSONSource } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import type { FeatureCollection } from 'geojson';
import { fitView } from '../../../../src/features/map/report/fit-view';

/** Controls of a bench outside the page. */
export interface RivalPage {
  /** Settles when everything in view is drawn. */
  readonly idle: () => Promise<void>;
  /** Gives all outlines other covers: `setData` of the whole collection. */
  readonly setCovers: (covers: readonly (number | null)[]) => void;
}

declare global {
  interface Window {
    rival: RivalPage;
  }
}

/** The usual way: one GeoJSON source with its figures as properties, painted by them. */
setWorkerUrl(workerUrl);
const view = fitView(
  [141.65, -25.12, 154.34, -9.95],
  { width: innerWidth, height: innerHeight },
  { top: 0, right: 0, bottom: 0, left: 0 },
);
const map = new MapLibre({
  container: 'app',
  style: {
    version: 8,
    sources: {},
    layers: [{ id: 'sea', type: 'background', paint: { 'background-color': '#d9ecee' } }],
  },
  center: [view.longitude, view.latitude],
  zoom: view.zoom,
  maxZoom: 20,
  fadeDuration: 0,
  dragRotate: false,
  attributionControl: false,
});
const outlines = (await (await fetch('/files/outlines.geojson')).json()) as FeatureCollection;
const withCovers = (covers: readonly (number | null)[]): FeatureCollection => ({
  ...outlines,
  features: outlines.features.map((feature, row) => ({
    ...feature,
    properties: { ...feature.properties, cover: covers[row] ?? -1 },
  })),
});
const first = outlines.features.map((_, row) => (row % 6 === 0 ? (row * 37) % 100 : null));
const draw = (): void => {
  map.addSource('reefs', { type: 'geojson', data: withCovers(first) });
  map.addLayer({
    id: 'fill',
    type: 'fill',
    source: 'reefs',
    paint: {
      'fill-color': [
        'step',
        ['get', 'cover'],
        '#bfe6e6',
        0,
        '#fff0c2',
        10,
        '#ffc285',
        30,
        '#f5808a',
        50,
        '#b83280',
        75,
        '#571063',
      ],
      'fill-antialias': false,
    },
  });
  map.addLayer({
    id: 'edge',
    type: 'line',
    source: 'reefs',
    paint: { 'line-color': '#8fb9c4', 'line-width': ['case', ['<', ['get', 'cover'], 0], 0.8, 1] },
  });
};
if (map.loaded()) draw();
else map.once('load', draw);
window.rival = {
  idle: async () => {
    while (map.getLayer('fill') === undefined || !map.loaded())
      await new Promise((resolve) => map.once('render', resolve));
  },
  setCovers: (covers) => void map.getSource<GeoJSONSource>('reefs')?.setData(withCovers(covers)),
};
