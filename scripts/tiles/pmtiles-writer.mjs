// Writes PMTiles archives, version 3.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { zxyToTileId } from 'pmtiles';

const HEADER_BYTES = 127;
/** A reader's first request covers header and root directory. */
const FIRST_READ_BYTES = 16_384;
const GZIP = 2;
const MVT = 1;

/**
 * Builds an archive of vector tiles, along the Hilbert curve of each zoom, equal contents once, equal neighbours as one
 * run. Contents are compressed here; a large directory is split into leaves.
 *
 * @param tiles `{z, x, y, data}`, `data` uncompressed, in any order
 * @param about `{bounds: [west, south, east, north], minZoom, maxZoom, center: [lng, lat, zoom], metadata}`; `metadata`
 * with `vector_layers` for readers that list them
 * @param form for tests: `{rootBytes}`, limit of the root directory
 * @returns the whole archive
 * @throws RangeError for a duplicate, misplaced or empty tile, or none at all
 */
export function writePmtiles(tiles, about, { rootBytes = FIRST_READ_BYTES - HEADER_BYTES } = {}) {
  const { entries, contents, addressed } = indexTiles(tiles);
  const { root, leaves } = directories(entries, rootBytes);
  const metadata = gzip(Buffer.from(JSON.stringify(about.metadata)));
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
  header.writeUInt8(GZIP, 98);
  header.writeUInt8(MVT, 99);
  header.writeUInt8(about.minZoom, 100);
  header.writeUInt8(about.maxZoom, 101);
  about.bounds.forEach((degrees, n) => header.writeInt32LE(Math.round(degrees * 1e7), 102 + n * 4));
  const [lng, lat, zoom] = about.center;
  header.writeUInt8(zoom, 118);
  header.writeInt32LE(Math.round(lng * 1e7), 119);
  header.writeInt32LE(Math.round(lat * 1e7), 123);
  return Buffer.concat([header, ...sections]);
}

/** Tiles along the curve, as entries `{id, run, offset, length}` over distinct contents. */
function indexTiles(tiles) {
  const placed = tiles.map(({ z, x, y, data }) => {
    if (data.length === 0) throw new RangeError(`The tile ${z}/${x}/${y} has no content: leave it out.`);
    return { id: tileIdOf(z, x, y), data };
  });
  if (placed.length === 0) throw new RangeError('An archive needs a tile.');
  placed.sort((a, b) => a.id - b.id);
  const entries = [];
  const contents = [];
  const known = new Map();
  let end = 0;
  for (const { id, data } of placed) {
    const hash = createHash('sha256').update(data).digest('base64');
    let place = known.get(hash);
    if (place === undefined) {
      const bytes = gzip(data);
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

function tileIdOf(z, x, y) {
  if (![z, x, y].every((n) => Number.isInteger(n) && n >= 0)) throw new RangeError(`There is no tile ${z}/${x}/${y}.`);
  try {
    return zxyToTileId(z, x, y);
  } catch (error) {
    throw new RangeError(`There is no tile ${z}/${x}/${y}.`, { cause: error });
  }
}

/** All entries in the root if they fit; else equal leaves, as few as possible. */
function directories(entries, rootBytes) {
  const whole = directory(entries);
  if (whole.length <= rootBytes) return { root: whole, leaves: Buffer.alloc(0) };
  for (let perLeaf = 4096; ; perLeaf = Math.ceil(perLeaf * 1.5)) {
    const leaves = [];
    const pointers = [];
    let offset = 0;
    for (let from = 0; from < entries.length; from += perLeaf) {
      const part = entries.slice(from, from + perLeaf);
      const leaf = directory(part);
      pointers.push({ id: part[0].id, run: 0, offset, length: leaf.length });
      leaves.push(leaf);
      offset += leaf.length;
    }
    const root = directory(pointers);
    if (root.length <= rootBytes || pointers.length === 1) return { root, leaves: Buffer.concat(leaves) };
  }
}

/** Columns of varints: id differences, run lengths, lengths, offsets (0: follows the previous). */
function directory(entries) {
  const bytes = [];
  varint(bytes, entries.length);
  entries.forEach(({ id }, n) => varint(bytes, n === 0 ? id : id - entries[n - 1].id));
  for (const { run } of entries) varint(bytes, run);
  for (const { length } of entries) varint(bytes, length);
  entries.forEach(({ offset }, n) => {
    const before = entries[n - 1];
    varint(bytes, before !== undefined && offset === before.offset + before.length ? 0 : offset + 1);
  });
  return gzip(Buffer.from(bytes));
}

function varint(bytes, value) {
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
}

/** No timestamp: reproducible. */
function gzip(bytes) {
  return gzipSync(bytes, { level: 9 });
}
