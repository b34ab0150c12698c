import { expect, it } from 'vitest';
import { metresBetween, wrapLongitude } from './distance';

it('a minute of latitude is a nautical mile', () => {
  expect(metresBetween({ latitude: -16, longitude: 145 }, { latitude: -16 - 1 / 60, longitude: 145 })).toBeCloseTo(
    1853,
    0,
  );
});

it('longitudes wrap to -180..180', () => {
  expect([181, -181, 540, 0, -540, 359].map(wrapLongitude)).toEqual([-179, 179, -180, 0, -180, -1]);
});
