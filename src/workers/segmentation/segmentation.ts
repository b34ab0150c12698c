import { transfer } from 'comlink';
import type { OutlineSet } from '../../domain/analysis/labelling/outline';
import { ReefError } from '../../domain/errors';
import { WorkerBridge } from '../bridge/worker-bridge';
import type { Answer } from '../photograph/photograph.api';
import type { PictureSegmenter, SegmentationWorkerApi } from './segmentation.api';

/** Segments photographs in a worker that is started on first use, and stopped when idle. */
export function segmentationWorker(): PictureSegmenter {
  const bridge = new WorkerBridge<SegmentationWorkerApi>(
    () => new Worker(new URL('./segmentation.worker.ts', import.meta.url), { type: 'module', name: 'segmentation' }),
  );
  return {
    segment: async (picture, sizes, signal) => {
      const answer = await bridge.run<Answer<OutlineSet>>(
        (api) => api.segment(picture instanceof Blob ? picture : transfer(picture, [picture]), sizes),
        signal,
      );
      if (!answer.ok) throw ReefError.fromWire(answer.error);
      return answer.value;
    },
    stop: () => bridge.stop(),
  };
}
