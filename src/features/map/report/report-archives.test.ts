import type { Map as MapLibre } from 'maplibre-gl';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OpenedArchive } from '../map-library';
import { ReportArchives } from './report-archives';
import type { ReportColours } from './report-colours';
import type { ArchiveLocation } from './report-map-props';
import { afterPause } from './use-archives';

type ReadTile = (
  request: { readonly url: string; readonly type: string },
  abort: AbortController,
) => Promise<{ readonly data: Uint8Array }>;
const protocol = vi.hoisted(() => ({ read: undefined as unknown }));
vi.mock('maplibre-gl', async (original) => ({
  ...(await original<object>()),
  prewarm: () => undefined,
  setWorkerUrl: () => undefined,
  addProtocol: (_: string, read: unknown) => void (protocol.read = read),
}));

const [V1, V2, V3] = ['1', '2', '3'].map((digit) => digit.repeat(64)) as [string, string, string];
const BOX: ArchiveLocation = { kind: 'url', url: 'http://box.lan/tiles/zoning-gbr.pmtiles' };
const RUBBLE = ['#000001', '#000002', '#000003', '#000004', '#000005', '#000006'];
const COLOURS = { bands: RUBBLE, rubble: RUBBLE } as unknown as ReportColours;
const ready = () => Promise.resolve(true);

/** Version at the server; null if it does not answer. */
let served: string | null;
/** Versions of parts that the browser has cached. */
let cached: Map<string, string>;
/** `cache` of the requests. */
let asked: (string | undefined)[];
beforeEach(() => {
  [served, cached, asked] = [V1, new Map(), []];
  vi.stubGlobal('fetch', (_: string, { headers, cache }: { headers: Headers; cache?: string }) => {
    asked.push(cache);
    const range = headers.get('range') ?? '';
    const version = (cache === 'reload' ? undefined : cached.get(range)) ?? served;
    if (version === null) return Promise.reject(new TypeError('no answer'));
    cached.set(range, version);
    const [, from, to] = /(\d+)-(\d+)/.exec(range) ?? [];
    const body = archiveOf(version).slice(Number(from), Number(to) + 1);
    return Promise.resolve(new Response(body, { status: 206, headers: { etag: `"${version}"` } }));
  });
});
afterEach(() => vi.unstubAllGlobals());

/** Archive of one tile, which has the version as its text. */
function archiveOf(version: string): Uint8Array<ArrayBuffer> {
  const directory = [1, 0, 1, version.length, 1];
  const bytes = new Uint8Array(127 + directory.length + version.length);
  const header = new DataView(bytes.buffer);
  header.setUint16(0, 0x4d50, true);
  bytes[7] = 3;
  header.setUint32(8, 127, true);
  header.setUint32(16, directory.length, true);
  header.setUint32(56, 127 + directory.length, true);
  bytes.set([1, 1, 1], 97);
  bytes.set(directory, 127);
  bytes.set(new TextEncoder().encode(version), 127 + directory.length);
  return bytes;
}
const pack = (version: string): ArchiveLocation => ({
  kind: 'file',
  file: new File([archiveOf(version)], 'zoning-gbr.pmtiles'),
  sha256: version,
});

/** Reads the tile of an address. @returns its version */
async function readTile(url: string): Promise<string> {
  const read = protocol.read as ReadTile;
  const { data } = await read({ url: `${url}/0/0/0`, type: 'arrayBuffer' }, new AbortController());
  return new TextDecoder().decode(data);
}

