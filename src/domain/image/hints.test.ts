import { describe, expect, it } from 'vitest';
import type { ImageId } from '../ids';
import type { HintInput } from './hints';
import { HINT_LIMITS, hintsOf, qualityHints } from './hints';
import type { Quality } from './quality';
import { qualitySchema } from './quality';

const sound: Quality = {
  v: 1,
  sharpness: 0.9,
  contrast: 50,
  luma: { mean: 110, p5: 30, p95: 210 },
  clipped: { dark: 0, bright: 0 },
  water: 0,
  dhash: '99594d6e4e656c9d',
};
const other = '4c467c5e2e1e2e69';
const at = (
  id: string,
  takenMs: number | null,
  quality: Partial<Quality> | null = {},
  keptAsIs = false,
): HintInput => ({ id: id as ImageId, takenMs, quality: quality === null ? null : { ...sound, ...quality }, keptAsIs });
const kinds = (photographs: readonly HintInput[]): Record<string, unknown> =>
  Object.fromEntries(
    [...hintsOf(photographs)].map(([id, hints]) => [
      id,
      hints.map((hint) => (hint.kind === 'near-duplicate' ? `as ${hint.of}` : hint.kind)),
    ]),
  );

describe('3§3 image: hints', () => {
  it('each limit is exact', () => {
    expect(qualityHints(sound)).toEqual([]);
    expect(qualityHints({ ...sound, sharpness: HINT_LIMITS.sharpnessMin })).toEqual([]);
    expect(qualityHints({ ...sound, sharpness: HINT_LIMITS.sharpnessMin - 0.01 })).toEqual([{ kind: 'blurred' }]);
    expect(qualityHints({ ...sound, luma: { ...sound.luma, p95: HINT_LIMITS.darkP95 - 1 } })).toEqual([
      { kind: 'too-dark' },
    ]);
    expect(qualityHints({ ...sound, clipped: { dark: 0, bright: HINT_LIMITS.brightClipped + 0.01 } })).toEqual([
      { kind: 'too-bright' },
    ]);
    expect(qualityHints({ ...sound, luma: { mean: 230, p5: 201, p95: 250 } })).toEqual([{ kind: 'too-bright' }]);
    expect(qualityHints({ ...sound, water: HINT_LIMITS.waterMin, sharpness: 0.1 })).toEqual([{ kind: 'only-water' }]);
  });

  it('near-duplicates name the first of their group, within minutes only', () => {
    expect(
      kinds([
        at('a', 0),
        at('b', 1000),
        at('c', 2000),
        at('d', HINT_LIMITS.nearMs + 3000),
        at('e', 1500, { dhash: other }),
      ]),
    ).toEqual({ b: ['as a'], c: ['as a'] });
  });

  it('without camera times, neighbours in the order are compared', () => {
    expect(kinds([at('a', null), at('x', null, { dhash: other }), at('b', null)])).toEqual({ b: ['as a'] });
    const far = Array.from({ length: HINT_LIMITS.nearPlaces }, (_, i) =>
      at(`x${i}`, null, { dhash: i % 2 === 0 ? other : '0f0f0f0f0f0f0f0f', contrast: i % 2 === 0 ? 50 : 1 }),
    );
    expect(kinds([at('a', null), ...far, at('b', null)])['b']).toBeUndefined();
  });

  it('a dismissed photograph has no hint and is still the first of its group', () => {
    expect(kinds([at('a', 0, { sharpness: 0.1 }, true), at('b', 1000)])).toEqual({ b: ['as a'] });
  });

  it('unmeasured values and featureless pictures get no hint', () => {
    expect(kinds([at('a', 0, null), at('b', 1, { contrast: 1 }), at('c', 2, { contrast: 1 })])).toEqual({});
  });

  it('differing bits are counted over all 64', () => {
    const pair = (dhash: string) => kinds([at('a', 0, { dhash: '0000000000000000' }), at('b', 1, { dhash })]);
    expect(HINT_LIMITS.hashBits).toBe(7);
    expect(pair('fe00000000000000')).toEqual({ b: ['as a'] });
    expect(pair('c00000000000001f')).toEqual({ b: ['as a'] });
    expect(pair('c00000000000003f')).toEqual({});
    expect(pair('ffffffffffffffff')).toEqual({});
  });

  it('figures that are invalid or of another method are ignored', () => {
    expect(qualitySchema.safeParse(sound).success).toBe(true);
    for (const wrong of [{ ...sound, v: 2 }, { ...sound, dhash: 'x' }, { ...sound, luma: null }, 'sharp', null])
      expect(qualitySchema.safeParse(wrong).success).toBe(false);
  });
});
