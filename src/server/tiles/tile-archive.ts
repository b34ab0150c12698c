import { createHash } from 'node:crypto';
import fs from 'node:fs';
import type { ReadStream } from 'node:fs';
import zlib from 'node:zlib';

const HEADER_BYTES = 127;
/** Entries cost 28 bytes of memory each. */
const ENTRIES_MAX = 4_000_000;
/** All directories of an archive, uncompressed: one request opens them all. */
export const DIRECTORY_BYTES_MAX = 64 * 1024 * 1024;
const DIRECTORIES_MAX = 10_000;
/** Nesting limit of the format. */
const DEPTH_MAX = 3;
const TILE_BYTES_MAX = 16 * 1024 * 1024;

/** Node 20 cannot read others (zstd). */
type Compression = 'none' | 'gzip' | 'br';
const COMPRESSIONS: readonly (Compression | undefined)[] = [undefined, 'none', 'gzip', 'br'];
const MEDIA_TYPES: readonly (string | undefined)[] = [
  'application/octet-stream',
  'application/vnd.mapbox-vector-tile',
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/avif',
];

/** Bytes cached per archive: one sea area at all zooms, many times over. */
const CACHE_BYTES_MAX = 16 * 1024 * 1024;
/** A larger tile would evict too many others. */
const CACHED_TILE_BYTES_MAX = 512 * 1024;

/** Unusable archive; the message gives the reason. */
export class BadArchiveError extends Error {
  override readonly name = 'BadArchiveError';
}

interface TileLocation {
  readonly offset: number;
  readonly length: number;
}

/** Entries of all directories, in columns, by id. */
interface TileIndex {
  readonly ids: Float64Array;
  readonly runs: Uint32Array;
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
}

interface Section {
  readonly offset: number;
  readonly length: number;
}

/**
 * PMTiles archive, version 3. Directories stay in memory as typed arrays: a tile costs one search and at most one read.
 */
export class TileArchive {
  readonly size: number;
  /** Strong: changes with the content. */
  readonly etag: string;
  readonly minZoom: number;
  readonly maxZoom: number;
  readonly encoding: Compression;
  readonly mediaType: string;
  /** Changes when the file is replaced. */
  readonly stamp: string;
  readonly #fd: number;
  readonly #index: TileIndex;
  /** Least recently used first. */
  readonly #cache = new Map<number, Buffer>();
  #cachedBytes = 0;
  #openReads = 0;
  #closed = false;

  /**
   * @param etag strong tag of the whole file if its hash is known; else it follows from directories and stamp
   * @throws BadArchiveError; disk errors pass unchanged
   */
  constructor(file: string, etag?: string) {
    // A FileHandle closes on garbage collection, a descriptor does not.
    this.#fd = fs.openSync(file, 'r');
    try {
      const stat = fs.fstatSync(this.#fd);
      if (!stat.isFile()) throw new BadArchiveError('it is not a file');
      this.size = stat.size;
      this.stamp = stampOf(stat);
      const header = readAt(this.#fd, { offset: 0, length: HEADER_BYTES }, stat.size);
      if (header.toString('latin1', 0, 7) !== 'PMTiles' || header[7] !== 3)
        throw new BadArchiveError('it is not a PMTiles archive of version 3');
      const inner = COMPRESSIONS[header.readUInt8(97)];
      const encoding = COMPRESSIONS[header.readUInt8(98)];
      const mediaType = MEDIA_TYPES[header.readUInt8(99)];
      if (inner === undefined || encoding === undefined || mediaType === undefined)
        throw new BadArchiveError('its compression or its kind of tiles is not known here');
      this.encoding = encoding;
      this.mediaType = mediaType;
      this.minZoom = header.readUInt8(100);
      this.maxZoom = header.readUInt8(101);
      const [root, leaves, data] = [sectionAt(header, 8), sectionAt(header, 40), sectionAt(header, 56)];
      const hash = createHash('sha256').update(header).update(this.stamp);
      this.#index = readIndex({
        fd: this.#fd,
        size: stat.size,
        root,
        leaves,
        data,
        inner,
        onDirectory: (bytes) => hash.update(bytes),
      });
      this.etag = etag ?? `"${hash.digest('base64url').slice(0, 27)}"`;
    } catch (error) {
      fs.closeSync(this.#fd);
      throw error;
    }
  }

  get entries(): number {
    return this.#index.ids.length;
  }

  /**
   * Stored bytes of a tile; null if absent. A promise only if the disk is read.
   * @param id see `tileIdOf`
   */
  read(id: number): Buffer | null | Promise<Buffer> {
    this.#assertOpen();
    const location = this.#locate(id);
    if (location === null) return null;
    const cached = this.#cache.get(location.offset);
    if (cached !== undefined) {
      this.#cache.delete(location.offset);
      this.#cache.set(location.offset, cached);
      return cached;
    }
    this.#openReads += 1;
    return new Promise((resolve, reject) => {
      // A pooled slice would retain the whole pool.
      const bytes = Buffer.allocUnsafeSlow(location.length);
      fs.read(this.#fd, bytes, 0, location.length, location.offset, (error, got) => {
        this.#release();
        if (error !== null) reject(error);
        else if (got !== location.length) reject(new BadArchiveError('it became shorter while it was read'));
        else {
          this.#addToCache(location.offset, bytes);
          resolve(bytes);
        }
      });
    });
  }

