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

/** Makes a picture; resolves `tried` right before it is tried. */
function make(
  name: string,
  kind: 'plain' | 'corrected' = 'plain',
): { readonly tried: Promise<void>; readonly result: Promise<PictureResult> } {
  let tried = (): void => undefined;
  const trying = new Promise<void>((resolve) => (tried = resolve));
  const request = { source: path.join(folder, name), target: path.join(folder, `${name}.webp`) };
  const result = processes.run({ ...request, size: 4000, kind, quality: 80 }, async () => tried());
  return { tried: trying, result };
}

/** Starts a process and stops it, so that the next picture hangs in it. */
async function hang(): Promise<number> {
  await make('small').result;
  const pid = processes.pids.at(-1) ?? 0;
  process.kill(pid, 'SIGSTOP');
  return pid;
}

describe('processes for pictures', () => {
  it('a picture that needs more memory than the process may have breaks it, and the next one is made', async () => {
    await put('small', 40);
    await put('large', 4000);
    processes = new PictureProcesses({ ...LIMITS, memoryBytes: 170 * MIB });
    expect(await make('large', 'corrected').result).toMatchObject({ outcome: 'broke' });
    expect(await make('small').result).toMatchObject({ outcome: 'made' });
  });

  it.each([
    ['processor time', { cpuMs: -1 }],
    ['time', { wallMs: 0 }],
  ])('a picture that takes more %s than it may breaks its process', async (_limit, limits) => {
    await put('small', 40);
    processes = new PictureProcesses(LIMITS);
    await make('small').result;
    processes.close();
    processes = new PictureProcesses({ ...LIMITS, ...limits });
    const first = make('small');
    await first.tried;
    process.kill(processes.pids[0] ?? 0, 'SIGSTOP');
    expect(await first.result).toMatchObject({ outcome: 'broke' });
  });

  it('two pictures that hang hold up no third; the one that made room is made once there is some', async () => {
    await put('small', 40);
    processes = new PictureProcesses(LIMITS);
    const first = await hang();
    const one = make('small');
    await one.tried;
    const two = make('small');
    await two.tried;
    process.kill(processes.pids[1] ?? 0, 'SIGSTOP');
    expect(await make('small').result).toMatchObject({ outcome: 'made' });
    process.kill(first, 'SIGCONT');
    expect(await Promise.all([one.result, two.result])).toMatchObject([{ outcome: 'made' }, { outcome: 'made' }]);
  });

  it('a picture that waits or runs at the end counts as not tried', async () => {
    await put('small', 40);
    processes = new PictureProcesses(LIMITS);
    await hang();
    const running = make('small');
    const waiting = make('small');
    await running.tried;
    processes.close();
    await expect(running.result).rejects.toThrow('closed');
    await expect(waiting.result).rejects.toThrow('closed');
    expect(processes.pids).toEqual([]);
  });

  it('a process ends with the server that started it, and has the limit of its machine', async () => {
    await put('small', 40);
    processes = new PictureProcesses(machinePictureLimits(1024 * MIB));
    await make('small').result;
    const limits = readFileSync(`/proc/${processes.pids[0]}/limits`, 'latin1');
    expect(Number(/Max data size\s+(\d+)/.exec(limits)?.[1])).toBe(Math.round(0.35 * 1024 * 1024) * 1024);
  });
});
