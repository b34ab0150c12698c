import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { FeatureTable } from '../../../src/domain/results/feature-table';
import { testDatabase } from '../../support/postgres/postgres';
import { startCloud, type TestCloud } from '../../support/servers/cloud';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const outline = {
  type: 'Polygon',
  coordinates: [
    [
      [146, -17],
      [147, -17],
      [147, -16],
      [146, -16],
      [146, -17],
    ],
  ],
};
/** Features as versions before the census stored them: whole, geometries as text. */
const FORMER = [
  {
    id: 'moore',
    regionId: 'gbr',
    properties: { name: 'Moore Reef', gid: '16-071', type: 'Reef' },
    geometry: JSON.stringify(outline),
    originalGeometry: JSON.stringify(outline),
    meta: { censusYears: [2025], datasets: ['grc6'] },
    years: { '2025': { surveys: 3 } },
  },
  {
    id: 'point',
    regionId: 'gbr',
    properties: { name: 'Point Reef' },
    geometry: JSON.stringify({ type: 'Point', coordinates: [150, -20] }),
  },
  { id: 'gone', regionId: 'gbr', properties: { name: 'Old' }, geometry: outline, isDeleted: true },
  { id: 'broken', regionId: 'gbr', geometry: '{"type":' },
  { id: 'mars', regionId: 'mars', geometry: JSON.stringify(outline) },
];

let cloud: TestCloud;
let closeDatabase: () => Promise<void>;
beforeAll(async () => {
  const database = await testDatabase();
  closeDatabase = database.close;
  const before = await startCloud({ databaseUrl: database.url });
  const { pool } = before.cloud.context.database;
  await pool.query(
    `INSERT INTO reference_documents (collection, id, doc) SELECT 'features', doc ->> 'id', doc FROM jsonb_array_elements($1::jsonb) doc`,
    [JSON.stringify(FORMER)],
  );
  await pool.query(
    `INSERT INTO map_features (region_id, id, row_number, gid, name, type, longitude, latitude, bounds, imported) VALUES ('gbr', 'point', 0, '', 'Imported since', 'Reef', 1, 1, '{1,1,1,1}', '{}')`,
  );
  await before.close();
  cloud = await startCloud({ databaseUrl: database.url });
});
afterAll(async () => {
  await cloud.close();
  await closeDatabase();
});

it('1§3 features of an older database are on the map after the start, and none is lost', async () => {
  const { pool } = cloud.cloud.context.database;
  const rows = async (text: string) => (await pool.query(text)).rows;
  expect(
    await rows(
      `SELECT id, row_number AS n, name, gid, geometry IS NOT NULL AS has_outline, original_geometry IS NOT NULL AS has_original, deleted FROM map_features ORDER BY id`,
    ),
  ).toEqual([
    { id: 'gone', n: 1, name: 'Old', gid: '', has_outline: true, has_original: true, deleted: true },
    { id: 'moore', n: 2, name: 'Moore Reef', gid: '16-071', has_outline: true, has_original: true, deleted: false },
    { id: 'point', n: 0, name: 'Imported since', gid: '', has_outline: false, has_original: false, deleted: false },
  ]);
  expect(
    await rows(`SELECT collection, id FROM reference_documents WHERE collection LIKE 'features%' ORDER BY id`),
  ).toEqual([
    { collection: 'features-unread', id: 'broken' },
    { collection: 'features-unread', id: 'mars' },
  ]);
  const { body } = await cloud.get<{ items: { meta: object }[] }>('/api/query/feature?featureId=moore', null);
  expect(body.items[0]?.meta).toMatchObject({ datasets: ['grc6'], censusYears: ['2025'], counts: {} });
  await expect
    .poll(
      async () => ((await (await fetch(`${cloud.url}/cdn/map/gbr/features.json`)).json()) as Partial<FeatureTable>).ids,
      { timeout: 60_000 },
    )
    .toEqual(['point', 'gone', 'moore']);
});
