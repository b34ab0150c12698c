import { ReefError } from '../../domain/errors';
import type { Answer, PhotographFacts, PhotographReader, PhotographWorkerApi } from './photograph.api';
import { poolSize, WorkerPool } from '../bridge/worker-pool';

/** Time limit of a photograph in a worker, ms, plus as much for each 10 MB on a slow card. */
const READ_MS = 60_000;
const READ_MS_PER_BYTE = 60_000 / 10_000_000;

interface BrowserPhotographs extends PhotographReader {
  /** Ahead of queued photographs. */
  readonly hash: (blob: Blob) => Promise<string>;
}

export function browserPhotographs(): BrowserPhotographs {
  const pool = new WorkerPool<PhotographWorkerApi>(
    () => new Worker(new URL('./photograph.worker.ts', import.meta.url), { type: 'module', name: 'photograph' }),
    poolSize(navigator.hardwareConcurrency),
  );
  return {
    concurrency: pool.size,
    read: async (file, signal) => {
      const limitMs = READ_MS + file.size * READ_MS_PER_BYTE;
      return unwrapAnswer(
        await pool.run<Answer<PhotographFacts>>((api) => api.read(file), {
          limitMs,
          ...(signal === undefined ? {} : { signal }),
        }),
      );
    },
    hash: async (blob) => unwrapAnswer(await pool.run<Answer<string>>((api) => api.hash(blob), { urgent: true })),
  };
}

function unwrapAnswer<Value>(answer: Answer<Value>): Value {
  if (!answer.ok) throw ReefError.fromWire(answer.error);
  return answer.value;
}
