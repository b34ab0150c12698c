import { fileURLToPath } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';
import { addDemoMap } from '../../../cloud-sync/api/region-data/demo-map';
import { startCloud, type TestCloud } from '../../support/servers/cloud';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

/** The app's folder before it is built: it has the same reefs. */
const APP = fileURLToPath(new URL('../../../public', import.meta.url));

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function cloudWith(env: Readonly<Record<string, string>>): Promise<TestCloud> {
  const cloud = await startCloud({ env, hooks: { appFolder: APP } });
  ends.push(() => cloud.close());
  return cloud;
}

it('3§2 a demo has a map: the reefs that come with the app, published for anyone', async () => {
  const cloud = await cloudWith({ DEMO: '1' });
  const table = async (): Promise<{ names?: readonly string[] }> => {
    const answer = await fetch(`${cloud.url}/cdn/map/gbr/features.json`);
    return answer.status === 200 ? ((await answer.json()) as { names: readonly string[] }) : {};
  };
  await expect.poll(table, { timeout: 200_000 }).toMatchObject({ names: expect.arrayContaining(['Moore Reef']) });
  const { pool } = cloud.cloud.context.database;
  const { rows } = await pool.query("SELECT attribution FROM map_layers WHERE region_id = 'gbr'");
  expect(rows).toEqual([{ attribution: expect.stringContaining('GBRMPA') }]);
});

it('3§7 a map that staff imported stays as it is, and without demo mode nothing is added', async () => {
  const cloud = await cloudWith({});
  const { pool } = cloud.cloud.context.database;
  const count = async (): Promise<unknown> => (await pool.query('SELECT FROM map_features')).rowCount;
  expect(await count()).toBe(0);
  await pool.query(
    `INSERT INTO map_features (region_id, id, row_number, gid, name, type, longitude, latitude, bounds, imported)
     VALUES ('gbr', 'own', 0, '', 'Own reef', 'Reef', 146, -17, '{146,-17,146,-17}', '{}')`,
  );
  await addDemoMap(pool, APP, new Date());
  expect(await count()).toBe(1);
  await addDemoMap(pool, null, new Date());
});