  /** Both ends inclusive. Destroying the stream leaves the file open for other readers. */
  stream(range: { start: number; end: number }): ReadStream {
    this.#assertOpen();
    this.#openReads += 1;
    // A destroyed stream closes its descriptor whatever `autoClose` says; this one belongs to all readers.
    return fs
      .createReadStream('', { fd: this.#fd, fs: { read: fs.read, close: keepOpen }, ...range })
      .once('close', () => this.#release());
  }

  /** Closes the file after the last read. */
  close(): void {
    this.#closed = true;
    if (this.#openReads === 0) fs.closeSync(this.#fd);
  }

  /** A closed descriptor may already belong to another file. */
  #assertOpen(): void {
    if (this.#closed && this.#openReads === 0) throw new Error('The archive is closed.');
  }

  #release(): void {
    this.#openReads -= 1;
    if (this.#closed && this.#openReads === 0) fs.closeSync(this.#fd);
  }

  #addToCache(offset: number, bytes: Buffer): void {
    if (bytes.length > CACHED_TILE_BYTES_MAX || this.#cache.has(offset)) return;
    this.#cache.set(offset, bytes);
    this.#cachedBytes += bytes.length;
    for (const [oldest, { length }] of this.#cache) {
      if (this.#cachedBytes <= CACHE_BYTES_MAX) return;
      this.#cache.delete(oldest);
      this.#cachedBytes -= length;
    }
  }

  #locate(id: number): TileLocation | null {
    const { ids, runs, offsets, lengths } = this.#index;
    let [low, high] = [0, ids.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((ids[middle] ?? Infinity) <= id) low = middle;
      else high = middle - 1;
    }
    const first = ids[low];
    if (first === undefined || id < first || id >= first + (runs[low] ?? 0)) return null;
    return { offset: offsets[low] ?? 0, length: lengths[low] ?? 0 };
  }
}

/** Stands in for `fs.close`. */
function keepOpen(_fd: number, done?: (error?: Error | null) => void): void {
  done?.(null);
}

export function stampOf(stat: fs.Stats): string {
  return `${stat.dev}-${stat.ino}-${stat.size}-${stat.mtimeMs}`;
}

function sectionAt(header: Buffer, at: number): Section {
  return { offset: Number(header.readBigUInt64LE(at)), length: Number(header.readBigUInt64LE(at + 8)) };
}

/** @throws BadArchiveError beyond the end of the file */
function readAt(fd: number, { offset, length }: Section, size: number): Buffer {
  if (!(offset >= 0 && length >= 0 && offset + length <= size))
    throw new BadArchiveError('it is shorter than its header states');
  const bytes = Buffer.allocUnsafe(length);
  for (let got = 0; got < length;) {
    const n = fs.readSync(fd, bytes, got, length - got, offset + got);
    if (n === 0) throw new BadArchiveError('it is shorter than its header states');
    got += n;
  }
  return bytes;
}

interface DirectorySource {
  readonly fd: number;
  readonly size: number;
  readonly root: Section;
  readonly leaves: Section;
  readonly data: Section;
  readonly inner: Compression;
  onDirectory(bytes: Buffer): void;
}

function readIndex(archive: DirectorySource): TileIndex {
  const found: { id: number; run: number; offset: number; length: number }[] = [];
  const { leaves, data } = archive;
  let directories = 0;
  let bytesLeft = DIRECTORY_BYTES_MAX;
  const walk = (section: Section, depth: number): void => {
    directories += 1;
    if (depth > DEPTH_MAX || directories > DIRECTORIES_MAX) throw new BadArchiveError('its directories lie too deep');
    if (section.length > bytesLeft) throw tooLargeError();
    const stored = readAt(archive.fd, section, archive.size);
    archive.onDirectory(stored);
    const bytes = inflate(stored, archive.inner, bytesLeft);
    bytesLeft -= bytes.length;
    for (const entry of parseDirectory(bytes, ENTRIES_MAX - found.length)) {
      const into = entry.run === 0 ? leaves : data;
      if (entry.offset + entry.length > into.length) throw new BadArchiveError('an entry points beyond its section');
      const place = { offset: into.offset + entry.offset, length: entry.length };
      if (entry.run === 0) walk(place, depth + 1);
      else found.push({ id: entry.id, run: entry.run, ...place });
    }
  };
  walk(archive.root, 1);
  const index = {
    ids: new Float64Array(found.length),
    runs: new Uint32Array(found.length),
    offsets: new Float64Array(found.length),
    lengths: new Uint32Array(found.length),
  };
  let end = -1;
  found.forEach(({ id, run, offset, length }, n) => {
    if (id < end) throw new BadArchiveError('its entries are not in order');
    if (length === 0 || length > TILE_BYTES_MAX || offset + length > archive.size)
      throw new BadArchiveError('an entry has no such bytes');
    end = id + run;
    index.ids[n] = id;
    index.runs[n] = run;
    index.offsets[n] = offset;
    index.lengths[n] = length;
  });
  return index;
}

/** @param bytesLeft largest result, bytes */
function inflate(bytes: Buffer, compression: Compression, bytesLeft: number): Buffer {
  // zlib takes no limit of zero.
  const bounded = { maxOutputLength: Math.max(1, bytesLeft) };
  try {
    if (compression === 'gzip') return zlib.gunzipSync(bytes, bounded);
    return compression === 'br' ? zlib.brotliDecompressSync(bytes, bounded) : bytes;
  } catch (error) {
    if (isTooLarge(error)) throw tooLargeError();
    throw new BadArchiveError('a directory cannot be read', { cause: error });
  }
}

/** True for zlib's error at its limit of output. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

function tooLargeError(): BadArchiveError {
  return new BadArchiveError(`its directories are larger than ${DIRECTORY_BYTES_MAX} bytes`);
}

/**
 * Columns of varints: count, id differences, run lengths, lengths, offsets (0: follows the previous, else plus one).
 */
function parseDirectory(
  bytes: Buffer,
  entriesLeft: number,
): { id: number; run: number; offset: number; length: number }[] {
  let at = 0;
  const next = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at];
      if (byte === undefined || factor > 2 ** 49) throw new BadArchiveError('a directory cannot be read');
      at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  const count = next();
  if (count > entriesLeft) throw new BadArchiveError(`it has more than ${ENTRIES_MAX} entries`);
  // Each entry takes at least four bytes.
  if (count * 4 > bytes.length) throw new BadArchiveError('a directory cannot be read');
  const entries = Array.from({ length: count }, () => ({ id: next(), run: 0, offset: 0, length: 0 }));
  entries.forEach((entry, n) => (entry.id += entries[n - 1]?.id ?? 0));
  for (const entry of entries) entry.run = next();
  for (const entry of entries) entry.length = next();
  entries.forEach((entry, n) => {
    const offset = next();
    const before = entries[n - 1];
    if (offset === 0 && before === undefined) throw new BadArchiveError('a directory cannot be read');
    entry.offset = offset === 0 && before !== undefined ? before.offset + before.length : offset - 1;
  });
  return entries;
}
