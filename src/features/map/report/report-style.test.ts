import { expect, test } from 'vitest';
import type { ReportColours } from './report-colours';
import { archiveLayers, reportStyle } from './report-style';

const RUBBLE = ['#000001', '#000002', '#000003', '#000004', '#000005', '#000006'] as const;

test('3§2 archives that are open are in the style from the start, the base map below the reefs', () => {
  const colours = { bands: ['#000001'], rubble: RUBBLE } as unknown as ReportColours;
  const archives = (['reefs', 'base'] as const).map((kind) => ({ kind, version: '1', url: `pmtiles://${kind}-1` }));
  const { sources, layers } = reportStyle(colours, 'Font', '/font', archives);
  expect(sources).toMatchObject({ base: { url: 'pmtiles://base-1' }, reefs: { url: 'pmtiles://reefs-1' } });
  const ids = layers.map(({ id }) => id);
  expect([ids[0], ids.at(-1)]).toEqual(['sea', 'reef-names']);
  expect(ids.indexOf('coast')).toBeGreaterThan(0);
  expect(ids.indexOf('reefs-fill')).toBeGreaterThan(ids.indexOf('coast'));
  expect(reportStyle(colours, 'Font', '/font').layers).toHaveLength(2);
});

test('3§9 rubble is drawn from 40%, with a new colour at 50, 60, 70, 80 and 90', () => {
  const [layer] = archiveLayers('rubble', { edge: '#000000', rubble: RUBBLE } as ReportColours);
  const { paint } = layer as unknown as { readonly paint: Readonly<Record<string, readonly unknown[]>> };
  const [, , ...steps] = paint['circle-color'] ?? [];
  expect(steps).toEqual([RUBBLE[0], 50, RUBBLE[1], 60, RUBBLE[2], 70, RUBBLE[3], 80, RUBBLE[4], 90, RUBBLE[5]]);
  const probability = paint['circle-color']?.[1];
  for (const opacity of ['circle-opacity', 'circle-stroke-opacity'])
    expect(paint[opacity]).toEqual(['case', ['<', probability, 40], 0, 1]);
});
