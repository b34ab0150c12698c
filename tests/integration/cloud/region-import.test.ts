import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { VectorTile } from '@mapbox/vector-tile';
import Pbf from 'pbf';
import { FetchSource, PMTiles } from 'pmtiles';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseArguments } from '../../../cloud-sync/region-import/arguments';
import { importRegion } from '../../../cloud-sync/region-import/import-region';
import type { ImportReport } from '../../../cloud-sync/region-import/import-report';
import { reportText } from '../../../cloud-sync/region-import/import-report';
import type { RegionMeta } from '../../../src/domain/results/region-meta';
import type { FeatureTable } from '../../../src/domain/results/feature-table';
import { startCloud, type TestCloud } from '../../support/servers/cloud';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Real outlines if this machine has them, else generated ones. */
const REAL = new URL('../../../../shared/data/reefs', import.meta.url).pathname;
const folder = mkdtempSync(path.join(tmpdir(), 'reef-region-'));
let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startCloud();
});
afterAll(async () => {
  await cloud.close();
  rmSync(folder, { recursive: true, force: true });
});

type Corner = readonly [number, number];
const square = (west: number, south: number, side = 0.1): Corner[] => [
  [west, south],
  [west + side, south],
  [west + side, south + side],
  [west, south + side],
  [west, south],
];
const feature = (id: unknown, geometry: unknown, properties: object = {}) => ({
  type: 'Feature',
  id,
  geometry,
  properties,
});
const area = (...rings: readonly (readonly Corner[])[]) => ({ type: 'Polygon', coordinates: rings });
function file(name: string, content: unknown): string {
  const place = path.join(folder, name);
  writeFileSync(place, typeof content === 'string' ? content : JSON.stringify(content));
  return place;
}
const collection = (...features: unknown[]) => ({ type: 'FeatureCollection', features });

const pool = () => cloud.cloud.context.database.pool;
function run(...args: string[]): Promise<ImportReport> {
  const named = args.filter((arg) => arg.startsWith('--') && !/region|raster|bounds|projection/.test(arg));
  const attributions = named.flatMap((arg) => ['--attribution', `${arg.slice(2)}=© the source of ${arg.slice(2)}`]);
  const region = args.includes('--region') ? [] : ['--region', 'hawaii'];
  return importRegion(pool(), parseArguments([...region, ...args, ...attributions]), 'test', new Date());
}
const cdn = async <T>(name: string): Promise<T | null> => {
  const answer = await fetch(`${cloud.url}/cdn/map/${name}`);
  return answer.ok ? ((await answer.json()) as T) : null;
};

