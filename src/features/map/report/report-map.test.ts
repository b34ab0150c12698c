import type { Map as MapLibre } from 'maplibre-gl';
import { describe, expect, test } from 'vitest';
import { FeatureStates } from './feature-states';
import type { RegionMeta } from '../../../domain/results/region-meta';
import { mercatorX, mercatorY } from '../../../geo/mercator';
import { fitView, worldSize, type MapBounds } from './fit-view';
import { coverBand } from '../../../domain/results/bands';
import { REEF_FILL, reefFills } from './reef-fill';
import type { FirstArchive } from './report-archives';
import { archivesOf, attributionText } from './report-text';
import { scaleBar } from './scale-bar';
import { openFirstArchives } from './use-archives';

const NO_INSETS = { top: 0, right: 0, bottom: 0, left: 0 };

/** Pixel of a place in a view. */
function project(
  at: readonly [number, number],
  view: ReturnType<typeof fitView>,
  size: { width: number; height: number },
) {
  const world = worldSize(view.zoom);
  return {
    x: (mercatorX(at[0]) - mercatorX(view.longitude)) * world + size.width / 2,
    y: (mercatorY(at[1]) - mercatorY(view.latitude)) * world + size.height / 2,
  };
}

describe('3§9 bands on the map', () => {
  test('an edge belongs to the band above', () => {
    expect([0, 9.9, 10, 29.9, 30, 50, 74.9, 75, 100].map(coverBand)).toEqual([0, 0, 1, 1, 2, 3, 3, 4, 4]);
  });

  test('a reef has the colour of its cover, of its surveys, or none', () => {
    const paint = {
      covers: Float32Array.from([34, Number.NaN, Number.NaN, 80]),
      surveyed: Uint8Array.from([1, 1, 0, 0]),
    };
    expect([...reefFills(4, paint, { results: true, surveyed: true })]).toEqual([
      REEF_FILL.firstBand + 2,
      REEF_FILL.withoutCover,
      REEF_FILL.plain,
      REEF_FILL.firstBand + 4,
    ]);
    expect([...reefFills(4, paint, { results: false, surveyed: true })]).toEqual([1, 1, 0, 0]);
    expect([...reefFills(4, paint, { results: false, surveyed: false })]).toEqual([0, 0, 0, 0]);
    expect([...reefFills(2, null, { results: true, surveyed: true })]).toEqual([0, 0]);
  });
});

describe('3§2 Map behaviour: views', () => {
  const bounds: MapBounds = [141.65, -25.12, 154.34, -9.95];

  test.each([
    [
      { width: 1180, height: 820 },
      { top: 88, right: 0, bottom: 0, left: 408 },
    ],
    [
      { width: 390, height: 844 },
      { top: 88, right: 0, bottom: 456, left: 0 },
    ],
    [{ width: 1440, height: 900 }, NO_INSETS],
  ])('bounds fill the part of %j that no panel covers', (size, insets) => {
    const view = fitView(bounds, size, insets);
    const [topLeft, bottomRight] = [
      project([bounds[0], bounds[3]], view, size),
      project([bounds[2], bounds[1]], view, size),
    ];
    const margins = [
      topLeft.x - insets.left,
      topLeft.y - insets.top,
      size.width - insets.right - bottomRight.x,
      size.height - insets.bottom - bottomRight.y,
    ];
    expect(Math.min(...margins)).toBeCloseTo(24, 5);
    expect(margins[0]).toBeCloseTo(margins[2] ?? 0, 5);
    expect(margins[1]).toBeCloseTo(margins[3] ?? 0, 5);
  });

  test('bounds across the 180th meridian are narrow, and a point has a limit', () => {
    expect(fitView([179, -18, -179, -17], { width: 800, height: 600 }, NO_INSETS)).toMatchObject({ longitude: 180 });
    expect(fitView([146, -17, 146, -17], { width: 800, height: 600 }, NO_INSETS).zoom).toBe(14);
  });

  test('the scale is a round distance', () => {
    expect(scaleBar({ longitude: 0, latitude: 0, zoom: 10 })).toEqual({ width: 131, text: '10 km' });
    expect(scaleBar({ longitude: 0, latitude: -60, zoom: 18 }).text).toBe('20 m');
  });
});

