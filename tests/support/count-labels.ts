import type { LabelRaster } from '../../src/imaging/label-raster/label-raster';

/** Counts from scratch; the raster's maintained counts must always equal this. */
export function countLabels({ labels }: Pick<LabelRaster, 'labels'>): Uint32Array {
  const counts = new Uint32Array(256);
  for (const label of labels) counts[label] = (counts[label] ?? 0) + 1;
  return counts;
}