/** @param first archive that is in the style of the map */
function scene(first?: OpenedArchive) {
  const sources = new Map(first === undefined ? [] : [['base', first.url]]);
  let hasDirectory = true;
  let fail = (_: object): void => undefined;
  const map = {
    on: (_: string, listener: (event: object) => void) => void (fail = listener),
    addSource: (id: string, { url }: { url: string }) => void sources.set(id, url),
    removeSource: (id: string) => void sources.delete(id),
    getSource: (id: string) => (sources.has(id) ? { tiles: hasDirectory ? [] : undefined } : undefined),
    addLayer: () => undefined,
    removeLayer: () => undefined,
    getLayersOrder: () => [],
    getLayer: () => undefined,
  } as unknown as MapLibre;
  const errors: unknown[] = [];
  const onReplaced = vi.fn();
  const archives = new ReportArchives(map, first === undefined ? [] : [{ kind: 'base', archive: first }], {
    colours: () => COLOURS,
    allenBefore: '',
    onAdded: () => undefined,
    onError: (error) => errors.push(error),
    onReplaced,
  });
  const set = (version: string, location: ArchiveLocation, isReady = ready) =>
    archives.set('zoning', 'zoning-gbr', version, location, isReady);
  /** Address that is drawn. */
  const drawn = (): string => sources.get('zoning') ?? '';
  const failTile = () => fail({ sourceId: 'zoning' });
  const failDirectory = () => {
    hasDirectory = false;
    failTile();
  };
  return { archives, sources, set, drawn, errors, onReplaced, failTile, failDirectory };
}

test('1§7, 3§7 an older pack is not read under the source of a newer version once its server is gone', async () => {
  served = V2;
  const { set, drawn } = scene();
  expect(await set(V2, BOX)).toBe('current');
  const before = drawn();
  served = null;
  expect(await set(V2, pack(V1))).toBe('other');
  expect(drawn()).toBe(before);
  await expect(readTile(drawn())).rejects.toThrow('no answer');
  served = V2;
  expect(await readTile(drawn())).toBe(V2);
});

test('1§7, 3§7 a pack of the same version becomes the place of further tiles', async () => {
  const { set, drawn } = scene();
  await set(V1, BOX);
  const before = drawn();
  served = null;
  cached.clear();
  expect(await set(V1, pack(V1))).toBe('current');
  expect(drawn()).toBe(before);
  expect(await readTile(drawn())).toBe(V1);
});

test('1§7, 3§7 once a pack was deleted, another version at the server is noticed', async () => {
  const { set, drawn, onReplaced } = scene();
  await set(V2, pack(V2));
  expect(await set(V2, BOX)).toBe('current');
  await readTile(drawn());
  expect(onReplaced).toHaveBeenCalledTimes(1);
  expect(await set(V2, BOX)).toBe('other');
  expect(await readTile(drawn())).toBe(V1);
});

test('1§7, 3§7 a replaced archive is opened again while the list still names the older version', async () => {
  const { set, drawn, onReplaced } = scene();
  await set(V1, BOX);
  const before = drawn();
  served = V2;
  await readTile(before);
  expect(onReplaced).toHaveBeenCalledTimes(1);
  expect(await set(V1, BOX)).toBe('other');
  expect(drawn()).not.toBe(before);
  expect(await readTile(drawn())).toBe(V2);
});

test('1§7, 3§7 a replacement that was noticed before there is a map is not lost', async () => {
  const first = await OpenedArchive.open('base-gbr', V1, BOX);
  served = V2;
  await readTile(first.url);
  const { archives, sources } = scene(first);
  expect(await archives.set('base', 'base-gbr', V1, BOX, ready)).toBe('other');
  expect(await readTile(sources.get('base') ?? '')).toBe(V2);
});

test('1§7, 3§7 a tile of another version in the browser cache is read again, and replaces nothing', async () => {
  served = V2;
  const { set, drawn, onReplaced } = scene();
  await set(V2, BOX);
  cached.set(`bytes=132-${132 + 63}`, V1);
  expect(await readTile(drawn())).toBe(V2);
  expect(onReplaced).not.toHaveBeenCalled();
});

test('1§7, 3§7 after a read past the browser cache it is used again', async () => {
  const { set, drawn } = scene();
  expect(await set(V2, BOX)).toBe('other');
  expect(asked).toEqual([undefined, 'reload']);
  await readTile(drawn());
  expect(asked).toEqual([undefined, 'reload', undefined]);
});

