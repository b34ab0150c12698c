import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import sharp from 'sharp';
import { afterEach, expect, test, vi } from 'vitest';
import { findRunningPostgres } from '../../cloud-sync/api/postgres/running-postgres';
import { tempFolder, until as pollUntil } from '../support/servers/client';
import { CloudProcess } from '../support/servers/cloud-process';
import { freePort } from '../support/servers/free-port';
import { processesOf } from '../support/servers/start';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 120_000 });

const LIMIT_MS = 600_000;
const COMMAND = fileURLToPath(new URL('../../scripts/region-import.mjs', import.meta.url));
const BOUNDS = ['--bounds', 'a=-160,18,-158,20', '--projection', 'a=EPSG:3857', '--attribution', 'a=© someone'];

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Waits without keeping the machine busy: each look reads all processes, or connects to the database. */
function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  return pollUntil(
    async () => (await holds()) || (await new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 90))),
    what,
    LIMIT_MS,
  );
}

/** Built service with its own database. */
class Shore {
  readonly cloud: CloudProcess;
  readonly url: string;
  readonly home: string;

  private constructor(cloud: CloudProcess, url: string, home: string) {
    this.cloud = cloud;
    this.url = url;
    this.home = home;
  }

  static async start(): Promise<Shore> {
    const folder = tempFolder('region-data');
    ends.push(() => folder.remove());
    const port = await freePort();
    const cloud = await CloudProcess.cloud({ env: { REEF_HOME: folder.path, CLOUD_PORT: String(port) } });
    ends.push(() => cloud.stop());
    return new Shore(cloud, `http://127.0.0.1:${port}`, folder.path);
  }

  file(name: string): string {
    return path.join(this.home, name);
  }

  /** Rows of a query; the database is another one after each start. */
  async rows<Row extends object>(query: string): Promise<readonly Row[]> {
    const client = new pg.Client({
      connectionString: (await findRunningPostgres(this.file('cloud/postgres'))) ?? undefined,
    });
    await client.connect();
    try {
      return (await client.query<Row>(query)).rows;
    } finally {
      await client.end();
    }
  }

  async count(from: string): Promise<number> {
    const [row] = await this.rows<{ n: number }>(`SELECT count(*)::int AS n FROM ${from}`);
    return row?.n ?? 0;
  }

