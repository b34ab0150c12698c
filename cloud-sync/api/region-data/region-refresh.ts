import type pg from 'pg';

type Client = Pick<pg.ClientBase, 'query'>;

/** Settings that say which regions' surveys are to be placed again; the value is the last survey placed. */
const WANTED = 'region-refresh.';

/** Asks for all surveys of a region to be placed again: its features or datasets changed. In the caller's transaction. */
export async function wantRefresh(client: Client, regionId: string): Promise<void> {
  await client.query(
    `INSERT INTO shared_settings (name, value) VALUES ($1, '') ON CONFLICT (name) DO UPDATE SET value = ''`,
    [`${WANTED}${regionId}`],
  );
}

/** Regions whose surveys are to be placed again. */
export async function refreshedRegions(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM shared_settings WHERE starts_with(name, $1) ORDER BY name',
    [WANTED],
  );
  return rows.map(({ name }) => name.slice(WANTED.length));
}

/** Last survey that was placed; undefined if nothing is wanted. */
export async function refreshPosition(client: Client, regionId: string): Promise<string | undefined> {
  const { rows } = await client.query<{ value: string }>('SELECT value FROM shared_settings WHERE name = $1', [
    `${WANTED}${regionId}`,
  ]);
  return rows[0]?.value;
}

/** Moves on, unless the region was asked for again. @param to null: done */
export async function moveRefresh(client: Client, regionId: string, from: string, to: string | null): Promise<void> {
  const name = `${WANTED}${regionId}`;
  if (to === null) await client.query('DELETE FROM shared_settings WHERE name = $1 AND value = $2', [name, from]);
  else await client.query('UPDATE shared_settings SET value = $3 WHERE name = $1 AND value = $2', [name, from, to]);
}
