import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ArchiveRequest } from './build-archive';
import { buildArchive } from './build-archive';

/**
 * Builds an archive in a thread, as it takes seconds of a core. From source, without built programs, it is built here.
 *
 * @throws Error if it cannot be built, or `signal` ended it
 */
export async function buildArchiveInThread(request: ArchiveRequest, signal: AbortSignal): Promise<Uint8Array> {
  const program = new URL('./archive-program.mjs', import.meta.url);
  if (!existsSync(fileURLToPath(program))) return buildArchive(request);
  const worker = new Worker(program, { workerData: request });
  const end = (): void => void worker.terminate();
  signal.addEventListener('abort', end);
  try {
    return await new Promise<Uint8Array>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('The thread that builds map tiles ended.')));
    });
  } finally {
    signal.removeEventListener('abort', end);
    await worker.terminate();
  }
}
