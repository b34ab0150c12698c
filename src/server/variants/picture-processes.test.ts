import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PictureResult } from './make-picture';
import type { PictureLimits } from './picture-limits';
import { machinePictureLimits } from './picture-limits';
import { PictureProcesses } from './picture-processes';

const MIB = 1024 * 1024;
const LIMITS: PictureLimits = { ...machinePictureLimits(8192 * MIB), holdMs: 50, slowMs: 300 };
let folder: string;
let processes: PictureProcesses;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'reef-processes-'));
});
afterEach(() => {
  processes.close();
  rmSync(folder, { recursive: true, force: true });
});

async function put(name: string, side: number): Promise<void> {
  const picture = sharp({ create: { width: side, height: side, channels: 3, background: '#4cc5c6' } });
  await writeFile(path.join(folder, name), await picture.jpeg().toBuffer());
}

/** Newest process; never 0, which would be this whole group. */
function newest(): number {
  const pid = processes.pids.at(-1);
  if (pid === undefined) throw new Error('there is no process');
  return pid;
}

interface Made {
  readonly kind?: 'plain' | 'corrected';
  /** Stops the newest process right before the picture is tried for the first time: it hangs. */
  readonly hangs?: boolean;
}

/** Makes a picture; `tried` resolves right before it is tried. */
function make(
  name: string,
  { kind = 'plain', hangs = false }: Made = {},
): { readonly tried: Promise<void>; readonly result: Promise<PictureResult> } {
  let tried: (() => void) | undefined;
  const trying = new Promise<void>((resolve) => (tried = resolve));
  const request = { source: path.join(folder, name), target: path.join(folder, `${name}.webp`) };
  const result = processes.run({ ...request, size: 4000, kind, quality: 80 }, () => {
    if (hangs && tried !== undefined) process.kill(newest(), 'SIGSTOP');
    tried?.();
    tried = undefined;
    return Promise.resolve();
  });
  return { tried: trying, result };
}

describe('processes for pictures', () => {
  it('a picture that needs more memory than the process may have breaks it, and the next one is made', async () => {
    await put('small', 40);
    await put('large', 4000);
    processes = new PictureProcesses({ ...LIMITS, memoryBytes: 200 * MIB });
    expect(await make('large', { kind: 'corrected' }).result).toMatchObject({ outcome: 'broke' });
    expect(await make('small').result).toMatchObject({ outcome: 'made' });
  });

  it.each([
    ['processor time', { cpuMs: -1 }],
    ['time', { wallMs: 0 }],
  ])('a picture that takes more %s than it may breaks its process', async (_limit, limits) => {
    await put('small', 40);
    processes = new PictureProcesses({ ...LIMITS, ...limits });
    expect(await make('small', { hangs: true }).result).toMatchObject({ outcome: 'broke' });
  });

  it('two pictures that hang hold up no third; the one that made room is made once there is some', async () => {
    await put('small', 40);
    processes = new PictureProcesses(LIMITS);
    const one = make('small', { hangs: true });
    await one.tried;
    const first = newest();
    const two = make('small', { hangs: true });
    await two.tried;
    expect(await make('small').result).toMatchObject({ outcome: 'made' });
    process.kill(first, 'SIGCONT');
    expect(await Promise.all([one.result, two.result])).toMatchObject([{ outcome: 'made' }, { outcome: 'made' }]);
  });

  it('a picture that waits or runs at the end counts as not tried', async () => {
    await put('small', 40);
    processes = new PictureProcesses(LIMITS);
    const running = make('small', { hangs: true });
    const waiting = make('small');
    await running.tried;
    processes.close();
    await expect(running.result).rejects.toThrow('closed');
    await expect(waiting.result).rejects.toThrow('closed');
    expect(processes.pids).toEqual([]);
  });

  it('a process has the memory limit of its machine', async () => {
    await put('small', 40);
    processes = new PictureProcesses(machinePictureLimits(1024 * MIB));
    await make('small').result;
    const limits = readFileSync(`/proc/${processes.pids[0]}/limits`, 'latin1');
    expect(Number(/Max data size\s+(\d+)/.exec(limits)?.[1])).toBe(Math.round(0.35 * 1024 * 1024) * 1024);
  });
});
