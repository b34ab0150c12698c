import { expect, it } from 'vitest';
import { distanceKm } from './geo-point';

it('3§9 distances are those on an earth of 6371 km radius', () => {
  const quarter = (Math.PI / 2) * 6371;
  expect(distanceKm({ latitude: 0, longitude: 0 }, { latitude: 90, longitude: 0 })).toBeCloseTo(quarter, 6);
  expect(distanceKm({ latitude: 0, longitude: -170 }, { latitude: 0, longitude: 100 })).toBeCloseTo(quarter, 6);
});
