import { CATEGORY_CLASSES } from '../../../domain/analysis/free-draw/categories';
import { PALETTE_COLOURS, paletteOf } from '../../../domain/analysis/free-draw/colours';
import { HATCH_SIDE, type TracingSetup } from '../../../workers/tracing/tracing.api';
import { HATCH_BOX, HATCHES, type Hatch } from './hatches';

type ClassStyles = TracingSetup['styles'];
type Colour = ClassStyles[number]['fill'];

/** How strongly a hatch's lines cover its fill. */
const LINE_OPACITY = 0.72;
const INK: Colour = [2, 37, 59];
const WHITE: Colour = [255, 255, 255];

/** Red, green and blue of `#rrggbb`. */
export function parseHexColour(hex: string): Colour {
  const word = Number.parseInt(hex.slice(1), 16);
  return [(word >> 16) & 255, (word >> 8) & 255, word & 255];
}

/**
 * How each class is painted over a photograph: the colour of its palette with its hatch.
 *
 * @param tileOf a hatch as pixels: how much of it covers each, 0 to 1, row by row
 */
export function classStyles(tileOf: (hatch: Hatch) => ArrayLike<number> = drawHatchTile): ClassStyles {
  const tiles = new Map<string, ArrayLike<number>>();
  return CATEGORY_CLASSES.map((each) => {
    const letter = paletteOf(each);
    const hatch = HATCHES[letter];
    const tile = tiles.get(letter) ?? tileOf(hatch);
    tiles.set(letter, tile);
    return {
      label: each.label,
      fill: parseHexColour(PALETTE_COLOURS[letter]),
      lines: hatch.isWhite ? WHITE : INK,
      hatch: tile,
    };
  });
}

/** A hatch drawn on a tile; what crosses its rim comes in at the other side. */
function drawHatchTile({ path, width }: Hatch): ArrayLike<number> {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = HATCH_SIDE;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  // A browser that draws nothing here draws no marks either, and the session says so.
  if (context === null) return new Float32Array(HATCH_SIDE * HATCH_SIDE);
  context.lineWidth = width;
  context.lineCap = 'round';
  const lines = new Path2D(path);
  const scale = HATCH_SIDE / HATCH_BOX;
  for (const x of [-HATCH_BOX, 0, HATCH_BOX]) {
    for (const y of [-HATCH_BOX, 0, HATCH_BOX]) {
      context.setTransform(scale, 0, 0, scale, x * scale, y * scale);
      context.stroke(lines);
    }
  }
  const { data } = context.getImageData(0, 0, HATCH_SIDE, HATCH_SIDE);
  return Float32Array.from(
    { length: HATCH_SIDE * HATCH_SIDE },
    (_, at) => ((data[at * 4 + 3] ?? 0) / 255) * LINE_OPACITY,
  );
}
