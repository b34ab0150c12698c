import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

/**
 * Calls that can change a disk, or that decide which file a descriptor names. A call missing here that changes a disk
 * anyway is found by comparing the replayed trace with the real folder (`record.ts`).
 */
const CALLS = [
  ...['open', 'openat', 'openat2', 'creat', 'close', 'close_range', 'dup', 'dup2', 'dup3', 'fcntl', 'lseek'],
  ...[
    'write',
    'pwrite64',
    'writev',
    'pwritev',
    'pwritev2',
    'ftruncate',
    'truncate',
    'fallocate',
    'sendto',
    'sendmsg',
    'sendfile',
    'copy_file_range',
    'splice',
  ],
  ...[
    'rename',
    'renameat',
    'renameat2',
    'link',
    'linkat',
    'symlink',
    'symlinkat',
    'unlink',
    'unlinkat',
    'mkdir',
    'mkdirat',
    'rmdir',
    'mknod',
    'mknodat',
  ],
  ...[
    'fsync',
    'fdatasync',
    'sync',
    'syncfs',
    'sync_file_range',
    'msync',
    'mmap',
    'io_uring_setup',
    'clone',
    'clone3',
    'fork',
    'vfork',
    'chdir',
    'fchdir',
  ],
];

/**
 * Checks that system calls can be recorded here.
 *
 * @throws Error with the reason: the proof must never pass by not running
 */
export function requireStrace(): void {
  const version = spawnSync('strace', ['--version'], { encoding: 'utf8' });
  if (version.error !== undefined || version.status !== 0) {
    throw new Error('The power-cut proof did not run: strace is missing. On Debian: apt-get install strace.');
  }
  const trial = spawnSync('strace', ['-f', '-o', '/dev/null', 'true'], { encoding: 'utf8' });
  if (trial.status !== 0) {
    throw new Error(
      `The power-cut proof did not run: this machine does not let a process be traced (${trial.stderr.trim()}).`,
    );
  }
}

export interface TracedProcess {
  /** strace process; it ends when the traced one has ended. */
  readonly tracer: ChildProcess;
  /** Settles with the tracer's exit code. */
  readonly ended: Promise<number | null>;
}

/**
 * Runs a command with all its disk calls written to `traceFile`: whole strings in hex, descriptors with their paths,
 * lines of all threads in the order in which the calls began and returned.
 *
 * @param options.killAtFsync kills the process as one of its threads begins its n-th fsync, before the call takes
 * effect
 */
export function runTraced(
  command: readonly string[],
  options: { traceFile: string; env: NodeJS.ProcessEnv; cwd: string; killAtFsync?: number },
): TracedProcess {
  const flags = ['-f', '-y', '-v', '-xx', '-s', '200000000', '-e', 'signal=none', '-e', `trace=${CALLS.join(',')}`];
  // With seccomp strace stops only at the listed calls, which is much faster; fault injection needs every call.
  if (options.killAtFsync === undefined) flags.push('--seccomp-bpf');
  else flags.push('-e', `inject=fsync:signal=SIGKILL:when=${options.killAtFsync}`);
  const tracer = spawn('strace', [...flags, '-o', options.traceFile, ...command], {
    cwd: options.cwd,
    // libuv must not write through io_uring, where calls would be invisible; the parser refuses a trace that sets one
    // up.
    env: { ...options.env, UV_USE_IO_URING: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((settle, fail) => {
    tracer.once('error', fail);
    tracer.once('close', (code) => settle(code));
  });
  return { tracer, ended };
}
