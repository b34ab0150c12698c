import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { PostgresBinaries } from './binaries';
import { NoPostgresError, binariesIn } from './binaries';

/** Unprivileged user for PostgreSQL when this process is root: it refuses to run as root. */
const NOBODY = 65_534;

/**
 * User that PostgreSQL runs as.
 *
 * - `plain`: the current user.
 * - `namespace`: root, mapped to nobody in a user namespace; files stay in place.
 * - `nobody`: an unprivileged user; the files must be its own, in a place it can reach.
 */
export type RunAs = 'plain' | 'namespace' | 'nobody';

export interface Machine {
  readonly uid: number;
  /** Wrapper commands; false if the tool is missing or the kernel forbids it. */
  readonly unshare: boolean;
  readonly setpriv: boolean;
}

export function thisMachine(): Machine {
  const uid = process.getuid?.() ?? 1;
  return {
    uid,
    unshare: uid === 0 && succeeds('unshare', [...NAMESPACE.slice(1), 'true']),
    setpriv: succeeds('setpriv', ['--pdeathsig', 'INT', '--', 'true']),
  };
}

const NAMESPACE = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'];

function succeeds(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

export interface Runner {
  readonly runAs: RunAs;
  readonly binaries: PostgresBinaries;
  readonly home: string;
  /** True if a shell watches the program because the kernel cannot end it with us. */
  readonly hasWatchdog: boolean;
  command(program: string, args: readonly string[], signal: 'INT' | 'KILL'): [string, ...string[]];
}

/**
 * Finds out how PostgreSQL can run here. If root must drop to a user who cannot reach programs or folder, programs and
 * data move below `fallbackFolder`.
 *
 * @param home preferred data folder; created if missing
 * @param fallbackFolder folder reachable for everyone, `/var/lib/reef-census` by default
 * @throws NoPostgresError if there is no way
 */
export function findRunner(
  home: string,
  binaries: PostgresBinaries,
  machine: Machine,
  fallbackFolder = '/var/lib/reef-census',
): Runner {
  fs.mkdirSync(home, { recursive: true, mode: 0o700 });
  if (machine.uid !== 0) return makeRunner('plain', home, binaries, machine);
  if (machine.unshare) {
    const runner = makeRunner('namespace', home, binaries, machine);
    if (canReach(runner, home) && canStart(runner)) return withOwner(runner, 0);
  }
  if (!machine.setpriv)
    throw new NoPostgresError(
      'PostgreSQL refuses to run as root, and neither unshare nor setpriv can be used here. Run the service as another user, or name a PostgreSQL server in DATABASE_URL.',
    );
  const near = makeRunner('nobody', home, binaries, machine);
  const place = canReach(near, path.dirname(home))
    ? home
    : path.join(fallbackFolder, createHash('sha256').update(path.resolve(home)).digest('hex').slice(0, 16));
  fs.mkdirSync(place, { recursive: true, mode: 0o755 });
  const there = makeRunner(
    'nobody',
    place,
    canStart(near) ? binaries : copyBinaries(binaries, fallbackFolder),
    machine,
  );
  if (!canStart(there))
    throw new NoPostgresError(
      `PostgreSQL cannot be started as an unprivileged user from ${there.binaries.root}. Run the service as another user, or name a PostgreSQL server in DATABASE_URL.`,
    );
  return withOwner(there, NOBODY);
}

function makeRunner(runAs: RunAs, home: string, binaries: PostgresBinaries, machine: Machine): Runner {
  return {
    runAs,
    home,
    binaries,
    hasWatchdog: !machine.setpriv,
    command(program, args, signal) {
      const leave = machine.setpriv ? ['--pdeathsig', signal] : [];
      const drop = runAs === 'nobody' ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
      const guarded = machine.setpriv
        ? ['setpriv', ...drop, ...leave, '--', program, ...args]
        : ['/bin/sh', '-c', WATCHDOG_SCRIPT, 'watch', signal, String(process.pid), program, ...args];
      return (runAs === 'namespace' ? [...NAMESPACE, ...guarded] : guarded) as [string, ...string[]];
    },
  };
}

/** Watchdog for systems without setpriv (macOS): a shell ends the program with this process and forwards signals. */
const WATCHDOG_SCRIPT = `
  signal=$1; parent=$2; shift 2
  "$@" & child=$!
  trap 'kill -INT $child' INT
  trap 'kill -TERM $child' TERM
  while kill -0 $child 2>/dev/null; do
    kill -0 $parent 2>/dev/null || { kill -$signal $child; break; }
    sleep 0.5
  done
  wait $child`;

function canReach(runner: Runner, folder: string): boolean {
  const [program, ...args] = runner.command('test', ['-x', folder], 'KILL');
  return succeeds(program, args);
}

function canStart(runner: Runner): boolean {
  const [program, ...args] = runner.command(runner.binaries.postgres, ['--version'], 'KILL');
  return succeeds(program, args);
}

/** Changes the owner of the folder: an earlier run may have used another user. */
function withOwner(runner: Runner, uid: number): Runner {
  const data = path.join(runner.home, 'data');
  for (const place of [runner.home, data]) {
    if (fs.existsSync(place) && fs.statSync(place).uid !== uid) execFileSync('chown', ['-R', `${uid}:${uid}`, place]);
  }
  return runner;
}

/** Copies the programs to a reachable place; atomic. */
function copyBinaries(binaries: PostgresBinaries, elsewhere: string): PostgresBinaries {
  const version = createHash('sha256')
    .update(`${binaries.root} ${fs.statSync(binaries.postgres).mtimeMs}`)
    .digest('hex')
    .slice(0, 16);
  const target = path.join(elsewhere, `postgresql-${version}`);
  if (!fs.existsSync(target)) {
    fs.mkdirSync(elsewhere, { recursive: true, mode: 0o755 });
    const making = fs.mkdtempSync(`${target}.`);
    fs.cpSync(binaries.root, making, { recursive: true, verbatimSymlinks: true });
    fs.chmodSync(making, 0o755);
    try {
      fs.renameSync(making, target);
    } catch (error) {
      fs.rmSync(making, { recursive: true, force: true });
      if (!fs.existsSync(target)) throw error;
    }
  }
  return binariesIn(target);
}
