import type { DatasetMeta, DatasetResult, MapLayerMeta, RegionMeta } from '../region-meta';
import { checkText, JsonFields, refuse } from './json-checks';
import { decodeCovers, decodeDominant, decodeVersions } from './reef-results-file';

const LAYER_KINDS = [
  'base',
  'reefs',
  'zoning',
  'priorities',
  'rubble',
  'validation',
  'results',
  'raster',
] as const satisfies readonly MapLayerMeta['kind'][];

/**
 * Checks a contents list that was downloaded. Layers of an unknown kind come from a newer program and are left out.
 *
 * @param json parsed
 * @throws ReefError `unsupported-version` for a later version; `bad-message` with `{field}` for what is missing or wrong
 */
export function decodeRegionMeta(json: unknown): RegionMeta {
  const file = new JsonFields(json, 'meta');
  file.checkVersion(1);
  const text = (item: unknown, path: string): string => checkText(item, path);
  return {
    version: 1,
    regionId: file.text('regionId'),
    asOf: file.textOrNull('asOf'),
    datasets: file.list('datasets', decodeDataset),
    layers: file.list('layers', decodeLayer).filter((layer) => layer !== null),
    withoutData: file.list('withoutData', text),
    attributions: file.list('attributions', text),
  };
}

/** JSON of a contents list, datasets by id and layers by name. */
export function encodeRegionMeta({
  version,
  regionId,
  asOf,
  datasets,
  layers,
  withoutData,
  attributions,
}: RegionMeta): string {
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return JSON.stringify({
    version,
    regionId,
    asOf,
    datasets: [...datasets].sort((a, b) => order(a.id, b.id)),
    layers: [...layers].sort((a, b) => order(a.name, b.name)),
    withoutData: [...withoutData].sort(order),
    attributions,
  });
}

function decodeDataset(item: unknown, path: string): DatasetMeta {
  const fields = new JsonFields(item, path);
  return {
    id: fields.text('id'),
    shortName: fields.text('shortName'),
    censusYear: fields.text('censusYear'),
    surveys: fields.count('surveys'),
    reefs: fields.count('reefs'),
    images: fields.count('images'),
    analysts: fields.count('analysts'),
    resultReefs: fields.count('resultReefs'),
    versions: decodeVersions(fields.fields('versions')),
    ...(fields.names().includes('result') ? { result: decodeResult(fields.fieldsOrNull('result')) } : {}),
  };
}

function decodeResult(fields: JsonFields | null): DatasetResult | null {
  if (fields === null) return null;
  return {
    covers: decodeCovers(fields.fields('covers')),
    dominantCoral: decodeDominant(fields),
    photographs: fields.count('photographs'),
    analysts: fields.count('analysts'),
    surveys: fields.count('surveys'),
  };
}

function decodeLayer(item: unknown, path: string): MapLayerMeta | null {
  const fields = new JsonFields(item, path);
  const kind = LAYER_KINDS.find((known) => known === fields.text('kind'));
  if (kind === undefined) return null;
  const layer = {
    name: fields.text('name'),
    kind,
    attribution: fields.text('attribution', 5000),
    bounds: fields.box('bounds'),
    minZoom: fields.number('minZoom', 0, 30),
    maxZoom: fields.number('maxZoom', 0, 30),
    bytes: fields.count('bytes'),
    sha256: fields.text('sha256'),
  };
  if (layer.minZoom > layer.maxZoom) throw refuse(path, 'has its least zoom above its greatest');
  if (!/^[0-9a-f]{64}$/.test(layer.sha256)) throw refuse(fields.pathOf('sha256'), 'must have 64 hexadecimal digits');
  return layer;
}
