import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { writePmtiles } from './pmtiles-writer';
import { TileArchive } from './tile-archive';
import { tileIdOf } from './tile-id';

const folder = mkdtempSync(path.join(os.tmpdir(), 'reef-archive-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = path.join(folder, 'map.pmtiles');
const facts = { bounds: [-180, -85, 180, 85], minZoom: 0, maxZoom: 1, center: [0, 0, 0], metadata: {} } as const;
const bytes = writePmtiles([{ z: 1, x: 0, y: 1, data: Buffer.from('tile '.repeat(50_000)) }], {
  ...facts,
  kind: 'webp',
});
writeFileSync(file, bytes);

const closed = (stream: NodeJS.EventEmitter): Promise<unknown> =>
  new Promise((resolve) => stream.once('close', resolve));

it('1§7: an aborted download leaves the archive open for the others', async () => {
  const archive = new TileArchive(file);
  const other = archive.stream({ start: 0, end: bytes.length - 1 });
  const aborted = archive.stream({ start: 0, end: bytes.length - 1 });
  await new Promise((resolve) => aborted.once('data', resolve));
  const ended = closed(aborted);
  aborted.destroy();
  await ended;
  expect(Buffer.concat(await other.toArray()).equals(bytes)).toBe(true);
  expect((await archive.read(tileIdOf(1, 0, 1)!))?.length).toBe(250_000);
  archive.close();
});

it('1§7: a replaced archive is closed once its last reader has finished', async () => {
  const archive = new TileArchive(file);
  const download = archive.stream({ start: 0, end: bytes.length - 1 });
  archive.close();
  expect(Buffer.concat(await download.toArray()).equals(bytes)).toBe(true);
  expect(() => archive.read(0)).toThrow('closed');
});

it('1§7: an archive has the ETag of its hash where that is known', () => {
  const archive = new TileArchive(file, '"hash"');
  expect([archive.etag, archive.mediaType, archive.encoding]).toEqual(['"hash"', 'image/webp', 'none']);
  archive.close();
});
