import type {
  ExpressionSpecification,
  GeoJSONSourceSpecification,
  LayerSpecification,
  StyleSpecification,
} from 'maplibre-gl';
import { REPORT_LIMITS } from '../../../domain/limits/reporting';
import { REEF_FILL } from './reef-fill';
import { PRIORITY_COLOURS, ZONE_COLOURS, type ReportColours } from './report-colours';

/** Sources of the report map; archives bear the kind of their layer in `RegionMeta`. */
export const REPORT_SOURCES = {
  base: 'base',
  reefs: 'reefs',
  zoning: 'zoning',
  priorities: 'priorities',
  rubble: 'rubble',
  validation: 'validation',
  raster: 'raster',
  labels: 'labels',
} as const;

/** Layers inside the reefs archive: each feature is in one of them at each zoom. */
export const REEF_LAYERS = ['reefs', 'reef-points'] as const;

/** Order of the priority layers in the bits of property `p`. */
export const PRIORITY_BITS = [
  'cotsPriority',
  'censusPriority',
  'deepReefs',
  'hotRefugiaReefs',
  'keySourceReefs',
] as const;

/** Zoom from which reefs have their names. */
export const NAMES_FROM_ZOOM = 7;

/** Probability from which a rubble site is drawn, percent (3§9: "bands 40 to 90"). */
const RUBBLE_FROM = REPORT_LIMITS.rubbleBands[0];

const NO_FEATURES: GeoJSONSourceSpecification = { type: 'geojson', data: { type: 'FeatureCollection', features: [] } };

/** Sea, archives that are open, and the labels of reefs. Other archives are added as they open. */
export function reportStyle(
  colours: ReportColours,
  font: string,
  fontUrl: string,
  archives: readonly { readonly kind: 'base' | 'reefs'; readonly url: string }[] = [],
): StyleSpecification {
  const sorted = [...archives].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  return {
    version: 8,
    'font-faces': { [font]: fontUrl },
    sources: {
      [REPORT_SOURCES.labels]: NO_FEATURES,
      ...Object.fromEntries(sorted.map(({ kind, url }) => [REPORT_SOURCES[kind], { type: 'vector' as const, url }])),
    },
    layers: [
      { id: 'sea', type: 'background', paint: { 'background-color': colours.sea } },
      ...sorted.flatMap(({ kind }) => archiveLayers(kind, colours)),
      {
        id: 'reef-names',
        type: 'symbol',
        source: REPORT_SOURCES.labels,
        minzoom: NAMES_FROM_ZOOM,
        layout: {
          'text-field': ['get', 'text'],
          'text-font': [font],
          'text-size': 14,
          'text-variable-anchor': ['top', 'bottom', 'left', 'right'],
          'text-radial-offset': byZoom(7, 0.5, 12, 1.4),
          'text-max-width': 9,
          'symbol-sort-key': ['get', 'order'],
        },
        paint: { 'text-color': colours.text, 'text-halo-color': colours.halo, 'text-halo-width': 1.8 },
      },
    ],
  };
}

/** Layers of an archive, from below; each has an id of its own and goes below the first layer of `ABOVE`. */
export function archiveLayers(kind: keyof typeof REPORT_SOURCES, colours: ReportColours): LayerSpecification[] {
  switch (kind) {
    case 'base':
      return baseLayers(colours);
    case 'zoning':
      return zoningLayers(colours);
    case 'reefs':
      return reefLayers(colours);
    case 'priorities':
      return PRIORITY_BITS.flatMap((key, bit) => priorityLayers(key, bit, colours));
    case 'rubble':
      return [rubbleLayer(colours)];
    case 'validation':
      return [
        {
          id: 'validation',
          type: 'line',
          source: REPORT_SOURCES.validation,
          'source-layer': 'validation',
          paint: { 'line-color': colours.selected, 'line-width': 1.5, 'line-dasharray': [4, 2] },
        },
      ];
    case 'raster':
      return [{ id: 'raster', type: 'raster', source: REPORT_SOURCES.raster, paint: { 'raster-opacity': 0.8 } }];
    case 'labels':
      return [];
  }
}

/** Kinds from the bottom to the top of the map. */
const ORDER = ['base', 'raster', 'zoning', 'reefs', 'validation', 'priorities', 'rubble'] as const;

