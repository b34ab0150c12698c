/**
 * Debian's PostgreSQL, run as a separate server for the census: reached over TCP with a password, as a role that owns
 * its database and is not a superuser.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../servers/free-port';

const INSTALLED = '/usr/lib/postgresql';
const ROLE = 'census';
const START_MS = 60_000;
/** Restart delay of a service manager, ms. */
const RESTART_MS = 200;

/** Programs of the newest version from Debian's packages on this machine; undefined if none. */
export function debianPrograms(): string | undefined {
  if (!existsSync(INSTALLED)) return undefined;
  const versions = readdirSync(INSTALLED)
    .filter((name) => /^\d+$/.test(name))
    .sort((a, b) => Number(b) - Number(a));
  return versions
    .map((name) => path.join(INSTALLED, name, 'bin'))
    .find((bin) => existsSync(path.join(bin, 'postgres')) && existsSync(path.join(bin, 'initdb')));
}

/** Running server. */
export class DebianServer {
  readonly #bin: string;
  readonly #folder: string;
  readonly #settings: readonly string[];
  readonly #password = randomBytes(12).toString('hex');
  readonly #port: number;
  #child: ChildProcess | undefined;
  #kept = true;

  private constructor(bin: string, folder: string, port: number, settings: readonly string[]) {
    this.#bin = bin;
    this.#folder = folder;
    this.#port = port;
    this.#settings = settings;
  }

  /** Starts a server in a new folder. @param settings additional ones, `name=value` */
  static async start(settings: readonly string[] = []): Promise<DebianServer> {
    const bin = debianPrograms();
    if (bin === undefined) throw new Error('Debian’s PostgreSQL is not on this machine');
    const folder = mkdtempSync(path.join(tmpdir(), 'reef-dpg-'));
    if (process.getuid?.() === 0) chownSync(folder, postgresUser().uid, postgresUser().gid);
    const server = new DebianServer(bin, folder, await freePort(), settings);
    const [program, ...args] = server.#command(path.join(bin, 'initdb'), [
      '-D',
      server.#data,
      '-U',
      'postgres',
      '--auth-local=trust',
      '--auth-host=scram-sha-256',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ]);
    execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    server.#spawn();
    await server.#asOwner(async (client) => {
      await client.query(`CREATE ROLE ${ROLE} LOGIN CREATEDB PASSWORD '${server.#password}'`);
      await client.query(`CREATE DATABASE ${ROLE} OWNER ${ROLE}`);
    });
    return server;
  }

  get url(): string {
    return `postgres://${ROLE}:${this.#password}@127.0.0.1:${this.#port}/${ROLE}`;
  }

  /** Kills it; it restarts, as by a service manager. */
  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  /** Stops it as an operator does for a while. */
  async away(): Promise<void> {
    this.#kept = false;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGINT');
    await gone;
  }

  /** Starts it again after {@link away}. */
  back(): void {
    this.#kept = true;
    this.#spawn();
  }

  /** Ends it and deletes its folder. */
  async stop(): Promise<void> {
    await this.away();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #data(): string {
    return path.join(this.#folder, 'data');
  }

  #spawn(): void {
    const settings = [
      'listen_addresses=127.0.0.1',
      `port=${this.#port}`,
      `unix_socket_directories=${this.#folder}`,
      'max_connections=100',
      'logging_collector=off',
      ...this.#settings,
    ].flatMap((setting) => ['-c', setting]);
    const [program, ...args] = this.#command(path.join(this.#bin, 'postgres'), ['-D', this.#data, ...settings]);
    const child = spawn(program, args, { cwd: this.#folder, stdio: 'ignore' });
    this.#child = child;
    child.once('exit', () => {
      // Right after a kill its sessions may still hold the shared memory: then the next server ends at once, and
      // another is started.
      if (this.#kept) setTimeout(() => this.#kept && this.#spawn(), RESTART_MS);
    });
  }

  /** It refuses to run as root, and ends with this process. */
  #command(program: string, args: readonly string[]): [string, ...string[]] {
    const drop =
      process.getuid?.() === 0
        ? [`--reuid=${postgresUser().uid}`, `--regid=${postgresUser().gid}`, '--clear-groups']
        : [];
    return ['setpriv', ...drop, '--pdeathsig', 'INT', '--', program, ...args];
  }

  /** Connects through its socket, which admits its owner. */
  async #asOwner(work: (client: pg.Client) => Promise<void>): Promise<void> {
    for (const until = performance.now() + START_MS; ;) {
      const client = new pg.Client({ host: this.#folder, port: this.#port, user: 'postgres', database: 'postgres' });
      client.on('error', () => undefined);
      try {
        await client.connect();
        return await work(client);
      } catch (error) {
        if (performance.now() > until || !isStarting(error)) throw error;
      } finally {
        await client.end().catch(() => undefined);
      }
      await pause(50);
    }
  }
}

function isStarting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ENOENT', 'ECONNREFUSED', '57P03'].includes(String(error.code));
}

/** User created by Debian's package, else `nobody`. */
function postgresUser(): { readonly uid: number; readonly gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((text) => text.startsWith('postgres:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) };
}
