import path from 'node:path';
import { parseArgs } from 'node:util';
import { DEFAULT_REGION, isRegionId, REGION_IDS } from '../../src/domain/region/region-id';
import type { GeoBounds } from '../../src/geo/outline';
import type { RasterProjection } from '../../src/server/map-tiles/raster-tiles';
import { RASTER_PROJECTIONS } from '../../src/server/map-tiles/raster-tiles';
import { ImportError } from './import-error';
import { usage } from './import-options';
import type { ImportPlan } from './import-region';
import type { RasterFile } from './read-raster';
import { SITE_OPTIONS, isBaseOption } from './site-layers';

const USAGE = usage(DEFAULT_REGION);
const ATTRIBUTION_MAX = 500;

/**
 * Reads the arguments of the command.
 *
 * @throws ImportError for an unknown region or option, a layer without attribution, or a raster without bounds
 */
export function parseArguments(args: readonly string[]): ImportPlan {
  const values = parsed(args);
  const regionId = values['region']?.[0] ?? '';
  if (!isRegionId(regionId)) throw new ImportError(`Say which region: --region ${REGION_IDS.join(', ')}.\n${USAGE}`);
  const attributions = new Map((values['attribution'] ?? []).map((text) => assignment(text, 'attribution')));
  const attributionOf = (layer: string): string => {
    const text = attributions.get(layer)?.trim() ?? '';
    if (text === '')
      throw new ImportError(`The data of ${layer} have no attribution. Add --attribution ${layer}="© …".`);
    if (text.length > ATTRIBUTION_MAX)
      throw new ImportError(`The attribution of ${layer} has more than ${ATTRIBUTION_MAX} characters.`);
    return text;
  };
  const outlines = (values['outlines'] ?? []).map(resolvePath);
  const sites = SITE_OPTIONS.flatMap((option) => {
    const files = (values[option] ?? []).map(resolvePath);
    if (files.length > 1 && !isBaseOption(option)) throw new ImportError(`Name one file for --${option}.`);
    return files.length === 0 ? [] : [{ option, files, attribution: attributionOf(option) }];
  });
  const bounds = new Map((values['bounds'] ?? []).map((text) => assignment(text, 'bounds')));
  const projections = new Map((values['projection'] ?? []).map((text) => assignment(text, 'projection')));
  const rasters = (values['raster'] ?? []).map((text): RasterFile => {
    const [name, file] = assignment(text, 'raster');
    if (!/^[a-z0-9][a-z0-9-]{0,40}$/.test(name))
      throw new ImportError(`${name} is not a valid name of a raster (a-z, 0-9, -).`);
    return {
      name,
      file: resolvePath(file),
      bounds: boundsOf(name, bounds.get(name)),
      projection: projectionOf(name, projections.get(name)),
      attribution: attributionOf(name),
    };
  });
  if (outlines.length + sites.length + rasters.length === 0)
    throw new ImportError(`Name at least one file.\n${usage(regionId)}`);
  return {
    regionId,
    outlines: outlines.length === 0 ? null : { files: outlines, attribution: attributionOf('outlines') },
    sites,
    rasters,
  };
}

function parsed(args: readonly string[]): Readonly<Record<string, readonly string[] | undefined>> {
  const names = ['region', 'outlines', ...SITE_OPTIONS, 'raster', 'bounds', 'projection', 'attribution'];
  try {
    const { values } = parseArgs({
      args: [...args],
      options: Object.fromEntries(names.map((name) => [name, { type: 'string', multiple: true }])),
    });
    return values as Record<string, string[] | undefined>;
  } catch (error) {
    throw new ImportError(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`, { cause: error });
  }
}

function assignment(text: string, option: string): readonly [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw new ImportError(`--${option} is given as <layer>=<value>, not as ${text.slice(0, 60)}.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function boundsOf(name: string, text: string | undefined): GeoBounds {
  const [west = NaN, south = NaN, east = NaN, north = NaN, ...more] = (text ?? '')
    .split(',')
    .map((part) => (part.trim() === '' ? NaN : Number(part)));
  const isBounds =
    more.length === 0 && west >= -180 && east <= 180 && west < east && south >= -85 && north <= 85 && south < north;
  if (!isBounds)
    throw new ImportError(`The raster ${name} has no bounds. Add --bounds ${name}=west,south,east,north, in degrees.`);
  return [west, south, east, north];
}

/** A wrong guess would move reefs by kilometres. */
function projectionOf(name: string, text: string | undefined): RasterProjection {
  const found = RASTER_PROJECTIONS.find((each) => each === text?.trim().toUpperCase());
  if (found === undefined)
    throw new ImportError(
      `Say how the raster ${name} is projected: --projection ${name}=${RASTER_PROJECTIONS.join(' (equal steps of degrees) or ')} (web Mercator).`,
    );
  return found;
}

/** npm runs scripts at the root; INIT_CWD is the caller's folder. */
function resolvePath(place: string): string {
  return path.resolve(process.env['INIT_CWD'] ?? '.', place);
}
