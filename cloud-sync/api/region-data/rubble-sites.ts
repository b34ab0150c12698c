import type pg from 'pg';
import type { RubbleOrigin, RubbleSource } from '../../../src/domain/results/tables/rubble-file';

type Client = Pick<pg.ClientBase, 'query'>;

export const RUBBLE_IMPORTED = 'rubbleProbability';
/** Layer of the sites that are computed from photographs; imported ones are not changed. */
export const RUBBLE_COMPUTED = 'rubbleProbabilityComputed';

type Nullable<Facts> = { readonly [Name in keyof Facts]: Facts[Name] | null };

/** Site with rubble. The facts of `RubbleSource` are null for imported sites, and for computed ones until all are known. */
interface NumberedSite extends Nullable<RubbleSource> {
  /** Number in tiles and in `rubble.csv`; never changes. */
  readonly number: number;
  readonly source: RubbleOrigin;
  readonly longitude: number;
  readonly latitude: number;
  readonly photographs: number;
  /** Mean probability, percent. */
  readonly probability: number;
}

const NUMBER_NEW = `INSERT INTO rubble_numbers (region_id, layer, id, number)
  SELECT $1, s.layer, s.id, (SELECT coalesce(max(n.number), -1) FROM rubble_numbers n WHERE n.region_id = $1) + row_number() OVER (ORDER BY s.layer, s.id)
  FROM map_sites s WHERE s.region_id = $1 AND s.layer = ANY($2)
    AND NOT EXISTS (SELECT FROM rubble_numbers n WHERE n.region_id = $1 AND n.layer = s.layer AND n.id = s.id)
  ON CONFLICT DO NOTHING`;

/** Sites of a region with rubble, in order of their numbers; new ones are numbered. */
export async function rubbleSites(client: Client, regionId: string): Promise<readonly NumberedSite[]> {
  const layers = [RUBBLE_IMPORTED, RUBBLE_COMPUTED];
  await client.query(NUMBER_NEW, [regionId, layers]);
  const { rows } = await client.query<NumberedSite>(
    `SELECT n.number, s.longitude, s.latitude, (s.properties ->> 'images')::float8 AS photographs, (s.properties ->> 'probability')::float8 AS probability,
       CASE s.layer WHEN $3 THEN 'census' ELSE 'imported' END AS source, (c.properties ->> 'low')::float8 AS low, (c.properties ->> 'high')::float8 AS high, (c.properties ->> 'analysts')::float8 AS analysts,
       (c.properties ->> 'skill')::float8 AS skill, (c.properties ->> 'pipeline')::float8 AS pipeline
     FROM map_sites s JOIN rubble_numbers n USING (region_id, layer, id) LEFT JOIN LATERAL (SELECT s.properties WHERE s.layer = $3) c ON true
     WHERE s.region_id = $1 AND s.layer = ANY($2) ORDER BY n.number`,
    [regionId, layers, RUBBLE_COMPUTED],
  );
  return rows;
}
