import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startCloud, type TestCloud } from '../../support/servers/cloud';
import { signInAs, type SignedIn } from '../../support/servers/people';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const COMMAND = fileURLToPath(new URL('../../../scripts/region-import.mjs', import.meta.url));

let cloud: TestCloud;
let admin: SignedIn;
let first: { readonly code: number | null; readonly printed: string };

type Corner = readonly [number, number];
const outline = (id: number, ...corners: readonly Corner[]) => ({
  type: 'Feature',
  id,
  properties: { name: `Reef ${id}` },
  geometry: { type: 'Polygon', coordinates: [[...corners, corners[0]]] },
});
const triangle = (id: number, west: number) => outline(id, [west, 20], [west + 0.1, 20], [west, 20.1]);
const coast = Array.from({ length: 100_000 }, (_, i): Corner => {
  const angle = (i / 100_000) * 2 * Math.PI;
  return [-157 + 0.2 * Math.cos(angle), 21 + 0.2 * Math.sin(angle)];
});

function file(name: string, content: string | object): string {
  const place = path.join(cloud.home, name);
  writeFileSync(place, typeof content === 'string' ? content : JSON.stringify(content));
  return place;
}

/** Runs the command as an operator does, on the database of the service. */
function run(...args: string[]): Promise<typeof first> {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: { ...process.env, DATABASE_URL: cloud.databaseUrl, REEF_HOME: cloud.home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (printed += part.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, printed })));
}

const layer = (option: string, place: string): string[] => [
  `--${option}`,
  place,
  '--attribution',
  `${option}=© someone`,
];

beforeAll(async () => {
  cloud = await startCloud();
  admin = await signInAs(cloud, 'admin');
  const features = [
    triangle(1, -156),
    outline(2, [-156, 21], [-155.9, 21.1], [-155.9, 21], [-156, 21.1]),
    triangle(3, 179.95),
    outline(4, ...coast),
    triangle(1, -150),
  ];
  first = await run(
    ...['--region', 'hawaii'],
    ...layer('outlines', file('outlines.geojson', { type: 'FeatureCollection', features })),
    ...layer('cots', file('cots.csv', 'id,name,note\n1,,fine\n2,,=1+1\n9,,no such reef\n')),
    ...layer('rubble', file('rubble.csv', 'longitude,latitude,images,probability\n-156,20,3,50\n-156,20,3,101%\n')),
  );
});
afterAll(() => cloud.close());

it.each([
  [
    'an outline that crosses itself',
    /outlines\.geojson, feature 2 \(2\) has an outline that crosses itself at -155\.95/,
  ],
  ['one over the date line', /feature 3 \(3\) crosses the date line; its outline is split there\./],
  ['100,000 corners', /feature 4 \(4\) has an outline of 100,001 corners; it is drawn with [\d,]+\./],
  ['two features with one id', /feature 5 \(1\) has the id of an earlier feature of this file; left out\./],
  ['a formula', /cots\.csv, line 3 has a formula in note \("=1\+1"\); left out\./],
  ['an unknown reef', /cots\.csv, line 4 names no feature of the region \(9\); left out\./],
  ['101%', /rubble\.csv, line 3 has more than 100% in probability \("101%"\); left out\./],
  ['the counts', /hawaii, surveyedReefs: 4 imported, 1 left out\./],
])('1§3 the command says in a line what it does with bad input: %s', (_what, line) => {
  expect(first.printed).toMatch(line);
  expect(first.code, 'the rest is imported').toBe(0);
});

it.each([
  ['an unknown region', ['--region', 'mars'], /Say which region: --region gbr/],
  [
    'a file that does not exist',
    ['--region', 'gbr', ...layer('outlines', '/nowhere.geojson')],
    /The file nowhere\.geojson does not exist\./,
  ],
])('1§3 the command refuses %s in a line and imports nothing', async (_what, args, line) => {
  const { code, printed } = await run(...args);
  expect(printed).toMatch(line);
  expect(printed).toContain('Nothing was imported.');
  expect(printed, 'no stack').not.toMatch(/\n\s+at /);
  expect(code).toBe(1);
});

it('1§3 on a full disk the command says so, and the map stays as it was', async () => {
  const { pool } = cloud.cloud.context.database;
  const state = async () =>
    (
      await pool.query(
        `SELECT (SELECT md5(string_agg(f::text, '' ORDER BY id)) FROM map_features f) AS features, (SELECT count(*) FROM map_imports) AS imports`,
      )
    ).rows;
  const before = await state();
  await pool.query(
    `CREATE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`,
  );
  await pool.query(
    'CREATE TRIGGER disk_is_full BEFORE INSERT ON map_imports FOR EACH ROW EXECUTE FUNCTION disk_is_full()',
  );
  const args = layer('outlines', file('new.geojson', { type: 'FeatureCollection', features: [triangle(7, -156)] }));
  const full = await run('--region', 'hawaii', ...args);
  expect(full.printed).toBe(
    'The disk of the database is full. Make room, and run the command again.\nNothing was imported.\n',
  );
  expect([full.code, await state()]).toEqual([1, before]);
  await pool.query('DROP TRIGGER disk_is_full ON map_imports');
  expect((await run('--region', 'hawaii', ...args)).printed).toContain('surveyedReefs: 1 imported');
});

const SEED = { regionId: 'gbr', name: 'Census 9', shortName: 'GRC9' };
it.each([
  [
    'dates reversed',
    ['/api/datasets', { ...SEED, id: 'x1', startDate: '2030-01-01', endDate: '2029-01-01' }],
    { error: { message: 'Error creating Dataset', field: 'endDate', reason: /2030-01-01|2029-01-01|before|after/ } },
  ],
  [
    'a day that does not exist',
    ['/api/datasets', { ...SEED, id: 'x2', startDate: '2029-02-30', endDate: '2029-03-01' }],
    { error: { message: 'Error creating Dataset', field: 'startDate', reason: /2029-02-30/ } },
  ],
  [
    'an overlap, which is allowed',
    ['/api/datasets', { ...SEED, id: 'x3', startDate: '2025-12-01', endDate: '2026-01-01' }],
    { note: /GRC9 overlaps with GRC6 \(2025-09-01 to 2026-03-01\)\. Surveys on shared days count in each of them\./ },
  ],
  [
    'an unknown dataset',
    ['/api/dataset-tag-surveys', { regionId: 'gbr', datasetId: 'grc99' }],
    { error: { message: 'Some error occurred', reason: /gbr has no dataset grc99\./ } },
  ],
] as const)('1§3, 3§8 bad input of a dataset is answered in a line: %s', async (_what, [url, body], answer) => {
  const matching = (value: unknown): unknown =>
    value instanceof RegExp
      ? expect.stringMatching(value)
      : typeof value === 'object' && value !== null
        ? expect.objectContaining(Object.fromEntries(Object.entries(value).map(([key, each]) => [key, matching(each)])))
        : value;
  expect((await cloud.ask('POST', url, body, admin.session)).body).toEqual(matching(answer));
});
