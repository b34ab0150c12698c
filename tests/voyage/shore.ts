/**
 * Shore of a voyage in separate processes: a cloud service with its own PostgreSQL, and the bridge from a box to it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildBridge, buildCloudServer } from '../../scripts/build-servers.mjs';
import { THREAD_POOL_ENV } from '../../src/server/process/thread-pool';
import type { EdgeProcess } from '../support/servers/edge';

const TOP = fileURLToPath(new URL('../..', import.meta.url));
const START_MS = 120_000;

/** Server of the shore, which is started, killed and restarted. */
class ShoreProcess {
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();

  readonly #program: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #ready: string;

  constructor(program: string, env: Readonly<Record<string, string>>, ready: string) {
    this.#program = program;
    this.#env = env;
    this.#ready = ready;
  }

  /** Starts it and returns its report once it is up. */
  async start(): Promise<Record<string, unknown>> {
    const child = spawn(process.execPath, ['--enable-source-maps', this.#program], {
      cwd: TOP,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        MIN_FREE_GB: '0',
        ...THREAD_POOL_ENV,
        ...this.#env,
      },
    });
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('close', () => resolve()));
    let said = '';
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`it did not start in time; output:\n${said}`)), START_MS);
      const hear = (line: string): void => {
        said = `${said}${line}\n`.slice(-4000);
        if (!line.startsWith('{')) return;
        const entry = JSON.parse(line) as Record<string, unknown>;
        if (entry['msg'] !== this.#ready) return;
        clearTimeout(late);
        resolve(entry);
      };
      createInterface({ input: child.stdout }).on('line', hear);
      createInterface({ input: child.stderr }).on('line', hear);
      void this.#ended.then(() => reject(new Error(`it ended; output:\n${said}`)));
    });
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    this.#child?.kill(signal);
    await this.#ended;
  }
}

/** Cloud and bridge of one voyage. */
export class Shore {
  readonly #home = mkdtempSync(path.join(os.tmpdir(), 'reef-v-'));
  readonly #programs: string;
  readonly #token = randomBytes(24).toString('base64url');
  #cloud: ShoreProcess | undefined;
  #bridge: ShoreProcess | undefined;
  url = '';

  private constructor() {
    // Below node_modules, so that unbundled packages are found.
    const cache = path.join(TOP, 'node_modules', '.cache', 'voyage');
    mkdirSync(cache, { recursive: true });
    this.#programs = mkdtempSync(path.join(cache, 'shore-'));
  }

  /** Starts an unused cloud service. */
  static async start(): Promise<Shore> {
    const shore = new Shore();
    const program = path.join(await buildCloudServer(path.join(shore.#programs, 'cloud')), 'server.mjs');
    shore.#cloud = new ShoreProcess(
      program,
      { REEF_HOME: shore.#home, CLOUD_PORT: '0', BRIDGE_TOKEN: shore.#token },
      'listening',
    );
    shore.url = String((await shore.#cloud.start())['url']);
    return shore;
  }

  /** Starts uploading a box's contents over a link of so many kilobits per second. */
  async bridgeFrom(box: EdgeProcess, kbps: number): Promise<void> {
    const program = path.join(await buildBridge(path.join(this.#programs, 'bridge')), 'server.mjs');
    await this.endBridge();
    this.#bridge = new ShoreProcess(
      program,
      {
        REEF_HOME: this.#home,
        EDGE_URL: box.url,
        CLOUD_URL: this.url,
        EDGE_ADMIN_TOKEN: box.adminToken,
        BRIDGE_TOKEN: this.#token,
        BRIDGE_MAX_KBPS: String(kbps),
      },
      'the bridge runs',
    );
    await this.#bridge.start();
  }

  async endBridge(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.#bridge?.kill(signal);
    this.#bridge = undefined;
  }

  /** Bytes of a photograph in the cloud; undefined if missing. */
  async bytes(sha256: string): Promise<ArrayBuffer | undefined> {
    const answer = await fetch(`${this.url}/api/blobs/${sha256}`, {
      headers: { authorization: `Bearer ${this.#token}` },
    });
    return answer.ok ? answer.arrayBuffer() : undefined;
  }

  /** Login code in the latest mail to an address; without a mail server the mail is in the outbox. */
  mailedCode(address: string): string | undefined {
    const outbox = path.join(this.#home, 'outbox');
    // Names start with their time.
    const mails = readdirSync(outbox)
      .filter((name) => name.endsWith('.eml'))
      .sort()
      .map((name) => readFileSync(path.join(outbox, name), 'utf8'));
    const code = /Your code: (\d{3}) (\d{3})/.exec(mails.filter((mail) => mail.includes(address)).at(-1) ?? '');
    return code === null ? undefined : `${code[1] ?? ''}${code[2] ?? ''}`;
  }

  async remove(): Promise<void> {
    await this.endBridge();
    await this.#cloud?.kill('SIGTERM');
    for (const folder of [this.#home, this.#programs]) rmSync(folder, { recursive: true, force: true });
  }
}
