import { readdirSync, readFileSync } from 'node:fs';

/** The kernel counts processor time in hundredths of a second (USER_HZ), independent of its own tick. */
const TICKS_PER_SECOND = 100;

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
}

/** @returns undefined for a process that has ended */
function statOf(pid: number): ProcessStat | undefined {
  const text = readIfThere(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name is in parentheses and may contain anything, spaces and parentheses too.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [parent, user, system, childUser, childSystem] = [1, 11, 12, 13, 14].map((place) => Number(fields[place]));
  return { pid, parent: parent!, ticks: user! + system! + childUser! + childSystem! };
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Process with all its descendants. */
function treeOf(root: number): readonly ProcessStat[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)));
  const known = all.filter((stat) => stat !== undefined);
  const tree = known.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...known.filter(({ parent }) => parent === pid));
  return tree;
}

/** Processor time used so far by a process tree, in seconds, user and system, ended children included. */
export function cpuSecondsOf(root: number): number {
  return treeOf(root).reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND;
}

/** Sum of each process's peak memory (VmHWM) over a tree, in bytes: never less than the true peak of the tree. */
export function peakBytesOf(root: number): number {
  return treeOf(root).reduce((sum, { pid }) => sum + statusBytes(pid, 'VmHWM'), 0);
}

function statusBytes(pid: number, field: string): number {
  const line = readIfThere(`/proc/${pid}/status`)?.match(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm'));
  return line ? Number(line[1]) * 1024 : 0;
}
