import { expect, test } from 'vitest';
import { loupePlace } from './loupe';

test('2§4 the loupe never lies under the finger, and stays on the stage', () => {
  for (let x = 0; x <= 390; x += 5)
    for (let y = 0; y <= 300; y += 5) {
      const [left, top] = loupePlace(x, y);
      expect(left, `${x} ${y}`).toBeGreaterThanOrEqual(0);
      expect(top, `${x} ${y}`).toBeGreaterThanOrEqual(0);
      const [dx, dy] = [Math.max(left - x, 0, x - left - 120), Math.max(top - y, 0, y - top - 120)];
      expect(Math.hypot(dx, dy), `${x} ${y}`).toBeGreaterThanOrEqual(36);
    }
});