test('1§7, 3§7 requests that share an opening have one outcome, also while it is rejected', async () => {
  const { set, errors } = scene();
  expect(await Promise.all([set(V2, BOX), set(V2, BOX)])).toEqual(['other', 'other']);
  served = null;
  expect(await Promise.all([set(V3, BOX), set(V3, BOX)])).toEqual(['other', 'other']);
  expect(errors).toHaveLength(1);
});

test('1§7, 3§7 without an archive both requests of a rejected opening have failed', async () => {
  served = null;
  const { set, errors } = scene();
  expect(await Promise.all([set(V1, BOX), set(V1, BOX)])).toEqual(['failed', 'failed']);
  expect(errors).toHaveLength(1);
});

test('1§7, 3§7 an archive that is not drawn can no longer be read', async () => {
  const opened = vi.spyOn(OpenedArchive, 'open');
  const { archives, set, drawn } = scene();
  await set(V1, BOX);
  const first = drawn();
  // Not used: neither wanted, nor the one that is drawn.
  served = V3;
  cached.clear();
  await set(V2, BOX);
  // Superseded while it was opened.
  const late = set(V2, { kind: 'url', url: 'http://other.lan/tiles' });
  served = V2;
  await set(V2, pack(V2));
  await late;
  const urls = (await Promise.all(opened.mock.results.map(({ value }) => value as Promise<OpenedArchive>))).map(
    ({ url }) => url,
  );
  opened.mockRestore();
  expect(urls).toHaveLength(4);
  expect(urls[0]).toBe(first);
  expect(urls[3]).toBe(drawn());
  for (const url of urls.slice(0, 3)) await expect(readTile(url)).rejects.toThrow('closed');
  archives.dispose();
  await expect(readTile(urls[3] ?? '')).rejects.toThrow('closed');
});

test('1§7, 3§7 an older pack that is drawn is not opened again by a check', async () => {
  const { set, drawn } = scene();
  await set(V2, pack(V1));
  const before = drawn();
  const opened = vi.spyOn(OpenedArchive, 'open');
  expect(await set(V2, pack(V1))).toBe('other');
  expect(opened).not.toHaveBeenCalled();
  opened.mockRestore();
  expect(drawn()).toBe(before);
});

test('1§7, 3§7 one failed tile does not exchange an archive for an older pack, but is mended by the same', async () => {
  const { set, drawn, failTile } = scene();
  await set(V2, pack(V2));
  const before = drawn();
  failTile();
  expect(await set(V2, pack(V1))).toBe('other');
  expect(drawn()).toBe(before);
  expect(await set(V2, pack(V2))).toBe('current');
  expect(drawn()).not.toBe(before);
});

test('1§7, 3§7 an archive whose directory could not be read makes way for any version', async () => {
  const { set, drawn, failDirectory } = scene();
  await set(V2, pack(V2));
  const before = drawn();
  failDirectory();
  expect(await set(V2, pack(V1))).toBe('other');
  expect(drawn()).not.toBe(before);
  expect(await readTile(drawn())).toBe(V1);
});

test('1§7, 3§7 a hidden page does not check for newer archives before it is seen', () => {
  vi.useFakeTimers();
  const page = Object.assign(new EventTarget(), { hidden: true }) as EventTarget & { hidden: boolean };
  const check = vi.fn();
  const stop = afterPause(60_000, check, page as unknown as Document);
  vi.advanceTimersByTime(60_000);
  page.dispatchEvent(new Event('visibilitychange'));
  expect(check).not.toHaveBeenCalled();
  page.hidden = false;
  page.dispatchEvent(new Event('visibilitychange'));
  page.dispatchEvent(new Event('visibilitychange'));
  expect(check).toHaveBeenCalledTimes(1);
  stop();
  vi.useRealTimers();
});
