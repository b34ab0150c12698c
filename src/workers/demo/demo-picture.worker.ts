import { expose } from 'comlink';
import { DEMO_SIZE, type DemoScene } from '../../domain/analysis/free-draw/demos';
import type { LabelPicture } from '../../imaging/label-raster/label-overlap';
import { renderDemo, sceneOfDemo } from '../../imaging/reef-renderer/render-demo';
import { buildReef } from '../../imaging/reef-renderer/render-reef';
import type { DemoPictureWorkerApi, RenderedDemo } from './demo-picture.api';
import { outlinePath } from './demo-outline';
import { overlapsOf } from './demo-overlap';

const QUALITY = 0.9;

/** True labels of the picture that was asked about last. */
let truth: (LabelPicture & { readonly scene: string }) | undefined;

function truthOf(scene: DemoScene): LabelPicture {
  const name = JSON.stringify(scene);
  if (truth?.scene !== name) truth = { scene: name, labels: buildReef(sceneOfDemo(scene)).label, ...DEMO_SIZE };
  return truth;
}

const api: DemoPictureWorkerApi = {
  make: async (scene, types) => {
    const { width, height, rgb, label } = renderDemo(scene);
    const pixels = new Uint8ClampedArray(width * height * 4);
    for (let at = 0; at < width * height; at++) {
      pixels[4 * at] = rgb[3 * at] ?? 0;
      pixels[4 * at + 1] = rgb[3 * at + 1] ?? 0;
      pixels[4 * at + 2] = rgb[3 * at + 2] ?? 0;
      pixels[4 * at + 3] = 255;
    }
    const outlines = Object.fromEntries(types.map((type) => [type, outlinePath(label, width, height, type)]));
    const blob = await encodeJpeg(pixels, width, height);
    return { blob, pixels: blob === null ? pixels : null, width, height, outlines } satisfies RenderedDemo;
  },
  overlaps: async (scene, types, painted) => overlapsOf(painted, truthOf(scene), types),
};

/** null if the worker has no canvas; the page then encodes. */
async function encodeJpeg(pixels: Uint8ClampedArray<ArrayBuffer>, width: number, height: number): Promise<Blob | null> {
  if (typeof OffscreenCanvas === 'undefined') return null;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (context === null) return null;
  context.putImageData(new ImageData(pixels, width, height), 0, 0);
  return canvas.convertToBlob({ type: 'image/jpeg', quality: QUALITY });
}

expose(api);
