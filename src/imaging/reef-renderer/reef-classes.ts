/**
 * Classes of a generated photograph, by the letters of the class palette. "Not sure" and "bad image" are human answers
 * and occur on no picture.
 */
export const REEF_CLASSES = [
  { letter: 'W', name: 'Water and shadow' },
  { letter: 'N', name: 'Sand' },
  { letter: 'R', name: 'Rubble' },
  { letter: 'T', name: 'Reef structure' },
  { letter: 'A', name: 'Algae' },
  { letter: 'B', name: 'Branching coral' },
  { letter: 'P', name: 'Plating coral' },
  { letter: 'M', name: 'Boulder coral' },
  { letter: 'H', name: 'Other hard coral' },
  { letter: 'S', name: 'Soft coral' },
  { letter: 'E', name: 'Bleached coral' },
  { letter: 'D', name: 'Dead coral' },
  { letter: 'G', name: 'Sponges and other life' },
] as const;

export type ReefClass = (typeof REEF_CLASSES)[number]['letter'];

const LABELS = new Map<ReefClass, number>(REEF_CLASSES.map(({ letter }, i) => [letter, i]));

/** Byte of a class in a label raster: its index in {@link REEF_CLASSES}. */
export function labelOf(letter: ReefClass): number {
  return LABELS.get(letter) ?? 0;
}

/** Fraction 0..1 of the pixels of each class; the fractions add up to 1. */
export type Cover = Readonly<Record<ReefClass, number>>;

export function coverOf(label: Uint8Array): Cover {
  const counts = new Float64Array(256);
  for (const value of label) counts[value] = (counts[value] ?? 0) + 1;
  const total = Math.max(1, label.length);
  return Object.fromEntries(REEF_CLASSES.map(({ letter }, i) => [letter, (counts[i] ?? 0) / total])) as Record<
    ReefClass,
    number
  >;
}
