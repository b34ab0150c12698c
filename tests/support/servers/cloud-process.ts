/** Real cloud services and bridges in separate processes, built from the present source. */
import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  BRIDGE_ENTRIES,
  CLOUD_ENTRIES,
  PROGRAM,
  WITH_CLOUD_PACKAGES,
  WITH_PACKAGES,
} from '../../../scripts/build-servers.mjs';
import { LARGE_HEAP_FLAGS, THREAD_POOL_ENV } from '../../../src/server/process/thread-pool';
import { sharedBundle } from './bundle';

const TOP = fileURLToPath(new URL('../../..', import.meta.url));

export interface ShoreOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Starts the supervisor instead of the bare process. */
  readonly supervised?: boolean;
  /** Program to run instead of the built one. */
  readonly program?: string;
}

/** Log line of a process. */
interface Line {
  readonly msg: string;
  readonly [member: string]: unknown;
}

/** Running service: killed, restarted and queried for its output. */
export class CloudProcess {
  #child: ChildProcess | undefined;
  #printed = '';
  #ended: Promise<void> = Promise.resolve();
  #lines: Line[] = [];

  readonly #folder: string;
  readonly #options: ShoreOptions;
  readonly #running: string;
  readonly #flags: readonly string[];

  private constructor(
    folder: string,
    options: ShoreOptions,
    /** Log message that reports it is running. */
    running: string,
    /** Options of Node, as the supervisor gives them. */
    flags: readonly string[] = [],
  ) {
    this.#folder = folder;
    this.#options = options;
    this.#running = running;
    this.#flags = flags;
  }

  static async cloud(options: ShoreOptions): Promise<CloudProcess> {
    const cloud = new CloudProcess(await shoreBundle('cloud'), options, 'listening');
    await cloud.start();
    return cloud;
  }

  static async bridge(options: ShoreOptions): Promise<CloudProcess> {
    const bridge = new CloudProcess(
      options.program === undefined ? await shoreBundle('bridge') : '',
      options,
      'the bridge runs',
      LARGE_HEAP_FLAGS,
    );
    await bridge.start();
    return bridge;
  }

  get pid(): number {
    return this.#child?.pid ?? -1;
  }

  /** Tail of its output. */
  get output(): string {
    return this.#printed;
  }

  /** Latest report that it is running. */
  get said(): Line {
    const line = this.#lines.findLast(({ msg }) => msg === this.#running);
    if (line === undefined) throw new Error('it does not run');
    return line;
  }

  /** Starts it and waits until it runs. @param env additional settings, until the next start */
  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const entry =
      this.#options.program ??
      path.join(this.#folder, this.#options.supervised === true ? 'supervisor.mjs' : 'server.mjs');
    const child = spawn(
      process.execPath,
      [
        '--enable-source-maps',
        ...this.#flags,
        ...(process.env['SHORE_NODE_FLAGS']?.split(' ') ?? []),
        entry,
        ...(this.#options.args ?? []),
      ],
      {
        cwd: TOP,
        env: {
          PATH: process.env['PATH'],
          NODE_ENV: 'production',
          ...THREAD_POOL_ENV,
          HOST: '127.0.0.1',
          MIN_FREE_GB: '0',
          ...this.#options.env,
          ...env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    this.#child = child;
    this.#printed = '';
    this.#lines = [];
    this.#ended = new Promise((resolve) => {
      child.once('close', () => {
        if (this.#child === child) this.#child = undefined;
        resolve();
      });
    });
    await new Promise<void>((resolve, reject) => {
      let rest = '';
      const read = (bytes: Buffer): void => {
        this.#printed = (this.#printed + bytes.toString('utf8')).slice(-16_000);
        const lines = (rest + bytes.toString('utf8')).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          if (!line.startsWith('{')) continue;
          const parsed = JSON.parse(line) as Line;
          this.#lines.push(parsed);
          if (parsed.msg === this.#running) resolve();
        }
      };
      child.stdout.on('data', read);
      child.stderr.on(
        'data',
        (bytes: Buffer) => (this.#printed = (this.#printed + bytes.toString('utf8')).slice(-16_000)),
      );
      child.once('error', reject);
      void this.#ended.then(() => reject(new Error(`it ended before it ran:\n${this.#printed}`)));
    });
  }

  /** Kills it without a shutdown, by default like the power button. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#child?.kill(signal);
    await this.#ended;
  }

  stop(): Promise<void> {
    return this.kill('SIGTERM');
  }
}

/** Folder with the bundled entries of the present source. */
export function shoreBundle(which: 'cloud' | 'bridge'): Promise<string> {
  return which === 'cloud'
    ? sharedBundle({
        name: 'cloud',
        options: { ...PROGRAM, ...WITH_CLOUD_PACKAGES, entryPoints: CLOUD_ENTRIES },
        migrations: 'cloud',
      })
    : sharedBundle({ name: 'bridge', options: { ...PROGRAM, ...WITH_PACKAGES, entryPoints: BRIDGE_ENTRIES } });
}
