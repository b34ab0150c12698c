import type { Pool } from 'pg';

/**
 * The domain of whoever comes by the handle of an event or organisation (1§6); none for a handle that is nobody's. A domain says
 * where somebody takes part and gives no right.
 */
export async function domainsOfHandle(pool: Pool, typed: string | null | undefined): Promise<readonly string[]> {
  const { rows } = await pool.query<{ handle: string }>(
    "SELECT handle FROM reference_documents WHERE collection IN ('events', 'organisations') AND handle = $1 AND NOT deleted LIMIT 1",
    [
      typed
        ?.replace(/\p{Cc}/gu, '')
        .trim()
        .toLowerCase() ?? '',
    ],
  );
  return rows.map(({ handle }) => handle);
}
