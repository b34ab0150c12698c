import { Backoff } from '../../../src/base/backoff';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { FolderLock } from '../../../src/server/files/folder-lock';
import { errorCode } from '../../../src/server/files/disk';
import { lockFolder } from '../../../src/server/files/folder-lock';
import type { PostgresBinaries } from './binaries';
import { findBinaries } from './binaries';
import type { Machine, RunAs, Runner } from './runner';
import { findRunner, thisMachine } from './runner';

interface LaunchOptions {
  readonly folder: string;
  /** Reports to the operator, for example that the database went away and is restarting. */
  readonly report?: (message: string) => void;
  readonly settings?: readonly string[];
  readonly binaries?: PostgresBinaries;
  readonly machine?: Machine;
  /** Folder for files that an unprivileged user must reach, used if root may not use namespaces. */
  readonly fallbackFolder?: string;
}

/** Embedded PostgreSQL: no port, no password, a socket only this user can open. */
export interface EmbeddedPostgres {
  readonly url: string;
  readonly runAs: RunAs;
  /** Server process id; changes after a restart. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

const USER = 'reef';
const DATABASE = 'reef';
/** Maximum socket path length: the kernel's address holds 108 bytes with its terminator. */
const SOCKET_PATH_MAX = 107;
const SOCKET_NAME = '.s.PGSQL.5432';
const START_TRIES_MS = 60_000;
const STOP_MS = 30_000;
const LOG_MAX = 16 * 1024 ** 2;
const RESTART_DELAYS = { firstMs: 100, maxMs: 10_000 };

/**
 * Starts PostgreSQL over a folder and keeps it running until `stop` or the end of this process; one process per folder.
 * Committed data survives `kill -9` and power cuts (`fsync`, `synchronous_commit`).
 *
 * @throws NoPostgresError; Error in plain words if another process uses the folder or the server does not start
 */
export async function launchPostgres(options: LaunchOptions): Promise<EmbeddedPostgres> {
  fs.mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  const lock = lockFolder(options.folder);
  try {
    const runner = findRunner(
      options.folder,
      options.binaries ?? findBinaries(),
      options.machine ?? thisMachine(),
      options.fallbackFolder,
    );
    if (runner.home !== options.folder)
      options.report?.(`PostgreSQL may not work in ${options.folder}: its data is in ${runner.home}.`);
    await initialise(runner);
    const server = new Server(runner, lock, options);
    await server.start();
    return server;
  } catch (error) {
    lock.release();
    throw error;
  }
}

class Server implements EmbeddedPostgres {
  readonly url: string;
  readonly runAs: RunAs;
  readonly #runner: Runner;
  readonly #lock: FolderLock;
  readonly #report: (message: string) => void;
  readonly #settings: readonly string[];
  readonly #socket: { folder: string; own: boolean };
  readonly #log: string;
  #child: ChildProcess | undefined;
  #postmaster: number | undefined;
  #stopping = false;
  #restarting: Promise<void> | undefined;
  #wake: (() => void) | undefined;

  constructor(runner: Runner, lock: FolderLock, options: LaunchOptions) {
    this.#runner = runner;
    this.#lock = lock;
    this.#report = options.report ?? (() => undefined);
    this.#settings = options.settings ?? [];
    this.runAs = runner.runAs;
    this.#log = path.join(runner.home, 'postgres.log');
    this.#socket = socketFolder(runner);
    this.url = `postgres://${USER}@localhost/${DATABASE}?host=${encodeURIComponent(this.#socket.folder)}`;
  }

  get pid(): number | undefined {
    return this.#postmaster;
  }

