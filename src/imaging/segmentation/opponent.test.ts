import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boxBlurred } from './opponent';

test('2§4 tap to fill: smoothing is the mean of the square around each pixel', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 8 }),
      fc.nat(5),
      fc.infiniteStream(fc.integer({ min: 0, max: 255 })),
      (width, height, radius, values) => {
        const plane = Float32Array.from({ length: width * height }, () => Number(values.next().value));
        const smooth = boxBlurred(plane, width, height, radius);
        const held = (value: number, length: number): number => Math.min(length - 1, Math.max(0, value));
        for (let y = 0; y < height; y++)
          for (let x = 0; x < width; x++) {
            let sum = 0;
            for (let dy = -radius; dy <= radius; dy++)
              for (let dx = -radius; dx <= radius; dx++)
                sum += plane[held(y + dy, height) * width + held(x + dx, width)]!;
            expect(smooth[y * width + x]).toBeCloseTo(sum / (radius * 2 + 1) ** 2, 2);
          }
      },
    ),
    { numRuns: 60 },
  );
});