/**
 * Layer below which the layers of a kind are added.
 * @param present ids of layers on the map, from below
 * @param allenBefore `mapAllenCoralBeforeId` of the region, for rasters
 */
export function layerAbove(
  kind: keyof typeof REPORT_SOURCES,
  present: readonly string[],
  colours: ReportColours,
  allenBefore: string,
): string | undefined {
  if (kind === 'raster' && present.includes(allenBefore)) return allenBefore;
  const higher = ORDER.slice(ORDER.findIndex((other) => other === kind) + 1);
  const ids = new Set(higher.flatMap((other) => archiveLayers(other, colours).map(({ id }) => id)));
  return present.find((id) => ids.has(id)) ?? 'reef-names';
}

function baseLayers(colours: ReportColours): LayerSpecification[] {
  const source = REPORT_SOURCES.base;
  const deep = { source, 'source-layer': 'depth200' } as const;
  const land = { source, 'source-layer': 'land' } as const;
  return [
    { id: 'deep', type: 'fill', ...deep, paint: { 'fill-color': colours.deep, 'fill-antialias': false } },
    {
      id: 'depth-200',
      type: 'line',
      ...deep,
      paint: { 'line-color': colours.contour, 'line-width': byZoom(4, 0.8, 10, 1.6), 'line-dasharray': [6, 3] },
    },
    {
      id: 'land-shoal',
      type: 'line',
      ...land,
      layout: { 'line-join': 'round' },
      // Tiles reach 8 px over their edges; a wider line would show seams.
      paint: { 'line-color': colours.shoal, 'line-width': byZoom(4, 4, 10, 14), 'line-opacity': 0.7 },
    },
    // The coast covers the edge.
    { id: 'land', type: 'fill', ...land, paint: { 'fill-color': colours.land, 'fill-antialias': false } },
    {
      id: 'coast',
      type: 'line',
      ...land,
      paint: { 'line-color': colours.coast, 'line-width': byZoom(4, 0.6, 10, 1.2), 'line-opacity': 0.7 },
    },
  ];
}

function zoningLayers(colours: ReportColours): LayerSpecification[] {
  const shared = { source: REPORT_SOURCES.zoning, 'source-layer': 'zoning' } as const;
  const zone: ExpressionSpecification = [
    'match',
    ['get', 'zone'],
    ...ZONE_COLOURS.flatMap((colour, n): [number, string] => [n, colour]),
    'transparent',
  ] as unknown as ExpressionSpecification;
  return [
    { id: 'zoning', type: 'fill', ...shared, paint: { 'fill-color': zone, 'fill-opacity': 0.34 } },
    {
      id: 'zoning-edge',
      type: 'line',
      ...shared,
      paint: { 'line-color': colours.edge, 'line-width': 0.6, 'line-opacity': 0.5 },
    },
  ];
}

/** By the number in the feature state (`REEF_FILL`). */
function byFill<Value extends string | number>(plain: Value, surveyed: Value, bands: readonly Value[], none: Value) {
  return [
    'match',
    ['coalesce', ['feature-state', 'fill'], 0],
    REEF_FILL.surveyed,
    surveyed,
    ...bands.flatMap((value, n) => [REEF_FILL.firstBand + n, value]),
    REEF_FILL.withoutCover,
    none,
    plain,
  ] as unknown as ExpressionSpecification;
}

/** Opacity of reefs over map pictures: what has no figure lets the picture below it show. */
export const FILL_OVER_PICTURES = byFill(0.35, 0.6, [1, 1, 1, 1, 1], 1);

/** Hovered and selected reefs differ from the rest. */
function byMark<Value extends string | number | ExpressionSpecification>(
  selected: Value,
  hovered: Value,
  other: Value,
): ExpressionSpecification {
  return [
    'case',
    ['==', ['feature-state', 'mark'], 2],
    selected,
    ['==', ['feature-state', 'mark'], 1],
    hovered,
    other,
  ] as unknown as ExpressionSpecification;
}

