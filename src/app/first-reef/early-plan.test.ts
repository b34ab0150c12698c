import { expect, test } from 'vitest';
import { REGIONS } from '../../domain/region/regions';
import { planFirstFrame } from './early-plan';

const at = (address: string) => {
  const [pathname = '', search = ''] = address.split(/(?=\?)/);
  return { pathname, search };
};

test('3§2 the first frame of a report follows region, dataset and place of its address', () => {
  expect(planFirstFrame(at('/detailed-reporting?look=results&at=-17,147,5.4'), 'gbr', 'unknown')).toEqual({
    url: '/cdn/map/gbr/first.json',
    datasetId: 'grc6',
    bounds: REGIONS.gbr.mapBounds,
    startView: { latitude: -17, longitude: 147, zoom: 5.4 },
    isBlurred: false,
    list: { censusYear: '2025', selected: null, hasLegend: true },
  });
  for (const address of [
    '/Hawaii/detailed-reporting/',
    '/detailed-reporting?region=hawaii',
    '/hawaii/detailed-reporting/grc5/priority',
  ])
    expect(planFirstFrame(at(address), 'gbr', 'unknown')?.url).toBe('/cdn/map/hawaii/first.json');
  expect(planFirstFrame(at('/detailed-reporting'), 'hawaii', 'unknown')?.datasetId).toBe('hawaii-pilot');
});

test('3§6 the first frame has a list for those who look at results, and is blurred for others who are signed out', () => {
  const plan = (address: string, visitor: 'unknown' | 'signed-out') => planFirstFrame(at(address), 'gbr', visitor);
  expect(plan('/detailed-reporting', 'unknown')).toMatchObject({ isBlurred: false, list: null });
  expect(plan('/detailed-reporting', 'signed-out')).toMatchObject({ isBlurred: true, list: null });
  expect(plan('/detailed-reporting?look=results&reef=gbr-7', 'signed-out')).toMatchObject({
    isBlurred: false,
    list: { selected: 'gbr-7', hasLegend: true },
  });
});

test.each([
  '/surveys',
  '/detailed-reporting/grc99',
  '/detailed-reporting/grc6/other',
  '/atlantis/detailed-reporting',
  '/palmyra/detailed-reporting',
  '/hawaii/detailed-reporting-more',
])('3§2 the app alone answers an address without a map: %s', (address) => {
  expect(planFirstFrame(at(address), 'gbr', 'signed-out')).toBeNull();
});

test('3§2 the app alone begins the report of someone signed in', () => {
  expect(planFirstFrame(at('/detailed-reporting?look=results'), 'gbr', 'signed-in')).toBeNull();
});
