import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ClassColour } from './nearest-colour';
import { labelsByColour, nearestClass } from './nearest-colour';

const byte = fc.nat(255);
const colours = fc
  .uniqueArray(fc.tuple(byte, byte, byte), { minLength: 1, maxLength: 16 })
  .map((all) => all.map((rgb, index): ClassColour => ({ label: index + 1, rgb })));

test('2§9 each pixel gets the class of the nearest colour, bit-equal to the plain definition', () => {
  fc.assert(
    fc.property(
      colours,
      fc.array(fc.tuple(byte, byte, byte, fc.constantFrom(0, 127, 128, 255), fc.integer({ min: 1, max: 5 })), {
        maxLength: 80,
      }),
      fc.boolean(),
      (classes, spots, odd) => {
        const bytes = spots.flatMap(([r, g, b, a, times]) => Array.from({ length: times }, () => [r, g, b, a]).flat());
        // Pixels that are not word-aligned work too.
        const room = new Uint8Array(bytes.length + 1);
        const pixels = room.subarray(odd ? 1 : 0, (odd ? 1 : 0) + bytes.length);
        pixels.set(bytes);
        const plain = Array.from({ length: bytes.length / 4 }, (_, at) =>
          nearestClass(bytes[at * 4]!, bytes[at * 4 + 1]!, bytes[at * 4 + 2]!, bytes[at * 4 + 3]!, classes),
        );
        expect(Array.from(labelsByColour(pixels, classes))).toEqual(plain);
      },
    ),
  );
  // Far more colours than the cache holds.
  const noise = Uint8Array.from({ length: 400_000 }, (_, index) =>
    index % 4 === 3 ? 255 : Math.imul(index, 2_654_435_761) >>> 24,
  );
  const classes: ClassColour[] = Array.from({ length: 16 }, (_, index) => ({
    label: index + 1,
    rgb: [(index * 67) % 256, (index * 131) % 256, (index * 29) % 256],
  }));
  const labels = labelsByColour(noise, classes);
  for (let at = 0; at < labels.length; at++)
    if (labels[at] !== nearestClass(noise[at * 4]!, noise[at * 4 + 1]!, noise[at * 4 + 2]!, 255, classes))
      expect.fail(`pixel ${at}`);
});

test('an incomplete pixel is refused', () => {
  expect(() => labelsByColour(new Uint8Array(7), [])).toThrow(RangeError);
});
