import { expect, test } from 'vitest';
import { reducedSizeText } from './LightControls';

test('2§9 image sizes: a photograph too large for the tablet is reported with both sizes', () => {
  expect(reducedSizeText({ width: 12_000, height: 9000, shownAt: { width: 4000, height: 3000 } })).toBe(
    'The photograph has 12,000 × 9,000 pixels; this tablet can show 4,000 × 3,000 of them. What you paint counts the same.',
  );
});
