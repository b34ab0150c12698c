import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { tileIdOf } from './tile-id';

const HEADER_BYTES = 127;
/** A reader's first request covers header and root directory. */
const FIRST_READ_BYTES = 16_384;
/** Compressions of the format, by code. */
const NONE = 1;
const GZIP = 2;
const KINDS = { mvt: 1, png: 2, jpeg: 3, webp: 4, avif: 5 } as const;

/** Kind of the tiles of an archive: vector, or an image format. */
type TileKind = keyof typeof KINDS;

/** Tile of the web Mercator grid; `data` is its content, an image as encoded, a vector tile uncompressed. */
export interface TileToWrite {
  readonly z: number;
  readonly x: number;
  readonly y: number;
  readonly data: Uint8Array;
}

interface ArchiveFacts {
  /** `mvt` by default. */
  readonly kind?: TileKind;
  /** West, south, east, north, degrees. */
  readonly bounds: readonly [number, number, number, number];
  readonly minZoom: number;
  readonly maxZoom: number;
  /** Longitude, latitude, zoom. */
  readonly center: readonly [number, number, number];
  /** With `vector_layers` for readers that list them. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

interface Entry {
  readonly id: number;
  /** Neighbours with the same content; 0 for a leaf. */
  run: number;
  readonly offset: number;
  readonly length: number;
}

/**
 * Builds an archive of the form PMTiles, version 3: along the Hilbert curve of each zoom, equal contents once, equal
 * neighbours as one run. Vector tiles are compressed here, images are not; a large directory is split into leaves. The
 * same tiles yield the same bytes.
 *
 * @param tiles in any order
 * @param rootBytes limit of the root directory; for tests
 * @returns the whole archive
 * @throws RangeError for a duplicate, misplaced or empty tile, or none at all
 */
export function writePmtiles(
  tiles: readonly TileToWrite[],
  facts: ArchiveFacts,
  { rootBytes = FIRST_READ_BYTES - HEADER_BYTES }: { readonly rootBytes?: number } = {},
): Buffer {
  const kind = facts.kind ?? 'mvt';
  const { entries, contents, addressed } = indexTiles(tiles, kind === 'mvt' ? gzip : (bytes) => bytes);
  const { root, leaves } = directories(entries, rootBytes);
  const metadata = gzip(Buffer.from(JSON.stringify(facts.metadata)));
  const data = Buffer.concat(contents);
  const sections = [root, metadata, leaves, data];
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('PMTiles', 0, 'latin1');
  header.writeUInt8(3, 7);
  let offset = HEADER_BYTES;
  for (const [n, section] of sections.entries()) {
    header.writeBigUInt64LE(BigInt(offset), 8 + n * 16);
    header.writeBigUInt64LE(BigInt(section.length), 16 + n * 16);
    offset += section.length;
  }
  [addressed, entries.length, contents.length].forEach((count, n) =>
    header.writeBigUInt64LE(BigInt(count), 72 + n * 8),
  );
  // Clustered: contents are in entry order.
  header.writeUInt8(1, 96);
  header.writeUInt8(GZIP, 97);
  header.writeUInt8(kind === 'mvt' ? GZIP : NONE, 98);
  header.writeUInt8(KINDS[kind], 99);
  header.writeUInt8(facts.minZoom, 100);
  header.writeUInt8(facts.maxZoom, 101);
  facts.bounds.forEach((degrees, n) => header.writeInt32LE(Math.round(degrees * 1e7), 102 + n * 4));
  const [longitude, latitude, zoom] = facts.center;
  header.writeUInt8(zoom, 118);
  header.writeInt32LE(Math.round(longitude * 1e7), 119);
  header.writeInt32LE(Math.round(latitude * 1e7), 123);
  return Buffer.concat([header, ...sections]);
}

/** Tiles along the curve, as entries over distinct contents. */
function indexTiles(
  tiles: readonly TileToWrite[],
  stored: (data: Uint8Array) => Uint8Array,
): { readonly entries: readonly Entry[]; readonly contents: readonly Uint8Array[]; readonly addressed: number } {
  const placed = tiles.map(({ z, x, y, data }) => {
    const id = [z, x, y].every(Number.isInteger) ? tileIdOf(z, x, y) : undefined;
    if (id === undefined) throw new RangeError(`Tile ${z}/${x}/${y} does not exist.`);
    if (data.length === 0) throw new RangeError(`The tile ${z}/${x}/${y} has no content: leave it out.`);
    return { id, data };
  });
  if (placed.length === 0) throw new RangeError('An archive needs a tile.');
  placed.sort((a, b) => a.id - b.id);
  const entries: Entry[] = [];
  const contents: Uint8Array[] = [];
  const known = new Map<string, { readonly offset: number; readonly length: number }>();
  let end = 0;
  for (const { id, data } of placed) {
    const hash = createHash('sha256').update(data).digest('base64');
    let place = known.get(hash);
    if (place === undefined) {
      const bytes = stored(data);
      place = { offset: end, length: bytes.length };
      known.set(hash, place);
      contents.push(bytes);
      end += bytes.length;
    }
    const last = entries.at(-1);
    if (last !== undefined && id < last.id + last.run) throw new RangeError('The same tile was added twice.');
    if (last !== undefined && id === last.id + last.run && last.offset === place.offset) last.run += 1;
    else entries.push({ id, run: 1, ...place });
  }
  return { entries, contents, addressed: placed.length };
}

/** All entries in the root if they fit; else equal leaves, as few as possible. */
function directories(entries: readonly Entry[], rootBytes: number): { readonly root: Buffer; readonly leaves: Buffer } {
  const whole = directory(entries);
  if (whole.length <= rootBytes) return { root: whole, leaves: Buffer.alloc(0) };
  for (let perLeaf = 4096; ; perLeaf = Math.ceil(perLeaf * 1.5)) {
    const leaves: Buffer[] = [];
    const pointers: Entry[] = [];
    let offset = 0;
    for (let from = 0; from < entries.length; from += perLeaf) {
      const leaf = directory(entries.slice(from, from + perLeaf));
      pointers.push({ id: entries[from]?.id ?? 0, run: 0, offset, length: leaf.length });
      leaves.push(leaf);
      offset += leaf.length;
    }
    const root = directory(pointers);
    if (root.length <= rootBytes || pointers.length === 1) return { root, leaves: Buffer.concat(leaves) };
  }
}

/** Columns of varints: id differences, run lengths, lengths, offsets (0: follows the previous). */
function directory(entries: readonly Entry[]): Buffer {
  const bytes: number[] = [];
  varint(bytes, entries.length);
  entries.forEach(({ id }, n) => varint(bytes, id - (entries[n - 1]?.id ?? 0)));
  for (const { run } of entries) varint(bytes, run);
  for (const { length } of entries) varint(bytes, length);
  entries.forEach(({ offset }, n) => {
    const before = entries[n - 1];
    varint(bytes, before !== undefined && offset === before.offset + before.length ? 0 : offset + 1);
  });
  return gzip(Buffer.from(bytes));
}

function varint(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
}

/** No timestamp: reproducible. */
function gzip(bytes: Uint8Array): Buffer {
  return gzipSync(bytes, { level: 9 });
}
