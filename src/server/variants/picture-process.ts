import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { PictureJob, PictureResult } from './make-picture';
import type { PictureLimits } from './picture-limits';
import { decodingBytes } from './picture-limits';

const WATCH_MS = 200;
/** Resident memory at rest from which a process is replaced: what libraries retain counts against the next picture. */
const WORN_BYTES = 200 * 1024 * 1024;
/** Clock ticks a second in `/proc`; the same on every Linux. */
const TICK_MS = 10;
const PAGE_BYTES = 4096;
/** Largest heap of the program's own code, MiB; pixels are not in it. */
const HEAP_MIB = 96;
/** Settings that reach the process: it needs no token and no password. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LD_LIBRARY_PATH'];

/**
 * Limits the memory of what it starts, and lets the kernel end that first if the machine has none left. `-d` counts heap
 * and anonymous mappings; `-v` would also count what V8 reserves and never uses, several times as much.
 */
const LIMITED = 'ulimit -c 0; ulimit -d "$1"; echo 1000 2>/dev/null > /proc/self/oom_score_adj; shift; exec "$@"';

const answerSchema = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ id: z.number(), outcome: z.literal('made'), rssBytes: z.number() }),
  z.object({
    id: z.number(),
    outcome: z.enum(['unreadable', 'too-many-pixels', 'disk-full', 'source-gone', 'broke', 'no-decoder']),
    why: z.string(),
    rssBytes: z.number(),
  }),
]);

interface Running {
  readonly job: PictureJob;
  readonly startedAt: number;
  readonly cpuAtStartMs: number;
  readonly watch: NodeJS.Timeout;
  resolve(result: PictureResult): void;
}

/** Process that decodes one photograph at a time, with limits that the kernel and this class enforce. */
export class PictureProcess {
  readonly #limits: PictureLimits;
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  #running: Running | undefined;
  #hasEnded = false;
  #isWorn = false;

  constructor(limits: PictureLimits) {
    this.#limits = limits;
    this.#child = startProgram(limits);
    this.#ready = new Promise((resolve, reject) => {
      this.#child.on('message', (message) => {
        const { data: answer } = answerSchema.safeParse(message);
        // A program that was taken over by a picture speaks no sense.
        if (answer === undefined) return this.end();
        if ('ready' in answer) {
          this.#child.channel?.unref();
          return resolve();
        }
        if (answer.id !== this.#running?.job.id) return;
        this.#isWorn = answer.rssBytes > WORN_BYTES || answer.outcome === 'broke';
        this.#settle(answer);
      });
      const failed = (error: Error) => {
        this.#hasEnded = true;
        reject(error);
        this.#settleBroken(error.message);
      };
      this.#child.on('error', failed);
      this.#child.on('exit', (code, signal) =>
        failed(new Error(`the picture process ended with ${signal ?? `code ${code}`}`)),
      );
    });
    // The caller of `ready` gets the error.
    this.#ready.catch(() => undefined);
    this.#child.unref();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** True if it runs no further picture: it ended, or holds too much memory. */
  get isSpent(): boolean {
    return this.#hasEnded || this.#isWorn;
  }

  /** Resolves once it can decode. @throws Error if it could not be started */
  ready(): Promise<void> {
    return this.#ready;
  }

  /**
   * Makes a picture. `broke` if the process ended or had to be ended: the picture is to blame.
   *
   * @throws Error if the process had ended before; the picture was not tried
   */
  run(job: Omit<PictureJob, 'memoryBytes'>): Promise<PictureResult> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) return reject(new Error('the picture process had ended'));
      const whole = { ...job, memoryBytes: decodingBytes(this.#limits) };
      const watch = setInterval(() => this.#checkLimits(), WATCH_MS).unref();
      const startedAt = performance.now();
      this.#running = { job: whole, startedAt, cpuAtStartMs: this.#usage()?.cpuMs ?? 0, watch, resolve };
      this.#child.channel?.ref();
      this.#child.send(whole, (error) => error !== null && this.#settleBroken(error.message));
    });
  }

  /** Lets other pictures and the server go first. */
  yieldProcessor(): void {
    if (this.#child.pid === undefined || this.#hasEnded) return;
    try {
      os.setPriority(this.#child.pid, os.constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // It ended just now, or the platform has no priorities.
    }
  }

  /** Ends it; a running picture is `broke`. */
  end(): void {
    this.#hasEnded = true;
    this.#child.kill('SIGKILL');
  }

  #checkLimits(): void {
    const running = this.#running;
    if (running === undefined) return;
    const { cpuMs, wallMs, memoryBytes } = this.#limits;
    const usage = this.#usage();
    const why =
      usage !== undefined && usage.cpuMs - running.cpuAtStartMs > cpuMs
        ? `it took more than ${cpuMs} ms of processor time`
        : usage !== undefined && usage.rssBytes > memoryBytes
          ? `it took more than ${memoryBytes} bytes of memory`
          : performance.now() - running.startedAt > wallMs
            ? `it took more than ${wallMs} ms`
            : undefined;
    if (why === undefined) return;
    this.end();
    this.#settleBroken(why);
  }

  #settleBroken(why: string): void {
    if (this.#running !== undefined) this.#settle({ id: this.#running.job.id, outcome: 'broke', why });
  }

  #settle(result: PictureResult): void {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    clearInterval(running.watch);
    this.#child.channel?.unref();
    running.resolve(result);
  }

  /** Processor time and resident memory of the process; undefined where `/proc` does not tell. */
  #usage(): { readonly cpuMs: number; readonly rssBytes: number } | undefined {
    try {
      const stat = readFileSync(`/proc/${this.#child.pid}/stat`, 'latin1');
      // The second field is the name in brackets, which may contain spaces.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const [user, system, pages] = [Number(fields[11]), Number(fields[12]), Number(fields[21])];
      return { cpuMs: (user + system) * TICK_MS, rssBytes: pages * PAGE_BYTES };
    } catch {
      return undefined;
    }
  }
}

/** Starts the built program; in development its source, with tsx. */
function startProgram({ memoryBytes }: PictureLimits): ChildProcess {
  const built = fileURLToPath(new URL('./picture-program.mjs', import.meta.url));
  const program = existsSync(built)
    ? [built]
    : ['--import', 'tsx', fileURLToPath(new URL('./picture-program.ts', import.meta.url))];
  const command = [process.execPath, `--max-old-space-size=${HEAP_MIB}`, ...program];
  const limited = ['/bin/sh', '-c', LIMITED, 'sh', String(Math.round(memoryBytes / 1024)), ...command];
  const [file = '', ...args] = existsSync('/bin/sh') ? limited : command;
  const passed = PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return spawn(file, args, {
    // Packages are found from here.
    cwd: path.dirname(built),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { ...Object.fromEntries(passed), UV_THREADPOOL_SIZE: '2', MALLOC_ARENA_MAX: '2' },
  });
}