  async start(): Promise<void> {
    await this.#launch();
    await createDatabase(this.#socket.folder);
  }

  async stop(): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#wake?.();
    await this.#restarting?.catch(() => undefined);
    await this.#end();
    if (this.#socket.own) fs.rmSync(this.#socket.folder, { recursive: true, force: true });
    this.#lock.release();
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    // Fast shutdown: open sessions end, committed data is flushed.
    child.kill('SIGINT');
    const impatient = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await gone;
    clearTimeout(impatient);
  }

  /** Starts the server and waits until it answers. After a kill the previous server may still be exiting. */
  async #launch(): Promise<void> {
    const until = performance.now() + START_TRIES_MS;
    for (;;) {
      const from = logSize(this.#log);
      const child = this.#spawn();
      const answering = await waitForServer(this.#socket.folder, child, until, (pid) =>
        this.#runner.hasWatchdog ? pid !== this.#postmaster : pid === child.pid,
      );
      if (answering !== undefined) {
        this.#child = child;
        this.#postmaster = answering;
        child.once('exit', (code, signal) => this.#onExit(code, signal));
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error('PostgreSQL ended right after its start.');
        return;
      }
      const output = readLogFrom(this.#log, from);
      const busy = /already exists|is still in use|another (server|postmaster)/i.test(output);
      if (!busy || performance.now() > until || this.#stopping) {
        child.kill('SIGKILL');
        throw new Error(
          `PostgreSQL did not start in ${this.#runner.home}. Its output: ${output.trim().split('\n').slice(-4).join(' · ') || 'nothing'}`,
        );
      }
      await pause(200);
    }
  }

  #spawn(): ChildProcess {
    const { runner, settings } = { runner: this.#runner, settings: this.#settings };
    const configured = [
      'listen_addresses=',
      `unix_socket_directories=${this.#socket.folder}`,
      'unix_socket_permissions=0700',
      'port=5432',
      'fsync=on',
      'synchronous_commit=on',
      'full_page_writes=on',
      'max_connections=100',
      'timezone=UTC',
      'log_timezone=UTC',
      ...settings,
    ].flatMap((setting) => ['-c', setting]);
    const [program, ...args] = runner.command(
      runner.binaries.postgres,
      ['-D', path.join(runner.home, 'data'), ...configured],
      'INT',
    );
    const log = fs.openSync(this.#log, logSize(this.#log) > LOG_MAX ? 'w' : 'a', 0o600);
    try {
      // Own process group: Ctrl-C goes to us, and we stop the server in our order.
      return spawn(program, args, {
        stdio: ['ignore', log, log],
        cwd: runner.home,
        env: serverEnvironment(),
        detached: true,
      });
    } finally {
      fs.closeSync(log);
    }
  }

  #onExit(code: number | null, signal: string | null): void {
    if (this.#stopping) return;
    if (this.#runner.hasWatchdog) endOrphan(this.#postmaster);
    this.#report(
      `PostgreSQL ended unexpectedly (${signal ?? code ?? 'no code'}) and is being restarted. Everything confirmed is safe.`,
    );
    this.#restarting = this.#restart();
  }

  async #restart(): Promise<void> {
    const backoff = new Backoff(RESTART_DELAYS);
    while (!this.#stopping) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, backoff.next());
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      if (this.#stopping) return;
      try {
        await this.#launch();
        this.#report('PostgreSQL is running again.');
        return;
      } catch (error) {
        this.#report(
          `PostgreSQL could not be restarted; retrying. ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
  }
}

/** Creates the cluster if missing; renamed into place when complete, so that a power cut leaves no partial one. */
async function initialise(runner: Runner): Promise<void> {
  const data = path.join(runner.home, 'data');
  if (fs.existsSync(path.join(data, 'PG_VERSION'))) return;
  const making = path.join(runner.home, 'data.new');
  fs.rmSync(making, { recursive: true, force: true });
  const [program, ...args] = runner.command(
    runner.binaries.initdb,
    ['-D', making, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'],
    'KILL',
  );
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: runner.home, env: serverEnvironment() });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0)
    throw new Error(
      `PostgreSQL could not make its folder ${data}. Its output: ${output.trim().split('\n').slice(-4).join(' · ')}`,
    );
  fs.renameSync(making, data);
  const folder = fs.openSync(runner.home, 'r');
  try {
    fs.fsyncSync(folder);
  } finally {
    fs.closeSync(folder);
  }
}

/** Minimal environment: `PGDATA` and the like would redirect the server, and our secrets are not its concern. */
function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LANG: 'C', LC_ALL: 'C' };
}

/** Puts the socket in the data folder, or in a temporary folder if that path is too long. */
function socketFolder(runner: Runner): { folder: string; own: boolean } {
  if (Buffer.byteLength(path.join(runner.home, SOCKET_NAME)) < SOCKET_PATH_MAX && !runner.home.includes(','))
    return { folder: runner.home, own: false };
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'reef-pg-'));
  const { uid, gid } = fs.statSync(path.join(runner.home, 'data'));
  if (uid !== process.getuid?.()) fs.chownSync(folder, uid, gid);
  return { folder, own: true };
}

/**
 * Waits until the server accepts a connection; returns its process id, or undefined if it ended first.
 *
 * @param isOurs after a kill the previous server may still answer
 */
async function waitForServer(
  host: string,
  child: ChildProcess,
  until: number,
  isOurs: (pid: number) => boolean,
): Promise<number | undefined> {
  let ended = false;
  const failed = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  }).then(() => (ended = true));
  while (!ended && performance.now() < until) {
    const client = new pg.Client({ host, user: USER, database: 'postgres', connectionTimeoutMillis: 5000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: string }>(
        `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`,
      );
      const pid = Number(rows[0]?.pid);
      if (isOurs(pid)) return pid;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
    await Promise.race([pause(25), failed]);
  }
  return undefined;
}

/** Only the watching shell ended: stop the server too, so that another can start. */
function endOrphan(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGINT');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

async function createDatabase(host: string): Promise<void> {
  const client = new pg.Client({ host, user: USER, database: 'postgres' });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

function logSize(file: string): number {
  return fs.existsSync(file) ? fs.statSync(file).size : 0;
}

function readLogFrom(file: string, from: number): string {
  const text = fs.existsSync(file) ? fs.readFileSync(file) : Buffer.alloc(0);
  return text.subarray(Math.min(from, text.length)).toString('utf8');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
