/** Box processes for the fault tests: production parts, composed by `edge-with-faults.ts`. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { PROGRAM, WITH_PACKAGES } from '../../scripts/build-servers.mjs';
import { sharedBundle } from '../support/servers/bundle';

const TOP = fileURLToPath(new URL('../..', import.meta.url));

/** One box: killed, restarted and queried by its address. */
export interface FaultEdge {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  readonly adminToken: string;
  readonly code: string;
  /** Exit of the process, once ended. */
  readonly exited: { code: number | null; signal: string | null } | undefined;
  readonly whenExited: Promise<{ code: number | null; signal: string | null }>;
  /** Tail of its output. */
  output(): string;
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Ends it cleanly. */
  stop(): Promise<void>;
}

/**
 * Plants a defect in the bundle alone, to see a fault test fail without touching the sources: `PLANT='[{"file":
 * "edge-server/store/commit-queue.ts", "from": "…", "to": "…"}]'`.
 */
function plantPlugin(): Plugin[] {
  const given = process.env['PLANT'];
  if (given === undefined) return [];
  const plants = JSON.parse(given) as { file: string; from: string; to: string }[];
  const onLoad = async ({
    path: loaded,
  }: {
    path: string;
  }): Promise<{ contents: string; loader: 'ts' } | undefined> => {
    const here = plants.filter(({ file }) => file === path.relative(TOP, loaded));
    if (here.length === 0) return undefined;
    let contents = await readFile(loaded, 'utf8');
    for (const { file, from, to } of here) {
      if (!contents.includes(from)) throw new Error(`PLANT: ${file} has no "${from}"`);
      console.log(`planted in ${file}: ${to}`);
      contents = contents.replace(from, to);
    }
    return { contents, loader: 'ts' };
  };
  return [{ name: 'plant', setup: (made) => made.onLoad({ filter: /\.ts$/ }, onLoad) }];
}

/** Error for a box that ended before it listened. */
export class EndedAtStart extends Error {
  constructor(
    readonly signal: string | null,
    readonly code: number | null,
    printed: string,
  ) {
    super(`the box ended before it listened (${signal ?? code}):\n${printed}`);
  }
}

/** A planted defect belongs to one process. */
const BUNDLE = process.env['PLANT'] === undefined ? 'edge-with-faults' : `edge-with-faults-${randomUUID()}`;

/** Folder with the box (`server.mjs`) and its supervisor. */
function bundled(): Promise<string> {
  return sharedBundle({
    name: BUNDLE,
    options: {
      ...PROGRAM,
      ...WITH_PACKAGES,
      entryPoints: { server: 'tests/faults/edge-with-faults.ts', supervisor: 'edge-server/supervisor.ts' },
      sourcemap: false,
      plugins: [...(WITH_PACKAGES.plugins ?? []), ...plantPlugin()],
    },
    migrations: 'edge',
    // A box with a planted defect starts seldom.
    compiled: process.env['PLANT'] === undefined,
  });
}

/**
 * Starts a box on a free loopback port.
 *
 * @throws EndedAtStart
 *
 * @param env settings of the box and of the faults to plant (see `edge-with-faults.ts`)
 */
export async function startFaultEdge(home: string, env: Readonly<Record<string, string>> = {}): Promise<FaultEdge> {
  const program = path.join(await bundled(), 'server.mjs');
  const adminToken = 'admin-token-of-the-fault-tests';
  const child: ChildProcess = spawn(process.execPath, [program], {
    cwd: TOP,
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      REEF_HOME: home,
      EDGE_PORT: '0',
      EDGE_ADMIN_TOKEN: adminToken,
      MIN_FREE_GB: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let printed = '';
  const note = (bytes: Buffer): void => {
    printed = (printed + bytes.toString('utf8')).slice(-4_000);
  };
  child.stdout?.on('data', note);
  child.stderr?.on('data', note);
  let exited: { code: number | null; signal: string | null } | undefined;
  const whenExited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('close', (code, signal) => {
      exited = { code, signal };
      resolve(exited);
    });
  });
  const ready = await Promise.race([
    new Promise<{ port: number; code: string }>((resolve) =>
      child.once('message', (message) => resolve(message as { port: number; code: string })),
    ),
    whenExited.then(({ code, signal }) => {
      throw new EndedAtStart(signal, code, printed);
    }),
  ]);
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (exited === undefined) child.kill(signal);
    await whenExited;
  };
  return {
    pid: child.pid as number,
    port: ready.port,
    url: `http://127.0.0.1:${ready.port}`,
    adminToken,
    code: ready.code,
    get exited() {
      return exited;
    },
    whenExited,
    output: () => printed,
    kill,
    stop: async () => {
      const late = setTimeout(() => child.kill('SIGKILL'), 15_000);
      await kill('SIGTERM');
      clearTimeout(late);
    },
  };
}

/** Starts a box under production's own supervisor on a given port; returns a function that ends both. */
export async function startSupervised(
  home: string,
  port: number,
  env: Readonly<Record<string, string>>,
): Promise<{ output: () => string; stop: () => Promise<void> }> {
  // The supervisor starts the `server.mjs` next to it.
  const program = path.join(await bundled(), 'supervisor.mjs');
  const child = spawn(process.execPath, [program], {
    cwd: TOP,
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      REEF_HOME: home,
      EDGE_PORT: String(port),
      EDGE_ADMIN_TOKEN: 'admin-token-of-the-fault-tests',
      MIN_FREE_GB: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (printed += bytes.toString('utf8')));
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    output: () => printed,
    stop: async () => {
      const late = setTimeout(() => child.kill('SIGKILL'), 15_000);
      child.kill('SIGTERM');
      await gone;
      clearTimeout(late);
    },
  };
}