describe('1§7 figures are feature states', () => {
  function fakeMap() {
    const sent: string[] = [];
    let hasSource = true;
    const map = {
      getSource: () => (hasSource ? {} : undefined),
      setFeatureState: ({ sourceLayer, id }: { sourceLayer: string; id: number }, state: object) =>
        sent.push(`${sourceLayer} ${id} ${JSON.stringify(state)}`),
    };
    return { sent, map: map as unknown as MapLibre, setSource: (has: boolean) => void (hasSource = has) };
  }

  test('a new dataset sends what differs, in each layer that may have the reef', () => {
    const { map, sent } = fakeMap();
    const states = new FeatureStates<'fill'>(map, 'reefs', ['reefs', 'reef-points']);
    states.setAll('fill', [0, 2, 3]);
    expect(sent.splice(0)).toEqual([
      'reefs 1 {"fill":2}',
      'reef-points 1 {"fill":2}',
      'reefs 2 {"fill":3}',
      'reef-points 2 {"fill":3}',
    ]);
    states.setAll('fill', [0, 2, 4]);
    expect(sent.splice(0)).toEqual(['reefs 2 {"fill":4}', 'reef-points 2 {"fill":4}']);
    states.setAll('fill', [0, 2]);
    expect(sent).toEqual(['reefs 2 {"fill":0}', 'reef-points 2 {"fill":0}']);
  });

  test('states come back with the source', () => {
    const { map, sent, setSource } = fakeMap();
    const states = new FeatureStates<'fill' | 'mark'>(map, 'reefs', ['reefs']);
    setSource(false);
    states.setAll('fill', [5]);
    states.setSome('mark', new Map([[0, 2]]));
    states.restore();
    expect(sent).toEqual([]);
    setSource(true);
    states.restore();
    expect(sent).toEqual(['reefs 0 {"fill":5}', 'reefs 0 {"mark":2}']);
    states.setSome('mark', new Map());
    expect(sent.at(-1)).toBe('reefs 0 {"mark":0}');
  });
});

test('1§7 a region without land of its own shows the chart of the world, and names its source', () => {
  const meta = { layers: [], attributions: [], withoutData: ['land'] } as unknown as RegionMeta;
  expect(archivesOf(meta).map(({ name, kind }) => [name, kind])).toEqual([['land', 'base']]);
  expect(attributionText(meta, new Set())).toBe('Natural Earth');
  const own = {
    ...meta,
    layers: [{ ...archivesOf(meta)[0], name: 'base-gbr', attribution: '© someone' }],
  } as RegionMeta;
  expect(archivesOf(own).map(({ name }) => name)).toEqual(['base-gbr']);
  expect(attributionText(own, new Set())).toBe('© someone');
});

describe('3§2 archives of the first picture', () => {
  const layer = (kind: 'base' | 'reefs' | 'zoning') => ({ kind, name: `${kind}-gbr`, sha256: `sha-${kind}` });
  const meta = { layers: (['base', 'reefs', 'zoning'] as const).map(layer) } as unknown as RegionMeta;
  const open = (kind: 'base' | 'reefs', name: string, version: string) =>
    Promise.resolve({ kind, archive: { version, url: `pmtiles://${name}` } as FirstArchive['archive'] });
  const url = { kind: 'url', url: 'http://box.lan/file' } as const;

  test('base map and reefs are opened before there is a map', async () => {
    expect(await openFirstArchives({ open }, { meta, locate: () => Promise.resolve(url) })).toEqual([
      { kind: 'base', archive: { version: 'sha-base', url: 'pmtiles://base-gbr' } },
      { kind: 'reefs', archive: { version: 'sha-reefs', url: 'pmtiles://reefs-gbr' } },
    ]);
  });

  test('one that is not in reach does not hold back the other, and without a table none is opened', async () => {
    const locate = (name: string) => (name === 'base-gbr' ? Promise.resolve(null) : Promise.resolve(url));
    expect((await openFirstArchives({ open }, { meta, locate })).map(({ kind }) => kind)).toEqual(['reefs']);
    const broken = () => Promise.reject(new Error('no server'));
    expect(await openFirstArchives({ open }, { meta, locate: broken })).toEqual([]);
    expect(await openFirstArchives({ open }, { meta: null, locate })).toEqual([]);
    const openOne = (...[kind, ...rest]: Parameters<typeof open>) =>
      kind === 'base' ? Promise.reject(new Error('cut off')) : open(kind, ...rest);
    const located = { meta, locate: () => Promise.resolve(url) };
    expect((await openFirstArchives({ open: openOne }, located)).map(({ kind }) => kind)).toEqual(['reefs']);
  });
});
