import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { BlockRequest, CutBlock } from './raster-block';
import { cutBlock } from './raster-block';
import type { RasterSize } from './raster-picture';
import { decodeRaster } from './raster-picture';

/** Request of a process of its own. */
export type RasterRequest =
  | BlockRequest
  /** Decodes a picture into a file of plain pixels. */
  | { readonly kind: 'decode'; readonly file: string; readonly target: string; readonly size: RasterSize };

type RasterAnswer = { readonly block: CutBlock | null } | { readonly why: string };

/**
 * Decodes or cuts rasters in a process of low priority: no request waits for it, and a decoder that fails ends that
 * process alone. From source, without built programs, it is done here.
 *
 * @throws Error if it cannot be done, or `signal` ended it
 */
export async function runRaster(request: RasterRequest, signal: AbortSignal): Promise<CutBlock | null> {
  const program = fileURLToPath(new URL('./raster-program.mjs', import.meta.url));
  if (!existsSync(program)) {
    if (request.kind !== 'decode') return cutBlock(request);
    await decodeRaster(request.file, request.target, request.size);
    return null;
  }
  const child = fork(program, {
    serialization: 'advanced',
    signal,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  try {
    return await new Promise<CutBlock | null>((resolve, reject) => {
      // More than once: a kill while a request is written reports both ends.
      child.on('error', reject);
      child.once('exit', (code, by) =>
        reject(new Error(`The process that cuts rasters ended (${by ?? code ?? 'unknown'}).`)),
      );
      child.once('spawn', () => {
        if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
        child.send(request);
      });
      child.once('message', (answer: RasterAnswer) => {
        if ('why' in answer) reject(new Error(answer.why));
        else resolve(answer.block);
      });
    });
  } finally {
    child.kill();
  }
}
