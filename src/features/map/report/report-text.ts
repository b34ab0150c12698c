import { shownCover } from '../../../domain/results/bands';
import type { FeatureTable } from '../../../domain/results/feature-table';
import type { MapLayerMeta, RegionMeta } from '../../../domain/results/region-meta';
import type { ReefLabel } from './reef-labels';
import type { ReefPaint, ReportLayer } from './report-map-props';

/** Chart of the world that each server and tablet has: the land of regions for which none was imported. */
const WORLD_CHART: MapLayerMeta = {
  name: 'land',
  kind: 'base',
  attribution: 'Natural Earth',
  bounds: [-180, -85, 180, 85],
  minZoom: 0,
  maxZoom: 6,
  bytes: 0,
  // Of any version.
  sha256: '',
};

/** Archives of a region's map, with a base map in any case. */
export function archivesOf({ layers }: RegionMeta): readonly MapLayerMeta[] {
  return layers.some(({ kind }) => kind === 'base') ? layers : [WORLD_CHART, ...layers];
}

/** Archives needed for the layers that are on. Base map and reefs always are. */
export function wantedKinds(layers: ReadonlySet<ReportLayer>): ReadonlySet<MapLayerMeta['kind']> {
  const wanted = new Set<MapLayerMeta['kind']>(['base', 'reefs']);
  for (const layer of layers)
    switch (layer) {
      case 'zoning':
      case 'validation':
      case 'raster':
        wanted.add(layer);
        break;
      case 'rubbleProbability':
        wanted.add('rubble');
        break;
      case 'keySourceReefs':
      case 'cotsPriority':
      case 'censusPriority':
      case 'deepReefs':
      case 'hotRefugiaReefs':
        wanted.add('priorities');
        break;
      case 'surveyedReefs':
      case 'results':
        break;
    }
  return wanted;
}

/** Use of the map by keys. */
export function keysText(layers: ReadonlySet<ReportLayer>): string {
  const target = layers.has('rubbleProbability')
    ? 'the reef below the cross-hair, or the nearest rubble site'
    : 'the reef below the cross-hair';
  return `Arrow keys move the map, + and − zoom. Enter opens ${target}.`;
}

/** Sources of what is drawn now. */
export function attributionText(meta: RegionMeta | null, layers: ReadonlySet<ReportLayer>): string {
  if (meta === null) return '';
  const wanted = wantedKinds(layers);
  const shown = archivesOf(meta)
    .filter(({ kind }) => wanted.has(kind))
    .map(({ attribution }) => attribution);
  return [...new Set([...shown, ...meta.attributions])].filter((text) => text !== '').join(' · ');
}

/** Labels of reefs with a figure, or with surveys: name, and cover in percent where results are shown. */
export function labelsOf(
  table: FeatureTable | null,
  paint: ReefPaint | null,
  layers: ReadonlySet<ReportLayer>,
): readonly ReefLabel[] {
  if (table === null || paint === null) return [];
  const labels: ReefLabel[] = [];
  for (const [row, name] of table.names.entries()) {
    const cover = layers.has('results') ? (paint.covers[row] ?? Number.NaN) : Number.NaN;
    const isSurveyed = paint.surveyed[row] === 1;
    if (Number.isNaN(cover) && !isSurveyed) continue;
    const text = [name, Number.isNaN(cover) ? '' : `${shownCover(cover)}%`].filter((part) => part !== '').join('\n');
    const [longitude, latitude] = [table.longitudes[row], table.latitudes[row]];
    if (text === '' || longitude === undefined || latitude === undefined) continue;
    labels.push({ longitude, latitude, text, order: Number.isNaN(cover) ? 1 : 0 });
  }
  return labels;
}