function reefLayers(colours: ReportColours): LayerSpecification[] {
  const source = REPORT_SOURCES.reefs;
  const [outlines, points] = REEF_LAYERS;
  const bandEdges = colours.bands.map(() => colours.edge);
  const fill = byFill(colours.reef, colours.surveyed, colours.bands, colours.halo);
  const edge = byMark<string | ExpressionSpecification>(
    colours.selected,
    colours.hovered,
    byFill(colours.reefLine, colours.surveyedLine, bandEdges, colours.surveyedLine),
  );
  return [
    {
      id: 'reefs-fill',
      type: 'fill',
      source,
      'source-layer': outlines,
      paint: { 'fill-color': fill, 'fill-antialias': false },
    },
    {
      id: 'reefs-edge',
      type: 'line',
      source,
      'source-layer': outlines,
      paint: {
        'line-color': edge,
        'line-width': byMark<number | ExpressionSpecification>(3.5, 3, byFill(0.8, 1, [1, 1, 1, 1, 1], 1)),
      },
    },
    {
      id: 'reefs-points',
      type: 'circle',
      source,
      'source-layer': points,
      paint: {
        'circle-color': fill,
        'circle-radius': [
          'interpolate',
          ['linear'],
          ['zoom'],
          4,
          byFill(0.9, 2, [2.6, 2.6, 2.6, 2.6, 2.6], 2),
          10,
          4.5,
        ],
        'circle-stroke-color': edge,
        // Thin far out, where points lie close together.
        'circle-stroke-width': [
          'interpolate',
          ['linear'],
          ['zoom'],
          5,
          byMark<number | ExpressionSpecification>(2.5, 2.5, byFill(0, 0.2, [0.35, 0.35, 0.35, 0.35, 0.35], 0.4)),
          8,
          byMark<number | ExpressionSpecification>(2.5, 2.5, byFill(0.5, 0.8, [1, 1, 1, 1, 1], 1)),
        ],
      },
    },
  ];
}

/** Outline of a reef with a priority, and a mark where it is a point; both hidden at first. */
function priorityLayers(
  key: (typeof PRIORITY_BITS)[number],
  bit: number,
  colours: ReportColours,
): LayerSpecification[] {
  // Expressions have no bit operators.
  const filter: ExpressionSpecification = ['==', ['%', ['floor', ['/', ['get', 'p'], 2 ** bit]], 2], 1];
  const shared = { source: REPORT_SOURCES.priorities, filter, layout: { visibility: 'none' } } as const;
  return [
    {
      id: `priority-${key}`,
      type: 'line',
      'source-layer': 'priorities',
      ...shared,
      // Several priorities of one reef are drawn next to each other.
      paint: { 'line-color': PRIORITY_COLOURS[key], 'line-width': 2.5, 'line-offset': -2 - 2.5 * bit },
    },
    {
      id: `priority-${key}-points`,
      type: 'circle',
      'source-layer': 'priority-points',
      ...shared,
      paint: {
        'circle-color': PRIORITY_COLOURS[key],
        'circle-radius': byZoom(4, 3, 10, 7),
        'circle-stroke-color': colours.halo,
        'circle-stroke-width': 1.2,
        'circle-translate': [(bit - 2) * 5, 0],
      },
    },
  ];
}

function rubbleLayer(colours: ReportColours): LayerSpecification {
  const probability: ExpressionSpecification = ['coalesce', ['feature-state', 'probability'], 0];
  const [first, ...others] = colours.rubble;
  return {
    id: 'rubble',
    type: 'circle',
    source: REPORT_SOURCES.rubble,
    'source-layer': 'rubble',
    paint: {
      'circle-color': [
        'step',
        probability,
        first,
        ...REPORT_LIMITS.rubbleColourSteps.flatMap((from, n) => [from, others[n] ?? first]),
      ] as unknown as ExpressionSpecification,
      'circle-radius': byZoom(4, 3, 12, 9),
      'circle-stroke-color': colours.edge,
      'circle-stroke-width': 1,
      'circle-opacity': ['case', ['<', probability, RUBBLE_FROM], 0, 1],
      'circle-stroke-opacity': ['case', ['<', probability, RUBBLE_FROM], 0, 1],
    },
  };
}

function byZoom(far: number, atFar: number, near: number, atNear: number): ExpressionSpecification {
  return ['interpolate', ['linear'], ['zoom'], far, atFar, near, atNear];
}
