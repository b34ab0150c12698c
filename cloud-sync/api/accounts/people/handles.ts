import type { Pool } from 'pg';

/**
 * Domain for a person who came with an event or organisation handle (1§6); empty for an unknown handle. A domain grants
 * no rights.
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
