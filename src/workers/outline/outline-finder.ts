import { transfer } from 'comlink';
import type { Remote } from 'comlink';
import type { OutlineEngine, OutlineFinder, OutlinePicture } from './outline.api';
import { WorkerBridge } from '../bridge/worker-bridge';

let pictures = 0;

/**
 * Finds outlines in a worker; a restarted worker receives the picture again.
 * @param pixels the picture, about 800 px wide; null while there is none. Its buffer is transferred
 */
export function outlineFinder(pixels: () => Promise<OutlinePicture | null>): OutlineFinder {
  const bridge = new WorkerBridge<OutlineEngine>(
    () => new Worker(new URL('./outline.worker.ts', import.meta.url), { type: 'module', name: 'outline' }),
  );
  const key = String(++pictures);
  const withPicture = async (api: Remote<OutlineEngine>): Promise<void> => {
    if (await api.hasPicture(key)) return;
    const picture = await pixels();
    if (picture === null) return;
    const { width, height, data } = picture;
    await api.setPicture(key, transfer({ width, height, data }, [data.buffer]));
  };
  return {
    area: (x, y, by) =>
      bridge.run(async (api) => {
        await withPicture(api);
        return api.area(x, y, by);
      }),
    edge: (fromX, fromY, toX, toY) =>
      bridge.run(async (api) => {
        await withPicture(api);
        return api.edge(fromX, fromY, toX, toY);
      }),
    close: () => bridge.stop(),
  };
}
