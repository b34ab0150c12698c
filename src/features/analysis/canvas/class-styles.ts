import { CATEGORY_CLASSES } from '../../../domain/analysis/free-draw/categories';
import { paletteOf } from '../../../domain/analysis/free-draw/colours';
import { PALETTE_COLOURS } from '../../../domain/analysis/palette';
import { HATCH_SIDE, type TracingSetup } from '../../../workers/tracing/tracing.api';
import { HATCH_BOX, HATCHES, type Hatch } from '../stage/hatches';

type ClassStyles = TracingSetup['styles'];
type Colour = ClassStyles[number]['fill'];

const LINE_OPACITY = 0.72;
const INK: Colour = [2, 37, 59];
const WHITE: Colour = [255, 255, 255];

function parseHexColour(hex: string): Colour {
  const word = Number.parseInt(hex.slice(1), 16);
  return [(word >> 16) & 255, (word >> 8) & 255, word & 255];
}

/**
 * Styles that paint each class over a photograph: palette colour and hatch.
 * @param tileOf renders a hatch: coverage of each pixel, 0 to 1, row by row
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

/** Draws a hatch on a tile; lines that cross the rim wrap around. */
function drawHatchTile({ path, width }: Hatch): ArrayLike<number> {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = HATCH_SIDE;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  // Without a 2D context the session cannot draw either, and reports it.
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
