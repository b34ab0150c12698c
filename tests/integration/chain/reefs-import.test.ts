import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { StoredReefTable } from '../../../src/data/repositories';
import type { LiveQuery } from '../../../src/data/repositories/live';
import { reefFileSchema, tableOf } from '../../../src/domain/reef/reef';
import { request } from '../../independent/wire';
import { startEdge, type TestEdge } from '../../support/servers/edge';
import { openTestTablet, until, type TestTabletOptions } from '../../support/tablet/tablet';

// Each command is a process, slow on a busy machine.
vi.setConfig({ testTimeout: 240_000 });
const TOP = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'reef-import-'));
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const point = (id: number, gid: string, name: string | undefined, at: readonly [number, number]) => ({
  type: 'Feature',
  id,
  geometry: { type: 'Point', coordinates: at },
  properties: { gid, ...(name === undefined ? {} : { name }), type: 'Reef' },
});
const file = (name: string, content: unknown): string => {
  const place = path.join(folder, name);
  writeFileSync(place, typeof content === 'string' ? content : JSON.stringify(content));
  return place;
};

interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** Runs the import command, with or without a running box. */
function importReefs(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', path.join(TOP, 'edge-server', 'reefs', 'main.ts'), ...args],
      { cwd: TOP, env: { PATH: process.env['PATH'], ...env } },
    );
    const said = { out: '', error: '' };
    child.stdout.on('data', (bytes: Buffer) => (said.out += bytes.toString()));
    child.stderr.on('data', (bytes: Buffer) => (said.error += bytes.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...said }));
  });
}

async function kept(box: TestEdge): Promise<unknown> {
  const answer = await request(`${box.url}/edge/reference/reefs-gbr`, {
    headers: { authorization: `Bearer ${box.adminToken}` },
    ca: box.ca,
  });
  return answer.status === 200 ? (JSON.parse(answer.body.toString('utf8')) as unknown) : answer.status;
}

async function reefs(
  table: LiveQuery<StoredReefTable>,
  enough: (found: StoredReefTable | undefined) => boolean,
): Promise<StoredReefTable | undefined> {
  const stop = table.subscribe(() => undefined);
  try {
    return (
      await until(
        () =>
          table.get().status === 'ready' && enough(table.get().items[0]) ? { found: table.get().items[0] } : undefined,
        'the table of reefs',
      )
    ).found;
  } finally {
    stop();
  }
}

let good: string;
beforeAll(() => {
  good = file('good.geojson', {
    type: 'FeatureCollection',
    features: [
      point(1, '16-071', 'Moore Reef', [146.2, -16.8]),
      point(2, '10-330', undefined, [142.5, -10.7]),
      point(3, '99-001', 'Nowhere', [146, -96]),
    ],
  });
});

describe('1§3 reefFeatureData: a full table of a region', () => {
  test('an import into a running box over http or https reaches its tablets once', async () => {
    for (const tls of [false, true]) {
      const box = await startEdge({ tls });
      closers.push(() => box.remove());
      const env = {
        REEF_HOME: box.home,
        EDGE_PORT: String(box.port),
        ...(tls ? { PUBLIC_URL: `https://box.lan:${box.port}` } : {}),
      };
      const run = await importReefs([good, '--attribution', '© Somebody'], env);
      expect(run).toMatchObject({ code: 0, error: '' });
      expect(run.out).toContain('Imported: 2 features, 1 of them without a name');
      expect(run.out).toContain('Left: 1: 1 off the earth.');
      expect(run.out).toContain('feature 3: off the earth');
      expect(tableOf(reefFileSchema.parse(await kept(box))).reefs.map(({ name, gid }) => name || gid)).toEqual([
        'Moore Reef',
        '10-330',
      ]);
      if (tls) continue;

      const options: TestTabletOptions = {};
      const one = await openTestTablet(options);
      const table = one.repositories.census.reefs.table('gbr');
      await one.repositories.edge.link.pair(box.url, box.code);
      const hold = one.repositories.edge.link.state.subscribe(() => undefined);
      expect(await reefs(table, (found) => found?.source === 'box')).toMatchObject({
        attribution: '© Somebody',
        regionId: 'gbr',
      });
      hold();
      await one.close();
      await box.stop();
      const again = await openTestTablet({ origin: one.origin, database: one.database });
      closers.push(() => again.close());
      expect((await reefs(again.repositories.census.reefs.table('gbr'), () => true))?.source, 'with no box').toBe(
        'box',
      );
      expect(
        await reefs(again.repositories.census.reefs.table('hawaii'), () => true),
        'a region without any',
      ).toBeUndefined();
    }
  });

  test('an import into a stopped box is there when it starts', async () => {
    const box = await startEdge();
    closers.push(() => box.remove());
    await box.stop();
    expect(await importReefs([good], { REEF_HOME: box.home })).toMatchObject({
      code: 0,
      out: expect.stringContaining('is not running') as string,
    });
    await box.restart();
    expect(reefFileSchema.safeParse(await kept(box)).success).toBe(true);
  });

  test('an invalid table is reported in one line, and the box keeps the old one', async () => {
    const box = await startEdge();
    closers.push(() => box.remove());
    const env = { REEF_HOME: box.home, EDGE_PORT: String(box.port) };
    const bad: readonly (readonly [string[], RegExp])[] = [
      [[path.join(folder, 'none.geojson')], /^The file .*none\.geojson does not exist\.$/],
      [[folder], /is not a file\.$/],
      [[file('cut.geojson', '{"type":"FeatureColl')], /is not JSON: /],
      [[file('other.json', [1, 2])], /not a GeoJSON FeatureCollection/],
      [[file('empty.geojson', { type: 'FeatureCollection', features: [] })], /has no features/],
      [
        [file('off.geojson', { type: 'FeatureCollection', features: [point(1, '', 'A', [0, 91])] })],
        /None of the 1 features could be imported: 1 off the earth/,
      ],
      [[good, '--region', 'atlantis'], /Unknown region atlantis/],
      [[], /^Name one file\./],
      [[good, '--wrong'], /npm run reefs:import/],
    ];
    const runs = await Promise.all(
      bad.map(async ([args, words]) => ({ args, words, run: await importReefs(args, env) })),
    );
    for (const { args, words, run } of runs) {
      expect([run.code, run.error.trim()], args.join(' ')).toEqual([1, expect.stringMatching(words)]);
      expect(run.error).not.toMatch(/\n {4}at /);
    }
    expect(await kept(box)).toBe(404);
    expect(await importReefs([good], { REEF_HOME: box.home, EDGE_PORT: '1' })).toMatchObject({
      code: 1,
      error: expect.stringContaining('none answers at http://127.0.0.1:1') as string,
    });
  });

  test('the bundled table has a name, number, position and source for every reef', () => {
    const table = tableOf(
      reefFileSchema.parse(JSON.parse(readFileSync(path.join(TOP, 'public', 'reefs', 'gbr.json'), 'utf8'))),
    );
    expect(table.reefs.length).toBeGreaterThan(2600);
    expect(table.attribution).toContain('© GBRMPA, CC BY 4.0');
    expect(table.reefs.filter(({ name, gid }) => name === '' || gid === '')).toEqual([]);
    expect(new Set(table.reefs.map(({ id }) => id)).size).toBe(table.reefs.length);
    expect(table.reefs.find(({ gid }) => gid === '16-071')).toMatchObject({
      name: 'Moore Reef',
      position: { latitude: expect.closeTo(-16.874, 2) as number },
    });
  });
});
