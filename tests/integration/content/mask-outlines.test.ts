import { describe, expect, test } from 'vitest';
import { paintOutlines } from '../../../src/imaging/label-raster/outline-cover';
import { segmentPicture } from '../../../src/imaging/segmentation/segment-picture';
import { shrinkPicture } from '../../../src/imaging/segmentation/shrink-picture';
import { maskedPhotographs, maskedReef } from '../../support/masks';
import type { Mask, MaskedPicture } from '../../support/masks';
import { slic } from '../../support/slic';

/** Columns of a raster of cover (2§9). */
const COLUMNS = 2000;
/** Longer side on which superpixels are found, px: as our own kernel does. */
const SIDE = 800;

/** Regions beside a mask, each with the class that most of its pixels have. */
interface Agreement {
  /** Share of the mask's pixels with the right class. */
  readonly right: number;
  /** Greatest difference of a class's cover from the mask's. */
  readonly coverOff: number;
}

/** @param labels region by pixel; -1 for none */
function agreement(labels: Int32Array, width: number, height: number, mask: Mask): Agreement {
  const regions = labels.reduce((most, label) => Math.max(most, label), 0) + 2;
  const counts = new Float64Array(regions * 256);
  for (let y = 0, at = 0; y < mask.height; y++) {
    const row = Math.floor(((y + 0.5) * height) / mask.height) * width;
    for (let x = 0; x < mask.width; x++, at++)
      counts[(labels[row + Math.floor(((x + 0.5) * width) / mask.width)]! + 1) * 256 + mask.labels[at]!]!++;
  }
  let right = 0;
  const given = new Float64Array(256);
  const truth = new Float64Array(256);
  for (let region = 0; region < regions; region++) {
    const own = counts.subarray(region * 256, region * 256 + 256);
    const majority = own.indexOf(Math.max(...own));
    for (const [label, count] of own.entries()) truth[label]! += count;
    // The first are pixels without an outline, which no one labels.
    if (region === 0) continue;
    right += own[majority]!;
    given[majority]! += own.reduce((sum, count) => sum + count, 0);
  }
  const all = mask.width * mask.height;
  return {
    right: right / all,
    coverOff: Math.max(...given.map((count, label) => Math.abs(count - truth[label]!) / all)),
  };
}

function ours({ data, width, height, mask }: MaskedPicture, minSize: number): Agreement & { readonly count: number } {
  const { outlines } = segmentPicture(data, width, height, { minSize, maxSize: 1 });
  const numbers = new Map(outlines.map(({ id }, index) => [id, index + 1]));
  const raster = paintOutlines(outlines, numbers, COLUMNS, Math.round((COLUMNS * mask.height) / mask.width));
  const labels = Int32Array.from(raster.labels, (label) => label - 1);
  return { count: outlines.length, ...agreement(labels, raster.width, raster.height, mask) };
}

/** Superpixels, at least as many as asked for. */
function theirs(picture: MaskedPicture, count: number): Agreement & { readonly count: number } {
  const small = shrinkPicture(picture, SIDE);
  for (let wanted = Math.ceil(count * 1.1); ; wanted = Math.ceil(wanted * 1.05)) {
    const found = slic(small, wanted);
    if (found.count >= count)
      return { count: found.count, ...agreement(found.labels, small.width, small.height, picture.mask) };
  }
}

/** Photographs, if they are beside the project, and made reefs. */
const pictures = async (): Promise<readonly MaskedPicture[]> => [
  ...(await maskedPhotographs()),
  maskedReef('flat', 5),
  maskedReef('bommie', 11),
];

describe('2§4 outlines without a model: each given its majority, they match what people painted', () => {
  test('outlines match the cover within 0.03 and beat as many superpixels (SLIC), by two least sizes', async () => {
    for (const picture of await pictures())
      for (const least of [0.007, 0.002]) {
        const own = ours(picture, least);
        const rival = theirs(picture, own.count);
        const said = `${picture.name} from ${least}: ${JSON.stringify({ own, rival })}`;
        expect(own.count, said).toBeLessThanOrEqual(200);
        expect(own.coverOff, said).toBeLessThanOrEqual(0.03);
        expect(own.right, said).toBeGreaterThan(rival.right);
        // 200 superpixels reached this on the two photographs.
        expect(own.right, said).toBeGreaterThan(0.9);
      }
  }, 300_000);
});
