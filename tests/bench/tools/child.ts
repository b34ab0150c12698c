import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { CLOUD_ENTRIES, copyMigrations } from '../../../scripts/build-servers.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const TOP = path.join(HERE, '..', '..', '..');

/** Built programs and data of the benches: under node_modules, so on a real disk, as /tmp may be memory. */
const PLACE = path.join(TOP, 'node_modules', '.cache', 'bench');

/** Programs that a server starts beside its own. */
const SERVER_PROGRAMS = Object.fromEntries(Object.entries(CLOUD_ENTRIES).filter(([name]) => name.endsWith('-program')));

/** New folder on the disk of the checkout; the caller removes it. */
export async function benchFolder(name: string): Promise<string> {
  await mkdir(PLACE, { recursive: true });
  return mkdtemp(path.join(PLACE, `${name}-`));
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Bundles a program for production, and those that servers start: plain JavaScript for Node, so that no compiler is
 * measured; packages stay outside.
 *
 * @param entry from the project's top, for example `tests/bench/rivals/tus.ts`
 * @returns the bundle's path
 */
export async function bundle(entry: string): Promise<string> {
  const outdir = path.join(PLACE, 'built');
  const name = entry.replaceAll('/', '-').replace(/\.ts$/, '');
  await build({
    absWorkingDir: TOP,
    entryPoints: { ...SERVER_PROGRAMS, [name]: entry },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    sourcemap: true,
    logLevel: 'warning',
  });
  copyMigrations('edge', outdir);
  copyMigrations('cloud', outdir);
  return path.join(outdir, `${name}.mjs`);
}

/** Process of a contestant. It talks over Node's IPC channel: first `{ready}`, then one answer per message. */
export interface Child<Ready> {
  readonly pid: number;
  readonly ready: Ready;
  /** Sends a message and returns the answer. One at a time. */
  ask<Answer>(message: unknown): Promise<Answer>;
  stop(): Promise<void>;
}

/**
 * Starts a bench program and waits until it is ready.
 *
 * @param entry from the project's top
 * @param env settings in addition to the machine's
 * @throws Error with its output if it ends before it is ready
 */
export async function startChild<Ready>(entry: string, env: Readonly<Record<string, string>>): Promise<Child<Ready>> {
  const program = await bundle(entry);
  const child = spawn(process.execPath, [...(process.env['BENCH_NODE_FLAGS']?.split(' ') ?? []), program], {
    cwd: TOP,
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let printed = '';
  child.stderr!.on('data', (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-4000)));
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`${entry} ended (${signal ?? code})\n${printed}`)));
  });
  ended.catch(() => undefined); // The caller handles the failure; after stop() it is not an error.
  const next = () => Promise.race([new Promise<unknown>((resolve) => child.once('message', resolve)), ended]);
  const { ready } = (await next()) as { ready: Ready };
  return {
    pid: child.pid!,
    ready,
    async ask<Answer>(message: unknown) {
      const answer = next();
      child.send(message as object);
      return (await answer) as Answer;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await gone;
      clearTimeout(late);
    },
  };
}
