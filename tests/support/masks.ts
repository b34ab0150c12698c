import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import { sceneOf } from '../../src/imaging/reef-renderer/habitats';
import type { Habitat } from '../../src/imaging/reef-renderer/habitats';
import { labelOf } from '../../src/imaging/reef-renderer/reef-classes';
import { renderReef } from '../../src/imaging/reef-renderer/render-reef';

/** Picture with a known class for every pixel. */
export interface Mask {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** Class numbers from 1, one per pixel. */
  readonly labels: Uint8Array;
}

/** Photograph with its mask, which may have another size. */
export interface MaskedPicture {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** RGBA. */
  readonly data: Uint8ClampedArray;
  readonly mask: Mask;
}

const MASKS = path.resolve(import.meta.dirname, '../../../shared/data/photos-with-masks');
/** Longer side of a photograph for labelling, px. */
const SIDE = 2000;

/**
 * Hand-made masks of real photographs, if they exist beside the project.
 * @param side longer side at most, px
 */
export async function masks(side = Infinity): Promise<Mask[]> {
  if (!existsSync(MASKS)) return [];
  return Promise.all(
    readdirSync(MASKS)
      .filter((file) => file.endsWith('.mask.png'))
      .map(async (name): Promise<Mask> => {
        const picture = sharp(path.join(MASKS, name));
        if (Number.isFinite(side))
          picture.resize(side, side, { fit: 'inside', withoutEnlargement: true, kernel: 'nearest' });
        const { data, info } = await picture
          .removeAlpha()
          .toColourspace('srgb')
          .raw()
          .toBuffer({ resolveWithObject: true });
        const known = new Map<number, number>();
        const labels = new Uint8Array(info.width * info.height);
        for (let at = 0; at < labels.length; at++) {
          const colour = data[at * 3]! * 65_536 + data[at * 3 + 1]! * 256 + data[at * 3 + 2]!;
          if (!known.has(colour)) known.set(colour, known.size + 1);
          labels[at] = known.get(colour)!;
        }
        return { name, width: info.width, height: info.height, labels };
      }),
  );
}

/** Photographs of the {@link masks}, as labelling shows them. */
export async function maskedPhotographs(): Promise<MaskedPicture[]> {
  return Promise.all(
    (await masks(SIDE)).map(async (mask): Promise<MaskedPicture> => {
      const { data, info } = await sharp(path.join(MASKS, mask.name.replace('.mask.png', '.jpg')))
        .resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true })
        .ensureAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      return { name: mask.name, width: info.width, height: info.height, data: new Uint8ClampedArray(data), mask };
    }),
  );
}

const HARD_CORALS = new Set((['B', 'P', 'M', 'H', 'E', 'D'] as const).map(labelOf));
const SOFT_CORAL = labelOf('S');

/**
 * Generated reef from near, as the photographs are, with the classes of people's masks: 1 other, 2 hard coral, 3 soft
 * coral.
 */
export function maskedReef(habitat: Habitat, seed: number): MaskedPicture {
  const { label, width, height, rgb } = renderReef({ ...sceneOf(habitat, seed), zoom: 2, groundZoom: 2 });
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let at = 0; at < width * height; at++) data.set(rgb.subarray(at * 3, at * 3 + 3), at * 4);
  const labels = label.map((value) => (HARD_CORALS.has(value) ? 2 : value === SOFT_CORAL ? 3 : 1));
  const name = `${habitat} ${seed}`;
  return { name, width, height, data, mask: { name, width, height, labels } };
}