  /** Runs the command of operators. @returns its process, in a group of its own */
  import(...args: string[]) {
    const child = spawn(process.execPath, [COMMAND, '--region', 'hawaii', ...args], {
      env: { ...process.env, REEF_HOME: this.home, DATABASE_URL: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => (printed += part.toString()));
    const ended = new Promise<{ readonly code: number | null; readonly printed: string }>((resolve) =>
      child.once('close', (code) => resolve({ code, printed })),
    );
    return { pid: child.pid ?? -1, ended };
  }

  async imported(...args: string[]): Promise<void> {
    const { code, printed } = await this.import(...args).ended;
    expect(code, printed).toBe(0);
  }

  async isReady(): Promise<boolean> {
    return (await fetch(`${this.url}/readyz`).catch(() => undefined))?.status === 200;
  }

  /** Files of decoded pictures, and of those being decoded. */
  get pixelFiles(): readonly string[] {
    return existsSync(this.file('cloud/rasters')) ? readdirSync(this.file('cloud/rasters')).sort() : [];
  }

  get cutters(): readonly number[] {
    return processesOf(this.home, 'raster-program.mjs');
  }
}

/** Picture of flat colours by place. */
async function writePicture(file: string, side: number): Promise<string> {
  const small = await sharp(Buffer.from(Array.from({ length: 16 * 16 * 3 }, (_, i) => (i * 37) % 256)), {
    raw: { width: 16, height: 16, channels: 3 },
  })
    .png()
    .toBuffer();
  const large = sharp(small, { limitInputPixels: false }).resize(side, side, { kernel: 'nearest' });
  await large.png({ compressionLevel: 1 }).toFile(file);
  return file;
}

/** Highest memory of a process so far, bytes; 0 once it has ended. */
function peakMemory(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function priorityOf(pid: number): number | null {
  try {
    return os.getPriority(pid);
  } catch {
    return null;
  }
}

test('1§7, 3§7 the built service cuts rasters in a process of low priority with bounded memory, which may be killed', async () => {
  const shore = await Shore.start();
  const side = 9_900;
  const decoded = side * side * 4;
  let peak = 0;
  const priorities = new Set<number>();
  const watch = setInterval(() => {
    for (const pid of shore.cutters) {
      peak = Math.max(peak, peakMemory(pid));
      const priority = priorityOf(pid);
      if (priority !== null) priorities.add(priority);
    }
  }, 200);
  ends.push(() => clearInterval(watch));
  await shore.imported('--raster', `a=${await writePicture(shore.file('large.png'), side)}`, ...BOUNDS);

  // Frozen while the service is killed, so that it cannot finish first.
  await until(() => shore.pixelFiles.some((name) => name.endsWith('.new')), 'a picture is being decoded');
  const [decoder] = shore.cutters;
  process.kill(decoder!, 'SIGSTOP');
  ends.push(() => shore.cutters.includes(decoder!) && process.kill(decoder!, 'SIGKILL'));
  expect(shore.pixelFiles).toEqual([expect.stringMatching(/\.picture$/), expect.stringMatching(/\.pixels\.new$/)]);
  // It has ended for us once the decoder, which has its output, has.
  const ended = shore.cloud.kill('SIGKILL');
  await until(() => processesOf(shore.home, 'server.mjs').length === 0, 'the service has ended');
  process.kill(decoder!, 'SIGCONT');
  await ended;
  await until(() => shore.cutters.length === 0, 'the decoder ends with its service');
  expect(shore.pixelFiles, 'nothing was written after the kill').toContainEqual(
    expect.stringMatching(/\.pixels\.new$/),
  );
  await until(() => processesOf(shore.home).length === 0, 'the database has ended');

  await shore.cloud.start();
  const server = shore.cloud.pid;
  const killed: number[] = [];
  const killCutter = (what: string): Promise<void> =>
    until(() => {
      const pid = shore.cutters.find((each) => !killed.includes(each));
      if (pid === undefined) return false;
      process.kill(pid, 'SIGKILL');
      killed.push(pid);
      return true;
    }, what);
  const blocks = (): Promise<number> => shore.count('raster_tiles WHERE is_root');
  await killCutter('a process decodes');
  await until(async () => (await blocks()) > 0, 'a block is cut');
  const before = await blocks();
  await killCutter('a process cuts');
  await until(async () => (await blocks()) > before, 'cutting goes on');
  expect(await shore.isReady()).toBe(true);
  expect(shore.cloud.pid, 'the service never ended').toBe(server);
  expect(shore.cloud.output).toContain('cutting a raster failed; it is tried again from there');
  expect(await shore.count('map_archives WHERE kind = $$raster$$'), 'nothing half cut is served').toBe(0);
  expect([priorities.has(os.constants.priority.PRIORITY_LOW), os.getPriority(server)]).toEqual([true, 0]);
  expect(peak, 'never the whole picture').toBeLessThan(decoded);
});

test('1§7, 3§7 a service killed at each step of a raster resumes: the same bytes, and no block cut twice', async () => {
  const shore = await Shore.start();
  const importPicture = (): Promise<void> => shore.imported('--raster', `a=${shore.file('a.png')}`, ...BOUNDS);
  const archives = () =>
    shore.rows<{ name: string; sha256: string }>(
      `SELECT name, sha256 FROM map_archives WHERE name LIKE 'raster-%' ORDER BY name`,
    );
  const isDone = async (): Promise<boolean> =>
    (await archives()).length === 2 && (await shore.count('raster_tiles')) === 0;
  /** Bytes of both archives as anyone gets them; null for one that is not served. */
  const served = () =>
    Promise.all(
      ['raster-hawaii', 'raster-hawaii-avif'].map(async (name) => {
        const answer = await fetch(`${shore.url}/tiles/${name}.pmtiles`);
        const bytes = Buffer.from(await answer.arrayBuffer());
        return answer.status === 200 ? createHash('sha256').update(bytes).digest('hex') : null;
      }),
    );
  await writePicture(shore.file('a.png'), 1_000);
  await importPicture();
  await until(isDone, 'both archives are built');
  const before = await archives();
  await until(async () => !(await served()).includes(null), 'both archives are served');
  const whole = await served();
  expect(whole).toEqual(before.map(({ sha256 }) => sha256));

  await shore.rows('CREATE TABLE cuts (x integer, y integer)');
  await shore.rows(
    'CREATE FUNCTION note_cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.is_root THEN INSERT INTO cuts VALUES (NEW.x, NEW.y); END IF; RETURN NEW; END $$',
  );
  await shore.rows('CREATE TRIGGER note_cut BEFORE INSERT ON raster_tiles FOR EACH ROW EXECUTE FUNCTION note_cut()');
  await shore.rows(`DELETE FROM map_archives WHERE name LIKE 'raster-%'`);
  await importPicture();
  const cuts = (): Promise<number> => shore.count('cuts');
  const steps: readonly (readonly [step: string, isReached: () => Promise<boolean>])[] = [
    ['a picture is being decoded', async () => shore.cutters.length > 0],
    ['the first block is cut', async () => (await cuts()) >= 1],
    ['the next block is being cut', async () => (await cuts()) >= 2 && shore.cutters.length > 0],
    ['an archive is stored', async () => (await archives()).length > 0],
  ];
  for (const [step, isReached] of steps) {
    await until(isReached, step);
    await shore.cloud.kill('SIGKILL');
    await until(() => processesOf(shore.home).length === 0, 'service, cutter and database have ended');
    await shore.cloud.start();
    for (const [n, sha256] of (await served()).entries()) expect([null, whole[n]], step).toContain(sha256);
  }
  await until(isDone, 'both archives are built again');
  expect(await archives()).toEqual(before);
  // The service opens an archive once its row is there.
  await until(async () => !(await served()).includes(null), 'both archives are served');
  expect(await served()).toEqual(whole);
  expect(await cuts()).toBeGreaterThan(1);
  expect(await shore.count('(SELECT DISTINCT x, y FROM cuts) d')).toBe(await cuts());
});

test('1§3 an import that is killed in the middle leaves the old map, and can be repeated', async () => {
  const shore = await Shore.start();
  const reef = (id: number, west: number) => ({
    type: 'Feature',
    id,
    properties: { name: `Reef ${id}` },
    geometry: {
      type: 'Polygon',
      coordinates: [
        [
          [west, 20],
          [west + 0.1, 20],
          [west, 20.1],
          [west, 20],
        ],
      ],
    },
  });
  const outlines = (name: string, ...ids: number[]): string[] => {
    writeFileSync(
      shore.file(name),
      JSON.stringify({ type: 'FeatureCollection', features: ids.map((id) => reef(id, -160 + id)) }),
    );
    return ['--outlines', shore.file(name), '--attribution', 'outlines=© someone'];
  };
  const state = () =>
    shore.rows(
      `SELECT (SELECT md5(string_agg(f::text, '' ORDER BY id)) FROM map_features f) AS features, (SELECT md5(string_agg(s::text, '' ORDER BY layer, id)) FROM map_sites s) AS sites,
         (SELECT md5(string_agg(l::text, '' ORDER BY layer)) FROM map_layers l) AS layers, (SELECT count(*) FROM map_imports) AS imports`,
    );
  const cots = (file: string): string[] => ['--cots', file, '--attribution', 'cots=© someone'];
  writeFileSync(shore.file('old.csv'), 'id\n1\n');
  await shore.imported(...outlines('old.geojson', 1, 2), ...cots(shore.file('old.csv')));
  const before = await state();

  // A pipe holds the import where the outlines are replaced and half of the rows are read.
  const pipe = shore.file('half.csv');
  execFileSync('mkfifo', [pipe]);
  const command = shore.import(...outlines('new.geojson', 2, 3, 4), ...cots(pipe));
  const writer = await open(pipe, 'w');
  await writer.write('id\n3\n');
  const waiting = (): Promise<number> =>
    shore.count(`pg_stat_activity WHERE state = 'idle in transaction' AND query LIKE '%map_features%'`);
  await until(async () => (await waiting()) > 0, 'the import is in its transaction');
  process.kill(-command.pid, 'SIGKILL');
  await command.ended;
  await writer.close();
  await until(async () => (await waiting()) === 0, 'the transaction has ended');
  expect(await state()).toEqual(before);
  expect(await shore.isReady()).toBe(true);

  writeFileSync(shore.file('whole.csv'), 'id\n3\n4\n');
  await shore.imported(...outlines('new.geojson', 2, 3, 4), ...cots(shore.file('whole.csv')));
  expect(await shore.rows('SELECT id FROM map_features WHERE NOT deleted ORDER BY id')).toEqual([
    { id: '2' },
    { id: '3' },
    { id: '4' },
  ]);
});
