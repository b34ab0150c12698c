/** Real edge servers as separate processes, on random free loopback ports. */
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { THREAD_POOL_ENV } from '../../../src/server/process/thread-pool';
import { EDGE_ENTRIES, PROGRAM, WITH_PACKAGES } from '../../../scripts/build-servers.mjs';
import { sharedBundle } from './bundle';
import { freePort } from './free-port';

/** Box name other than localhost; test browsers resolve it to this machine. */
const BOX_NAME = 'box.lan';
const TOP = fileURLToPath(new URL('../../..', import.meta.url));

/** Line that the server prints when it begins to listen. */
interface Listening {
  readonly url: string;
  readonly node: string;
  readonly storeEpoch: string;
  readonly pairingCode?: string;
  readonly caFingerprint?: string;
  readonly adminTokenFile?: string;
  readonly time: number;
}

export interface EdgeOptions {
  /** `REEF_HOME`; by default a new folder that `stop` and `kill` leave and `remove` deletes. */
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Serves HTTPS as `https://box.lan:<port>`, with the certificate the box makes itself; `shared`: with the certificate
   * of the first such box of this process, which its shared browser trusts.
   */
  readonly tls?: boolean | 'shared';
  /** Starts the supervisor instead of the bare server. */
  readonly supervised?: boolean;
  /** Runs these bundled entries (a folder with `server.mjs`) instead of the present source. */
  readonly program?: string;
}

/** Running edge. */
export class EdgeProcess {
  #child: ChildProcess | undefined;
  #listening: Listening | undefined;
  #printed = '';
  /** Set before the first start if the address must be known, and constant over restarts. */
  #port = 0;
  #ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }> | undefined;

  readonly #options: EdgeOptions;
  readonly #folder: string;

  private constructor(
    readonly home: string,
    options: EdgeOptions,
    folder: string,
  ) {
    this.#options = options;
    this.#folder = folder;
  }