describe('1§3, 1§7: the import of a region', () => {
  it('1§3 outlines of every kind are imported or left out with a line', async () => {
    const coast = Array.from({ length: 100_000 }, (_, i): Corner => {
      const angle = (i / 100_000) * 2 * Math.PI;
      const radius = 0.2 + 0.01 * Math.sin(i / 9);
      return [-157 + radius * Math.cos(angle), 21 + radius * Math.sin(angle)];
    });
    const report = await run(
      '--outlines',
      file(
        'outlines.geojson',
        collection(
          feature(1, area(square(-156, 20)), { gid: '1-001', name: 'Square Reef', type: 'Reef' }),
          feature(1, area(square(-155, 20))),
          feature(
            2,
            area([
              [-156, 21],
              [-155.9, 21.1],
              [-155.9, 21],
              [-156, 21.1],
              [-156, 21],
            ]),
          ),
          feature(3, area(square(179.95, 25))),
          feature(4, area([...coast, coast[0] as Corner])),
          feature(5, null),
          feature(
            6,
            area([
              [-150, 20],
              [-150, 95],
              [-149, 20],
              [-150, 20],
            ]),
          ),
          feature(undefined, area(square(-154, 20))),
        ),
      ),
      '--outlines',
      file(
        'points.geojson',
        collection(
          feature(2, { type: 'Point', coordinates: [-156, 21] }, { name: 'Bow Reef', gid: '2-002' }),
          feature(9, { type: 'Point', coordinates: [-158, 22] }, { name: 'Bow Reef', gid: '9-009' }),
        ),
      ),
    );
    expect(report.layers[0]).toMatchObject({ layer: 'surveyedReefs', imported: 5, left: 4 });
    const lines = report.layers[0]?.lines.join('\n') ?? '';
    for (const line of [
      'outlines.geojson, feature 2 (1) has the id of an earlier feature of this file; left out.',
      'outlines.geojson, feature 3 (2) has an outline that crosses itself at -155.95000, 21.05000',
      'outlines.geojson, feature 4 (3) crosses the date line; its outline is split there.',
      'outlines.geojson, feature 5 (4) has an outline of 100,001 corners; it is drawn with ',
      'outlines.geojson, feature 6 has no geometry; left out.',
      'outlines.geojson, feature 7 has a position that is not on the earth; left out.',
      'outlines.geojson, feature 8 has no id; left out.',
    ])
      expect(lines).toContain(line);
    expect(reportText(report)).toMatch(/^hawaii, surveyedReefs: 5 imported, 4 left out\.\n {2}outlines/);
    const { rows } = await pool().query<{
      id: string;
      row_number: number;
      name: string;
      corners: number;
      original: number;
    }>(
      `SELECT id, row_number, name, jsonb_array_length(geometry::jsonb #> '{coordinates,0,0}') AS corners, length(original_geometry) AS original
       FROM map_features WHERE region_id = 'hawaii' ORDER BY row_number`,
    );
    expect(rows.map((row) => [row.id, row.row_number, row.name])).toEqual([
      ['1', 0, 'Square Reef'],
      ['2', 1, 'Bow Reef'],
      ['3', 2, ''],
      ['4', 3, ''],
      ['9', 4, 'Bow Reef'],
    ]);
    expect(rows[3]?.corners).toBeLessThan(20_001);
    expect(rows[3]?.original, 'the original is kept').toBeGreaterThan(2_000_000);
    await expect
      .poll(async () => (await cdn<FeatureTable>('hawaii/features.json'))?.bounds[2], { timeout: 30_000 })
      .toEqual([179.95, 25, -179.95, 25.1]);
  });

  it('3§3 rows name reefs by id, number or unique name; unusable ones are left out', async () => {
    const report = await run(
      '--cots',
      file(
        'cots.csv',
        'id,gid,name,priority\r\n1,,,high\r\n,9-009,,low\r\n,,Bow Reef,low\r\n,,Square Reef,low\r\n4,,=1+1,low\r\nnone,,,x\r\n',
      ),
      '--rubble',
      file(
        'rubble.csv',
        '\u{feff}longitude,latitude,images,probability\n-156,20,12,43.5%\n-156,20,3,101%\n200,20,3,50\n-156,99,3,50\n"-156","20",0,50\n',
      ),
      '--zoning',
      file(
        'zoning.geojson',
        collection(
          feature(1, area(square(-156, 20)), { ALT_ZONE: 'Green Zone', NAME: 'MNP-1' }),
          feature(2, area(square(-155, 20)), { ALT_ZONE: 'Commonwealth Island' }),
        ),
      ),
      '--raster',
      `heat=${file('heat.png', Buffer.from('89504e470d0a1a0a', 'hex').toString('latin1'))}`,
      '--bounds',
      'heat=-160,18,-154,23',
      '--attribution',
      'heat=© the source of heat',
      '--projection',
      'heat=epsg:4326',
    ).catch((error: unknown) => error as Error);
    expect(String(report)).toContain('heat.png is not a picture (PNG, JPEG, WebP or AVIF).');
    expect(
      (await pool().query(`SELECT FROM map_sites WHERE region_id = 'hawaii'`)).rowCount,
      'nothing half imported',
    ).toBe(0);

    const heat = path.join(folder, 'heat.png');
    await sharp({ create: { width: 600, height: 500, channels: 3, background: '#c81e1e' } })
      .png()
      .toFile(heat);
    const given = (...layers: string[]) =>
      layers.flatMap((layer) => [
        `--${layer}`,
        path.join(folder, `${layer}.${/rubble|cots/.test(layer) ? 'csv' : 'geojson'}`),
      ]);
    file('land.geojson', collection(feature(1, area(square(-157, 21)))));
    file(
      'islands.geojson',
      collection(feature(1, area(square(-156.5, 21))), feature(2, { type: 'Point', coordinates: [0, 0] })),
    );
    file(
      'depth200.geojson',
      collection(
        feature(1, area(square(-159, 21)), { depth: 200 }),
        feature(2, area(square(-158, 21)), { depth: 1000 }),
      ),
    );
    const done = await run(
      ...given('cots', 'rubble', 'zoning', 'land', 'depth200'),
      ...['--land', path.join(folder, 'islands.geojson')],
      ...['--raster', `heat=${heat}`, '--bounds', 'heat=-160,18,-154,23', '--projection', 'heat=EPSG:4326'],
      ...['--attribution', 'heat=© the source of heat'],
    );
    expect(done.layers.map(({ layer, imported, left }) => [layer, imported, left])).toEqual([
      ['land', 2, 1],
      ['depth200', 1, 1],
      ['zoning', 1, 1],
      ['rubbleProbability', 2, 3],
      ['cotsPriority', 2, 4],
      ['raster-heat', 1, 0],
    ]);
    const lines = done.layers.flatMap((layer) => layer.lines).join('\n');
    for (const line of [
      'zoning.geojson, feature 2 is of "Commonwealth Island", which has no colour; left out.',
      'rubble.csv, line 3 has more than 100% in probability ("101%"); left out.',
      'rubble.csv, line 5 has no position on the earth (longitude, latitude); left out.',
      'rubble.csv, line 6 has no number of photographs (images); left out.',
      'islands.geojson, feature 2 is a point, and this layer has areas; left out.',
      'depth200.geojson, feature 2 is of the depth 1000, and this layer is of 200 m; left out.',
      'cots.csv, line 4 has the name Bow Reef, which 2 features share; left out.',
      'cots.csv, line 5 is about 1 again; left out.',
      'cots.csv, line 6 has a formula in name ("=1+1"); left out.',
      'cots.csv, line 7 names no feature of the region (none); left out.',
    ])
      expect(lines).toContain(line);
    const meta = async () => {
      const found = await cdn<RegionMeta>('hawaii/meta.json');
      return { withoutData: found?.withoutData, heat: found?.attributions.includes('© the source of heat') };
    };
    await expect
      .poll(meta, { timeout: 30_000 })
      .toEqual({ withoutData: ['censusPriority', 'deepReefs', 'hotRefugiaReefs', 'keySourceReefs'], heat: true });
    expect(await (await fetch(`${cloud.url}/cdn/map/hawaii/rubble.csv`)).text()).toBe(
      'n,longitude,latitude,photographs,probability,source,low,high,analysts,skillVersion,pipelineVersion\r\n0,-156,20,12,43.5,imported,,,,,\r\n1,-160,20,3,50,imported,,,,,\r\n',
    );
  });

  it('1§7, 3§7, 3§9 what was imported is on the map: zones in their colour, base, priorities, rubble, rasters by Accept', async () => {
    const names = ['base', 'priorities', 'raster', 'reefs', 'rubble', 'validation', 'zoning'].map(
      (kind) => `${kind}-hawaii`,
    );
    const { archiveJobs, mapArchives } = cloud.cloud.context;
    await archiveJobs.requestChanged();
    await expect
      .poll(async () => (await cdn<RegionMeta>('hawaii/meta.json'))?.layers.map(({ name }) => name), {
        timeout: 90_000,
      })
      .toEqual(names);
    const features = async (name: string, layer: string) => {
      const tile = await new PMTiles(new FetchSource(`${cloud.url}/tiles/${name}.pmtiles`)).getZxy(0, 0, 0);
      const { layers } = new VectorTile(new Pbf(new Uint8Array(tile!.data)) as never);
      const found = layers[layer];
      return Array.from({ length: found?.length ?? 0 }, (_, n) => found!.feature(n)).map(({ id, properties }) => ({
        id,
        ...properties,
      }));
    };
    expect(await features('zoning-hawaii', 'zoning-points'), 'Green').toEqual([{ id: 0, zone: 1 }]);
    expect(await features('base-hawaii', 'land-points')).toHaveLength(2);
    expect(await features('base-hawaii', 'depth200-points')).toHaveLength(1);
    expect(await features('rubble-hawaii', 'rubble')).toEqual([{ id: 0 }, { id: 1 }]);
    expect(
      (await features('priorities-hawaii', 'priority-points')).map((row) => (row as { readonly p?: number }).p),
    ).toEqual([1, 1]);
    expect((await mapArchives.mapLayers('hawaii')).find(({ kind }) => kind === 'raster')?.attribution).toBe(
      '© the source of heat',
    );
    for (const [accept, type] of [
      ['image/avif,image/webp,*/*', 'image/avif'],
      ['image/webp,*/*', 'image/webp'],
    ] as const) {
      const answer = await fetch(`${cloud.url}/tiles/raster-hawaii/2/0/1`, { headers: { accept } });
      expect([answer.status, answer.headers.get('content-type'), answer.headers.get('vary')]).toEqual([
        200,
        type,
        'Origin, Accept',
      ]);
      const { data, info } = await sharp(Buffer.from(await answer.arrayBuffer()))
        .ensureAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      // 157° W, 20.5° N of the tile 2/0/1.
      const at = 4 * (196 * info.width + 65);
      expect([info.width, info.height, (data[at] ?? 0) > 180, (data[at + 1] ?? 0) < 60, data[at + 3]]).toEqual([
        256,
        256,
        true,
        true,
        255,
      ]);
      expect(data[3], 'nothing outside of its bounds').toBe(0);
    }
  });

  it('1§3 an import that is repeated changes no row and doubles nothing', async () => {
    const rows = async () =>
      (
        await pool().query(
          `SELECT md5(string_agg(s::text, '' ORDER BY layer, id)) AS sites, count(*) FROM map_sites s WHERE region_id = 'hawaii'`,
        )
      ).rows;
    const before = await rows();
    await run(
      '--cots',
      path.join(folder, 'cots.csv'),
      '--rubble',
      path.join(folder, 'rubble.csv'),
      '--zoning',
      path.join(folder, 'zoning.geojson'),
    );
    expect(await rows()).toEqual(before);
  });

  it('1§3 a new import keeps row numbers, marks what is gone, and leaves what was computed', async () => {
    await pool().query(
      `INSERT INTO feature_counts (region_id, dataset_id, feature_id, surveys, images) VALUES ('hawaii', 'grc6', '9', 3, 4) ON CONFLICT DO NOTHING`,
    );
    const again = collection(
      feature(9, area(square(-158, 22)), { name: 'Bow Reef' }),
      feature('0', area(square(-157, 22))),
    );
    const report = await run('--outlines', file('again.geojson', again));
    expect(report.layers[0]?.lines.at(-1)).toContain('The map loses 4 features');
    const { rows } = await pool().query<{ id: string; n: number }>(
      `SELECT id, row_number AS n FROM map_features WHERE region_id = 'hawaii' AND NOT deleted ORDER BY id`,
    );
    expect(rows).toEqual([
      { id: '0', n: 5 },
      { id: '9', n: 4 },
    ]);
    await expect
      .poll(async () => (await cdn<FeatureTable>('hawaii/features.json'))?.types, { timeout: 30_000 })
      .toEqual(['', 'Removed']);
  });

  it.each([
    ['cut off', '{"type":"FeatureCollection","features":[{"type":"Feature","id":1,', 'is cut off'],
    ['no collection', '{"type":"Feature"}', 'is not a GeoJSON FeatureCollection'],
    ['no JSON', '{"features":[{oops}]}', 'feature 1 cannot be read'],
    ['without a usable feature', collection(feature(1, null)), 'No feature of bad.geojson could be imported.'],
  ])('1§3 a file that is %s ends the import, and nothing changes', async (_what, content, words) => {
    const before = await pool().query(`SELECT md5(string_agg(f::text, '' ORDER BY id)) FROM map_features f`);
    await expect(run('--outlines', file('bad.geojson', content))).rejects.toThrow(words);
    expect((await pool().query(`SELECT md5(string_agg(f::text, '' ORDER BY id)) FROM map_features f`)).rows).toEqual(
      before.rows,
    );
  });

  it.each([
    [['--region', 'mars'], 'Say which region'],
    [['--region', 'gbr'], 'Name at least one file'],
    [['--region', 'gbr', '--outlines', 'x'], 'The data of outlines have no attribution'],
    [['--region', 'gbr', '--raster', 'a=b', '--attribution', 'a=c'], 'The raster a has no bounds'],
    [
      ['--region', 'gbr', '--raster', 'a=b', '--attribution', 'a=c', '--bounds', 'a=1,2,3,4'],
      'Say how the raster a is projected',
    ],
    [['--region', 'gbr', '--wrong'], 'npm run region:import'],
  ])('1§3 the arguments %j are refused', (args, words) => {
    expect(() => parseArguments(args)).toThrow(words);
  });

  it.runIf(existsSync(REAL))(
    '1§3 the real outlines, points and zones of the Great Barrier Reef are imported',
    async () => {
      const report = await run(
        ...['--region', 'gbr', '--outlines', path.join(REAL, 'gbr-features-outlines.geojson')],
        ...[
          '--outlines',
          path.join(REAL, 'gbr-features-points.geojson'),
          '--zoning',
          path.join(REAL, 'gbr_zoning.geojson'),
        ],
        ...['--attribution', 'outlines=© GBRMPA', '--attribution', 'zoning=© GBRMPA'],
      );
      expect(report.layers.map(({ layer, imported, left }) => [layer, imported, left])).toEqual([
        ['surveyedReefs', 5336, 0],
        ['zoning', 686, 70],
      ]);
    },
  );
});
