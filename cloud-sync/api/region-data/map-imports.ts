import type pg from 'pg';

/** Last import of a region's map, with its report. */
export interface StoredImport {
  /** ISO 8601 time. */
  readonly at: string;
  readonly by: string;
  readonly layers: readonly {
    readonly layer: string;
    readonly imported: number;
    readonly left: number;
    readonly lines: readonly string[];
  }[];
}

export async function lastImport(pool: pg.Pool, regionId: string): Promise<StoredImport | null> {
  const { rows } = await pool.query<{ at: Date; by: string; report: Pick<StoredImport, 'layers'> }>(
    'SELECT at, by, report FROM map_imports WHERE region_id = $1 ORDER BY id DESC LIMIT 1',
    [regionId],
  );
  const [row] = rows;
  return row === undefined ? null : { at: row.at.toISOString(), by: row.by, layers: row.report.layers };
}
