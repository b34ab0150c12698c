import { splitAtDateLine } from '../../geo/date-line';
import { readGeometry } from '../../geo/read-geometry';
import { writePmtiles } from '../tiles/pmtiles-writer';
import type { TileFeature, TileLayer, TileProperties } from './vector-tiles';
import { vectorTiles } from './vector-tiles';

/** Version of the rules: another one asks for new archives. */
export const ARCHIVE_RULES = 1;

export interface ArchiveRow {
  /** Numeric id, from 0. */
  readonly id: number;
  /** GeoJSON geometry; null for a point alone. One that cannot be read counts as a point. */
  readonly geometry: string | null;
  /** Point inside, degrees. */
  readonly longitude: number;
  readonly latitude: number;
  readonly properties?: TileProperties;
}

/** Rows and facts of an archive of vector tiles; structured-cloneable, for a thread. */
export interface ArchiveRequest {
  readonly name: string;
  readonly attribution: string;
  /** West, south, east, north, degrees. */
  readonly bounds: readonly [number, number, number, number];
  readonly minZoom: number;
  readonly maxZoom: number;
  readonly layers: readonly {
    readonly name: string;
    readonly pointsName: string;
    readonly rows: readonly ArchiveRow[];
  }[];
}

/**
 * Builds an archive of vector tiles; the same rows yield the same bytes.
 *
 * @throws RangeError for two rows of a layer with one id, or no row at all
 */
export function buildArchive({ name, attribution, bounds, minZoom, maxZoom, layers }: ArchiveRequest): Uint8Array {
  const read = layers.map(({ rows, ...names }): TileLayer => ({
    ...names,
    features: rows.map((row) => featureOf(row)),
  }));
  const [west, south, east, north] = bounds;
  return writePmtiles(vectorTiles(read, { minZoom, maxZoom }), {
    bounds,
    minZoom,
    maxZoom,
    center: [middle(west, east < west ? east + 360 : east), middle(south, north), minZoom],
    metadata: {
      name,
      attribution,
      type: 'overlay',
      format: 'pbf',
      vector_layers: layers.flatMap((layer) =>
        [layer.name, layer.pointsName].map((id) => ({
          id,
          fields: fieldsOf(layer.rows),
          minzoom: minZoom,
          maxzoom: maxZoom,
        })),
      ),
    },
  });
}

function featureOf({ id, geometry, longitude, latitude, properties }: ArchiveRow): TileFeature {
  const read = geometry === null ? null : readGeometry(parseJson(geometry));
  const outline = read?.kind === 'area' ? splitAtDateLine(read.polygons) : null;
  return {
    id,
    outline: outline === null || outline.length === 0 ? null : outline,
    point: { longitude, latitude },
    ...(properties === undefined ? {} : { properties }),
  };
}

function fieldsOf(rows: readonly ArchiveRow[]): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (const { properties = {} } of rows)
    for (const [name, value] of Object.entries(properties))
      fields[name] = typeof value === 'number' ? 'Number' : 'String';
  return fields;
}

/** Null for text that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (_broken) {
    return null;
  }
}

function middle(from: number, to: number): number {
  const centre = (from + to) / 2;
  return centre > 180 ? centre - 360 : centre;
}
