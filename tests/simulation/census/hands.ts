import { categoryClass } from '../../../src/domain/analysis/free-draw/categories';
import type { Ballot } from '../../../src/domain/consensus/ballot';
import type { Position } from '../../../src/domain/geobuf/geojson';
import type { CoverClass } from '../../../src/domain/results/cover';
import { COVER_CLASSES } from '../../../src/domain/results/cover';
import { contours } from '../../../src/imaging/contours';
import type { Mask } from '../../support/masks';
import type { Seeded } from '../../support/seed';

/** Area of a mask: rings, normalised 0 to 1. */
export type Area = readonly (readonly Position[])[];

const COLUMNS = 6;
const ROWS = 4;

/** Areas of a mask: its classes, cut where a grid of 6 by 4 cuts them, as people outline colony by colony. */
export function areasOf({ labels, width, height }: Mask): readonly Area[] {
  const classes = Math.min(
    10,
    labels.reduce((most, label) => Math.max(most, label), 0),
  );
  const cut = labels.map((label, at) => {
    const [x, y] = [at % width, Math.floor(at / width)];
    const tile = Math.floor((y * ROWS) / height) * COLUMNS + Math.floor((x * COLUMNS) / width);
    return tile * classes + Math.min(classes, label);
  });
  return [...new Set(cut)]
    .sort((one, other) => one - other)
    .map((label) =>
      contours(cut, width, height, label).map((ring) =>
        Array.from({ length: ring.length >> 1 }, (_, at): Position => [
          ring[at * 2]! / width,
          ring[at * 2 + 1]! / height,
        ]),
      ),
    );
}

const TYPES: Readonly<Record<CoverClass, string>> = {
  branching: 'reef_hardcoral_branching',
  plating: 'reef_hardcoral_plating',
  massive: 'reef_hardcoral_boulder',
  other: 'reef_hardcoral_other',
  rubble: 'reef_structure_rubble',
  none: 'reef_structure_substrate',
  unknown: 'background_water',
};

export interface Hand {
  readonly analyst: string;
  readonly isExpert: boolean;
  /** Paints the areas; else draws them as outlines. */
  readonly paints: boolean;
  /** Largest error of an area, fraction of the picture. */
  readonly jitter: number;
}

/** Answer of a hand that draws each area a little off its place. @param classes index of the class by area */
export function handBallot(
  { analyst, isExpert, paints, jitter }: Hand,
  imageId: string,
  { width, height }: Mask,
  areas: readonly Area[],
  classes: readonly number[],
  random: Seeded,
): Ballot {
  const drawn = areas.map((rings): Area => {
    const off = (): number => jitter * (2 * random.fraction() - 1);
    const [dx, dy] = [off(), off()];
    const inside = (value: number): number => Math.min(1, Math.max(0, value));
    return rings.map((ring) => [...ring, ring[0]!].map(([x, y]): Position => [inside(x + dx), inside(y + dy)]));
  });
  const cover = (index: number): CoverClass => COVER_CLASSES[classes[index]!]!;
  return {
    kind: 'ballot',
    analysisId: `${imageId}-${analyst}`,
    analyst,
    isExpert,
    version: paints ? 3 : 4,
    size: { width, height },
    ignored: [],
    answer: paints
      ? {
          kind: 'marks',
          penShare: 0.0125,
          marks: drawn.map((rings, index) => ({
            kind: 'polygon',
            since: index,
            paints: categoryClass(TYPES[cover(index)])!,
            rings,
          })),
        }
      : {
          kind: 'outlines',
          fill: null,
          outlines: drawn.map((rings, index) => ({
            id: `${analyst}-${index}`,
            rings,
            area: 1 / (index + 2),
            cover: cover(index),
          })),
        },
  };
}
