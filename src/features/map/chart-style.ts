import type {
  ExpressionSpecification,
  GeoJSONSourceSpecification,
  LayerSpecification,
  StyleSpecification,
} from 'maplibre-gl';
import type { ChartColours } from './chart-colours';
import { MAP_FONT } from './map-library';

export const SOURCES = { land: 'land', graticule: 'graticule', track: 'track', reefs: 'reefs' } as const;

/** Pixels at zoom 6, 9 and 13. */
function byZoom(far: number, middle: number, near: number): ExpressionSpecification {
  return ['interpolate', ['linear'], ['zoom'], 6, far, 9, middle, 13, near];
}

/** Below all others: shoal water, then land. */
export function landLayers(colours: ChartColours): LayerSpecification[] {
  const source = { source: SOURCES.land, 'source-layer': 'land' } as const;
  // Polygons have edges at tile borders; coast lines do not.
  const coast = { source: SOURCES.land, 'source-layer': 'coast' } as const;
  return [
    {
      id: 'land-shoal',
      type: 'line',
      ...coast,
      layout: { 'line-join': 'round' },
      paint: { 'line-color': colours.shoal, 'line-width': byZoom(6, 16, 36), 'line-opacity': 0.7 },
    },
    { id: 'land-fill', type: 'fill', ...source, paint: { 'fill-color': colours.land } },
    {
      id: 'land-shore',
      type: 'line',
      ...coast,
      layout: { 'line-join': 'round' },
      paint: { 'line-color': colours.reefLine, 'line-width': byZoom(0.6, 1, 1.4), 'line-opacity': 0.7 },
    },
  ];
}

/** All layers but the land, which is added when available. */
export function chartStyle(colours: ChartColours, fontUrl: string): StyleSpecification {
  const empty: GeoJSONSourceSpecification = { type: 'geojson', data: { type: 'FeatureCollection', features: [] } };
  return {
    version: 8,
    'font-faces': { [MAP_FONT]: fontUrl },
    sources: { [SOURCES.graticule]: empty, [SOURCES.track]: empty, [SOURCES.reefs]: { ...empty, promoteId: 'id' } },
    layers: [
      { id: 'sea', type: 'background', paint: { 'background-color': colours.sea } },
      {
        id: 'graticule',
        type: 'line',
        source: SOURCES.graticule,
        paint: { 'line-color': colours.contour, 'line-width': 1, 'line-opacity': 0.75 },
      },
      {
        id: 'reef-shoal',
        type: 'circle',
        source: SOURCES.reefs,
        paint: { 'circle-color': colours.shoal, 'circle-radius': byZoom(3, 11, 30), 'circle-opacity': 0.6 },
      },
      {
        id: 'reef',
        type: 'circle',
        source: SOURCES.reefs,
        paint: {
          'circle-color': colours.reef,
          'circle-radius': byZoom(1.8, 6, 18),
          'circle-stroke-color': ['case', ['get', 'nearest'], colours.text, colours.reefLine],
          'circle-stroke-width': ['case', ['get', 'nearest'], 3, 1],
        },
      },
      {
        id: 'track',
        type: 'line',
        source: SOURCES.track,
        layout: { 'line-join': 'round', 'line-cap': 'butt' },
        paint: { 'line-color': colours.track, 'line-width': 3, 'line-dasharray': [3.2, 1.6] },
      },
      {
        id: 'reef-name',
        type: 'symbol',
        source: SOURCES.reefs,
        minzoom: 7.5,
        layout: {
          'text-field': ['get', 'name'],
          'text-font': [MAP_FONT],
          'text-size': ['case', ['get', 'nearest'], 16, 14],
          'text-variable-anchor': ['top', 'bottom', 'left', 'right'],
          'text-radial-offset': ['interpolate', ['linear'], ['zoom'], 8, 0.6, 13, 1.6],
          'text-max-width': 9,
          'symbol-sort-key': ['get', 'miles'],
        },
        paint: { 'text-color': colours.text, 'text-halo-color': colours.halo, 'text-halo-width': 1.8 },
      },
    ],
  };
}

/** Repaints for a theme change without reloading data. */
export function repaint(colours: ChartColours, paint: (layer: string, property: string, value: unknown) => void): void {
  const style = chartStyle(colours, '');
  for (const layer of [...style.layers, ...landLayers(colours)]) {
    for (const [property, value] of Object.entries(layer.paint ?? {}))
      if (property.endsWith('color')) paint(layer.id, property, value);
  }
}
