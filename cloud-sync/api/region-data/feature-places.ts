import type pg from 'pg';
import type { GeoPoint } from '../../../src/domain/position/geo-point';
import type { GeoBounds, Outline } from '../../../src/geo/outline';
import { isNearBounds, metresToOutline, outlineArea } from '../../../src/geo/outline';
import { metresBetween } from '../../../src/geo/distance';

type Client = Pick<pg.ClientBase, 'query'>;

/** Farthest distance of a survey from the feature that it counts for, m: divers swim to a reef, and chart positions are coarse. */
const FEATURE_DISTANCE_MAX_M = 1000;

interface FeatureRow {
  readonly id: string;
  readonly longitude: number;
  readonly latitude: number;
  readonly bounds: GeoBounds;
}

/** Features of a region, to find the one of a survey. */
export class FeaturePlaces {
  readonly #client: Client;
  readonly #regionId: string;
  readonly #features: readonly FeatureRow[];
  readonly #ids: ReadonlySet<string>;
  readonly #outlines = new Map<string, Outline | null>();

  private constructor(client: Client, regionId: string, features: readonly FeatureRow[]) {
    this.#client = client;
    this.#regionId = regionId;
    this.#features = features;
    this.#ids = new Set(features.map(({ id }) => id));
  }

  static async load(client: Client, regionId: string): Promise<FeaturePlaces> {
    const { rows } = await client.query<FeatureRow>(
      'SELECT id, longitude, latitude, bounds FROM map_features WHERE region_id = $1 AND NOT deleted ORDER BY id',
      [regionId],
    );
    return new FeaturePlaces(client, regionId, rows);
  }

  /**
   * Feature of a survey: that which it names, else that in whose outline it lies (the smallest, should several overlap),
   * else the nearest within {@link FEATURE_DISTANCE_MAX_M}; ties by id. Null: none.
   */
  async featureOf(locationId: string | null, position: GeoPoint | null): Promise<string | null> {
    if (locationId !== null && this.#ids.has(locationId)) return locationId;
    if (position === null) return null;
    let best: { readonly id: string; readonly metres: number; readonly area: number } | null = null;
    for (const feature of this.#features) {
      if (!isNearBounds(feature.bounds, position, FEATURE_DISTANCE_MAX_M)) continue;
      const outline = await this.#outline(feature.id);
      const metres = outline === null ? metresBetween(feature, position) : metresToOutline(outline, position);
      if (metres > FEATURE_DISTANCE_MAX_M) continue;
      const area = outline === null ? 0 : outlineArea(outline);
      if (best === null || metres < best.metres || (metres === best.metres && area < best.area))
        best = { id: feature.id, metres, area };
    }
    return best?.id ?? null;
  }

  async #outline(id: string): Promise<Outline | null> {
    const known = this.#outlines.get(id);
    if (known !== undefined) return known;
    const { rows } = await this.#client.query<{ geometry: string | null }>(
      'SELECT geometry FROM map_features WHERE region_id = $1 AND id = $2',
      [this.#regionId, id],
    );
    const outline = outlineOf(rows[0]?.geometry ?? null);
    this.#outlines.set(id, outline);
    return outline;
  }
}

/** Areas of a stored geometry; null for none. */
function outlineOf(geometry: string | null): Outline | null {
  return geometry === null ? null : (JSON.parse(geometry) as { readonly coordinates: Outline }).coordinates;
}

/** Geometry as stored: always several areas, so that each reader has one form. */
export function geometryText(outline: Outline): string {
  return JSON.stringify({ type: 'MultiPolygon', coordinates: outline });
}
