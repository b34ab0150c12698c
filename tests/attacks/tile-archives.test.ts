import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { DIRECTORY_BYTES_MAX, TileArchive } from '../../src/server/tiles/tile-archive';
import { TILE_INFLATED_MAX } from '../../src/server/tiles/tile-routes';
import { writePmtiles } from '../../src/server/tiles/pmtiles-writer';
import { request } from '../independent/wire';
import { startEdge } from '../support/servers/edge';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const MIB = 1024 * 1024;
const folder = mkdtempSync(path.join(os.tmpdir(), 'reef-archives-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Entry {
  readonly id: number;
  /** 0 for a directory. */
  readonly run: number;
  readonly offset: number;
  readonly length: number;
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

/** Directory, compressed. @param bytes its size before, filled with bytes that no reader looks at */
function directory(entries: readonly Entry[], bytes: number): Buffer {
  const ids = entries.map(({ id }, n) => id - (entries[n - 1]?.id ?? 0));
  const columns = [
    [entries.length],
    ids,
    entries.map(({ run }) => run),
    entries.map(({ length }) => length),
    entries.map(({ offset }) => offset + 1),
  ];
  const written = Buffer.from(columns.flat().flatMap(varint));
  return gzipSync(Buffer.concat([written, Buffer.alloc(bytes - written.length)]));
}

/** Archive of one tile per leaf; each leaf inflates to a MiB, the root to `rootBytes`. */
function nested(leafCount: number, rootBytes: number, sameLeaf = false): string {
  const leaves = Array.from({ length: sameLeaf ? 1 : leafCount }, (_, id) =>
    directory([{ id, run: 1, offset: 0, length: 4 }], MIB),
  );
  const starts = leaves.map((_, n) => leaves.slice(0, n).reduce((sum, { length }) => sum + length, 0));
  const entries = Array.from({ length: leafCount }, (_, id) => {
    const n = sameLeaf ? 0 : id;
    return { id, run: 0, offset: starts[n] ?? 0, length: leaves[n]?.length ?? 0 };
  });
  const sections = [directory(entries, rootBytes), Buffer.alloc(0), Buffer.concat(leaves), Buffer.from('tile')];
  const header = Buffer.alloc(127);
  header.write('PMTiles\x03', 'latin1');
  let offset = header.length;
  for (const [n, section] of sections.entries()) {
    header.writeBigUInt64LE(BigInt(offset), 8 + 16 * n);
    header.writeBigUInt64LE(BigInt(section.length), 16 + 16 * n);
    offset += section.length;
  }
  header.set([1, 2, 1, 1], 96);
  const file = path.join(folder, `${leafCount}-${rootBytes}.pmtiles`);
  writeFileSync(file, Buffer.concat([header, ...sections]));
  return file;
}

describe('a hostile archive of map tiles', () => {
  it('may inflate as much as the budget of its directories, and not a byte more', () => {
    const leaves = DIRECTORY_BYTES_MAX / MIB - 1;
    const archive = new TileArchive(nested(leaves, MIB));
    expect(archive.entries).toBe(leaves);
    archive.close();
    expect(() => new TileArchive(nested(leaves, MIB + 1))).toThrow('its directories are larger than');
  });

  it('that names one leaf thousands of times is refused within the same budget', () => {
    expect(() => new TileArchive(nested(9_000, MIB, true))).toThrow('its directories are larger than');
  });

  it('that claims more entries than an archive may have is refused before they take memory', () => {
    const file = nested(1, MIB);
    const claims = gzipSync(Buffer.concat([Buffer.from(varint(4_000_001)), Buffer.alloc(17 * MIB)]));
    const header = Buffer.alloc(127);
    header.write('PMTiles\x03', 'latin1');
    header.writeBigUInt64LE(127n, 8);
    header.writeBigUInt64LE(BigInt(claims.length), 16);
    header.set([1, 2, 1, 1], 96);
    writeFileSync(file, Buffer.concat([header, claims]));
    expect(() => new TileArchive(file)).toThrow('it has more than 4000000 entries');
  });

  it('gets a tile inflated up to the budget of a request, and none beyond it', async () => {
    const home = path.join(folder, 'home');
    const own = path.join(home, 'edge', 'tiles');
    mkdirSync(own, { recursive: true });
    const about = { bounds: [-180, -85, 180, 85], minZoom: 1, maxZoom: 1, center: [0, 0, 0], metadata: {} } as const;
    const tiles = [TILE_INFLATED_MAX, TILE_INFLATED_MAX + 1].map((bytes, x) => ({
      z: 1,
      x,
      y: 0,
      data: Buffer.alloc(bytes),
    }));
    writeFileSync(path.join(own, 'hostile.pmtiles'), writePmtiles(tiles, about));
    const edge = await startEdge({ home });
    try {
      const get = (x: number, headers = {}) =>
        request(`${edge.url}/tiles/hostile/1/${x}/0`, { method: 'GET', headers });
      const within = await get(0);
      expect([within.status, within.body.length]).toEqual([200, TILE_INFLATED_MAX]);
      const beyond = await get(1);
      expect([beyond.status, (JSON.parse(beyond.body.toString()) as { error: object }).error]).toEqual([
        413,
        expect.objectContaining({ code: 'too-large', limit: TILE_INFLATED_MAX }),
      ]);
      const asStored = await get(1, { 'accept-encoding': 'gzip' });
      expect([asStored.status, asStored.body.length < MIB], 'nothing is inflated').toEqual([200, true]);
    } finally {
      await edge.remove();
    }
  });
});
