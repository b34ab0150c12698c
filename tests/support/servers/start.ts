/** `npm start` as a process, with its own home and ports. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const TOP = fileURLToPath(new URL('../../..', import.meta.url));

/** Run of `npm start`. */
export interface Started {
  readonly home: string;
  readonly pid: number;
  /** All output so far. */
  printed(): string;
  /** Waits for matching output and returns the match. */
  says(pattern: RegExp, limitMs?: number): Promise<RegExpExecArray>;
  /** Sends a signal and waits for its end; returns the exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
  /** Exit of the process. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

/** Home for it; `remove` deletes it. */
export function startHome(): { readonly folder: string; readonly remove: () => void } {
  // Short, as PostgreSQL's socket is inside and its path has a limit.
  const folder = mkdtempSync(path.join(os.tmpdir(), 'reef-s-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }) };
}

export function startAll(home: string, env: Readonly<Record<string, string>> = {}): Started {
  const inherited = Object.fromEntries(
    ['PATH', 'HOME', 'npm_execpath', 'LANG'].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  );
  const child = spawn(process.execPath, [path.join('scripts', 'start.mjs')], {
    cwd: TOP,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...inherited, REEF_HOME: home, EDGE_PORT: '0', CLOUD_PORT: '0', MIN_FREE_GB: '0', ...env },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => (printed += part.toString('utf8')));
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.on('close', (code, signal) => resolve(code ?? signal)),
  );
  let over = false;
  void ended.then(() => (over = true));
  return {
    home,
    pid: child.pid ?? -1,
    ended,
    printed: () => printed,
    async says(pattern, limitMs = 240_000) {
      const until = Date.now() + limitMs;
      for (;;) {
        const match = pattern.exec(printed);
        if (match !== null) return match;
        if (over || Date.now() > until)
          throw new Error(
            `npm start ${over ? 'ended' : 'went on'} without printing ${String(pattern)}. Output:\n${printed}`,
          );
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/**
 * Processes of this machine that work on a home: by their environment, by the home in their arguments, or by their
 * working directory (PostgreSQL's). @param program part of their command
 */
export function processesOf(home: string, program = ''): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        const about = command + readFileSync(`/proc/${pid}/environ`, 'utf8') + readlinkSync(`/proc/${pid}/cwd`);
        return about.includes(home) && command.includes(program) ? [Number(pid)] : [];
      } catch {
        // The process ended, or belongs to another run.
        return [];
      }
    });
}

/** Server process of a part, below its supervisor; undefined if it is not running. */
export function serverOf(home: string, part: 'cloud' | 'edge' | 'bridge'): number | undefined {
  return processesOf(home, path.join('dist', part, 'server.mjs'))[0];
}

/** Kills a part and waits until its supervisor has restarted it. */
export async function killPart(home: string, part: 'cloud' | 'edge' | 'bridge'): Promise<void> {
  const before = serverOf(home, part);
  if (before === undefined) throw new Error(`${part} does not run`);
  process.kill(before, 'SIGKILL');
  for (const end = Date.now() + 60_000; ;) {
    const now = serverOf(home, part);
    if (now !== undefined && now !== before) return;
    if (Date.now() > end) throw new Error(`${part} was not started again`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
