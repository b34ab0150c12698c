import { ReefError } from '../../domain/errors';
import type { Answer } from '../photograph/photograph.api';
import type { OpenedPicture, PictureTiles, PictureTilesWorkerApi } from './picture-tiles.api';
import { WorkerBridge } from '../bridge/worker-bridge';

export function pictureTiles(): PictureTiles {
  const bridge = new WorkerBridge<PictureTilesWorkerApi>(
    () => new Worker(new URL('./picture-tiles.worker.ts', import.meta.url), { type: 'module', name: 'picture-tiles' }),
  );
  return {
    open: async (of) => unwrapAnswer(await bridge.run<Answer<OpenedPicture>>((api) => api.open(of))),
    cut: async (of, areas) =>
      unwrapAnswer(await bridge.run<Answer<readonly ImageBitmap[]>>((api) => api.cut(of, areas))),
    stop: () => bridge.stop(),
  };
}

function unwrapAnswer<Value>(answer: Answer<Value>): Value {
  if (!answer.ok) throw ReefError.fromWire(answer.error);
  return answer.value;
}
