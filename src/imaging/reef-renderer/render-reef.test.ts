import { describe, expect, it } from 'vitest';
import { REEF_CLASSES, coverOf, labelOf } from './reef-classes';
import { HABITATS, sceneOf } from './habitats';
import type { ReefScene } from './habitats';
import { renderReef } from './render-reef';

const SMALL = { width: 320, height: 240 };
const pictures = new Map(HABITATS.map((habitat) => [habitat, renderReef(sceneOf(habitat, 11, SMALL))]));

describe('imaging: the reef renderer knows the contents of its pictures', () => {
  it('the reported cover equals a recount and adds up to the whole picture', () => {
    for (const { label, cover } of pictures.values()) {
      for (const { letter } of REEF_CLASSES) {
        const counted = label.reduce((sum, value) => sum + (value === labelOf(letter) ? 1 : 0), 0);
        expect(cover[letter]).toBe(counted / label.length);
      }
      expect(Object.values(cover).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    }
  });

  it('a picture has one existing class per pixel and three bytes of colour', () => {
    for (const { width, height, rgb, label } of pictures.values()) {
      expect([width, height]).toEqual([SMALL.width, SMALL.height]);
      expect(label).toHaveLength(width * height);
      expect(rgb).toHaveLength(3 * width * height);
      expect(label.every((value) => value < REEF_CLASSES.length)).toBe(true);
    }
  });

  it('the same scene yields the same bytes, and another seed another picture', () => {
    const again = renderReef(sceneOf('crest', 11, SMALL));
    const first = pictures.get('crest');
    expect(same(again.rgb, first?.rgb)).toBe(true);
    expect(same(again.label, first?.label)).toBe(true);
    expect(same(renderReef(sceneOf('crest', 12, SMALL)).label, first?.label)).toBe(false);
  });

  it('every class appears on some picture, and a habitat’s own class on its picture', () => {
    const seen = new Map(
      REEF_CLASSES.map(({ letter }) => [letter, Math.max(...[...pictures.values()].map(({ cover }) => cover[letter]))]),
    );
    for (const { letter, name } of REEF_CLASSES) expect(seen.get(letter), name).toBeGreaterThan(0.001);
    expect(pictures.get('lagoon')?.cover.N).toBeGreaterThan(0.25);
    expect(pictures.get('bleached')?.cover.E).toBeGreaterThan(0.08);
    expect(pictures.get('rubble-field')?.cover.R).toBeGreaterThan(0.05);
    expect(pictures.get('slope')?.cover.W).toBeGreaterThan(0.05);
  });

  it('colours match the labels: bleached coral is pale and open water is blue', () => {
    expect(meanColour('bleached', 'E').every((channel) => channel > 110)).toBe(true);
    const [red, , blue] = meanColour('slope', 'W');
    expect(blue).toBeGreaterThan(red * 1.5);
  });

  it('pictures of one pixel, one row and odd size are rendered', () => {
    for (const size of [
      { width: 1, height: 1 },
      { width: 64, height: 1 },
      { width: 33, height: 57 },
    ]) {
      const scene: ReefScene = sceneOf('bommie', 3, size);
      const { label, rgb, cover } = renderReef(scene);
      expect([label.length, rgb.length]).toEqual([size.width * size.height, 3 * size.width * size.height]);
      expect(cover).toEqual(coverOf(label));
    }
  });
});

function same(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return a.length === b?.length && a.every((value, i) => value === b[i]);
}

function meanColour(
  habitat: (typeof HABITATS)[number],
  letter: (typeof REEF_CLASSES)[number]['letter'],
): [number, number, number] {
  const picture = pictures.get(habitat);
  const sums: [number, number, number] = [0, 0, 0];
  let count = 0;
  picture?.label.forEach((value, i) => {
    if (value !== labelOf(letter)) return;
    count += 1;
    sums[0] += picture.rgb[3 * i] ?? 0;
    sums[1] += picture.rgb[3 * i + 1] ?? 0;
    sums[2] += picture.rgb[3 * i + 2] ?? 0;
  });
  return [sums[0] / count, sums[1] / count, sums[2] / count];
}
