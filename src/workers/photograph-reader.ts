import { ReefError } from '../domain/errors';
import type { PhotographAnswer, PhotographReader, PhotographWorkerApi } from './photograph.api';
import { WorkerBridge } from './worker-bridge';

/** Reads photographs in a worker of the browser. */
export function browserPhotographs(): PhotographReader {
  const bridge = new WorkerBridge<PhotographWorkerApi>(() => new Worker(new URL('./photograph.worker.ts', import.meta.url), { type: 'module', name: 'photograph' }));
  return {
    read: async (file, signal) => {
      const answer = await bridge.use<PhotographAnswer>((api) => api.read(file), signal);
      if (!answer.ok) throw ReefError.fromWire(answer.error);
      return answer.facts;
    },
  };
}
