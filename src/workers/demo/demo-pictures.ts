import type { DemoPicture, DemoPictures, DemoPictureWorkerApi, RenderedDemo } from './demo-picture.api';
import { WorkerBridge } from '../bridge/worker-bridge';

export function demoPictures(): DemoPictures {
  const bridge = new WorkerBridge<DemoPictureWorkerApi>(
    () => new Worker(new URL('./demo-picture.worker.ts', import.meta.url), { type: 'module', name: 'demo-picture' }),
  );
  const cache = new Map<string, Promise<DemoPicture>>();
  return {
    picture: (demo) => {
      const cached = cache.get(demo.id);
      if (cached !== undefined) return cached;
      const picture = bridge.run((api) => api.make(demo.scene, Object.keys(demo.breakdown))).then(toDemoPicture);
      cache.set(demo.id, picture);
      // A failed one is rendered again on the next request.
      picture.catch(() => cache.delete(demo.id));
      return picture;
    },
    overlaps: (demo, painted) => bridge.run((api) => api.overlaps(demo.scene, Object.keys(demo.breakdown), painted)),
    stop: () => {
      bridge.stop();
      cache.clear();
    },
  };
}

async function toDemoPicture({ blob, pixels, width, height, outlines }: RenderedDemo): Promise<DemoPicture> {
  if (blob !== null) return { blob, width, height, outlines };
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (context === null || pixels === null) throw new Error('The picture cannot be made: this browser has no canvas.');
  context.putImageData(new ImageData(pixels, width, height), 0, 0);
  const own = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.9));
  if (own === null) throw new Error('The picture cannot be made: this browser could not write it.');
  return { blob: own, width, height, outlines };
}