  /** Starts an edge and waits until it listens. */
  static async start(options: EdgeOptions = {}): Promise<EdgeProcess> {
    const home = options.home ?? mkdtempSync(path.join(os.tmpdir(), 'reef-edge-'));
    const edge = new EdgeProcess(home, options, options.program ?? (await bundled()));
    if (edge.#isSecure) edge.#port = await freePort();
    if (options.tls === 'shared' && sharedCertificate !== undefined)
      cpSync(sharedCertificate, edge.#certificates, { recursive: true });
    await edge.#spawn();
    if (options.tls === 'shared' && sharedCertificate === undefined)
      sharedCertificate = keepCertificate(edge.#certificates);
    return edge;
  }

  get #isSecure(): boolean {
    return this.#options.tls !== undefined && this.#options.tls !== false;
  }

  get #certificates(): string {
    return path.join(this.home, 'edge', 'tls');
  }

  /** `http://127.0.0.1:<port>`, or https. */
  get url(): string {
    return this.#said.url;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Origin that a tablet opens. */
  get origin(): string {
    return this.#isSecure ? `https://${BOX_NAME}:${this.port}` : this.url;
  }

  /** PEM of the box's own CA; undefined over plain http. */
  get ca(): string | undefined {
    return this.#isSecure ? (this.#json('ca.json')['cert'] as string) : undefined;
  }

  /** PEM of the box's certificate; empty over plain http. */
  get certificate(): string {
    return this.#isSecure ? (this.#json('server.json')['cert'] as string) : '';
  }

  /** Input of `audit` and `wholeFeed`. */
  get audited(): { url: string; adminToken: string; ca: string | undefined } {
    return { url: this.url, adminToken: this.adminToken, ca: this.ca };
  }

  get storeEpoch(): string {
    return this.#said.storeEpoch;
  }

  get nodeId(): string {
    return this.#said.node;
  }

  /** Pairing code; empty if none is needed. */
  get code(): string {
    return this.#said.pairingCode ?? '';
  }

  get caFingerprint(): string | undefined {
    return this.#said.caFingerprint;
  }

  get adminToken(): string {
    const given = this.#options.env?.['EDGE_ADMIN_TOKEN'];
    return given ?? readFileSync(path.join(this.home, 'edge', 'admin-token'), 'utf8').trim();
  }

  /** Process id of the server or its supervisor. */
  get pid(): number {
    return this.#child?.pid ?? -1;
  }

  /** Tail of its output. */
  get output(): string {
    return this.#printed;
  }

  get running(): boolean {
    return this.#child !== undefined;
  }

  /** Exit of the process. */
  get ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    return this.#ended ?? Promise.resolve({ code: null, signal: null });
  }

  /** Ends it without a clean shutdown, like the power button. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    this.#child?.kill(signal);
    return this.ended;
  }

  /** Ends it cleanly. */
  async stop(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    return this.kill('SIGTERM');
  }

  /** Ends it (with `SIGKILL` if requested) and restarts it with the same home and port. */
  async restart(how: 'SIGTERM' | 'SIGKILL' = 'SIGTERM', env: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.kill(how);
    await this.#spawn(env);
  }

  /** Ends it and deletes its home. */
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.home, { recursive: true, force: true });
  }

  /** Waits for the next listening line, after a restart by its supervisor. */
  async listensAgain(): Promise<void> {
    const before = this.#listening;
    while (this.#listening === before) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  #json(name: string): Record<string, unknown> {
    return JSON.parse(readFileSync(path.join(this.#certificates, name), 'utf8')) as Record<string, unknown>;
  }

  get #said(): Listening {
    if (this.#listening === undefined) throw new Error('the edge does not listen');
    return this.#listening;
  }

  async #spawn(env: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#listening = undefined;
    this.#printed = '';
    const entry = path.join(this.#folder, this.#options.supervised === true ? 'supervisor.mjs' : 'server.mjs');
    const child = spawn(process.execPath, [...(process.env['EDGE_NODE_FLAGS']?.split(' ') ?? []), entry], {
      cwd: TOP,
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'production',
        ...THREAD_POOL_ENV,
        REEF_HOME: this.home,
        HOST: '127.0.0.1',
        EDGE_PORT: String(this.#port),
        MIN_FREE_GB: '0',
        ...(this.#isSecure ? { PUBLIC_URL: `https://${BOX_NAME}:${this.#port}` } : {}),
        ...this.#options.env,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        if (this.#child === child) this.#child = undefined;
        resolve({ code, signal });
      });
    });
    await new Promise<void>((resolve, reject) => {
      const read = (bytes: Buffer) => {
        this.#printed = (this.#printed + bytes.toString('utf8')).slice(-16_000);
        const said = lastListening(this.#printed);
        if (said === undefined || said.time === this.#listening?.time) return;
        this.#listening = said;
        this.#port = Number(new URL(said.url).port);
        resolve();
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('error', reject);
      void this.#ended?.then(({ code, signal }) =>
        reject(new Error(`the edge ended before it listened (${signal ?? code}):\n${this.#printed}`)),
      );
    });
  }
}

let sharedCertificate: string | undefined;

/** Copies certificates to a folder that lives as long as this process. */
function keepCertificate(folder: string): string {
  const copy = mkdtempSync(path.join(os.tmpdir(), 'reef-certificate-'));
  cpSync(folder, copy, { recursive: true });
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  return copy;
}

/** Folder with the bundled entries of the present source. */
function bundled(): Promise<string> {
  return sharedBundle({
    name: 'edge',
    options: { ...PROGRAM, ...WITH_PACKAGES, entryPoints: EDGE_ENTRIES },
    migrations: 'edge',
    compiled: true,
  });
}

function lastListening(printed: string): Listening | undefined {
  let found: Listening | undefined;
  for (const line of printed.split('\n')) {
    if (!line.endsWith('"msg":"listening"}')) continue;
    found = JSON.parse(line) as Listening;
  }
  return found;
}

/** Running edge as tests name it. */
export type TestEdge = EdgeProcess;

/** See {@link EdgeProcess.start}. */
export function startEdge(options: EdgeOptions = {}): Promise<EdgeProcess> {
  return EdgeProcess.start(options);
}
