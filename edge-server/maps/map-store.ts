import { createHash } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { z } from 'zod';
import { Semaphore } from '../../src/base/semaphore';
import { ReefError } from '../../src/domain/errors';
import type { EdgeMaps, MapFile, WantedMapFile } from '../../src/protocol/map-files';
import { mapFileSchema } from '../../src/protocol/map-files';
import type { Disk } from '../../src/server/files/disk';
import { isDiskFull, isMissing, realDisk } from '../../src/server/files/disk';
import type { ArchiveLocator } from '../../src/server/tiles/tile-sources';

const inflate = promisify(gunzip);

const listSchema = z.array(mapFileSchema);
const READ_BYTES = 1024 * 1024;
/** Growth by compression that a small or random file may have, bytes. */
const GROWTH_MAX = 1024;

/** File served aboard. */
interface ServedFile extends MapFile {
  /** Path on disk. */
  readonly file: string;
}

/**
 * Public files of the map as the bridge sends them, named by their hash. A file is served from the moment when all of
 * its set are here and proven; until then those before are. The bridge sends what was cut or lost again.
 */
export class MapStore implements ArchiveLocator {
  readonly #minFreeBytes: number;
  readonly #report: (message: string) => void;
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #lock = new Semaphore(1);
  /** Latest list of the cloud. */
  #wanted: readonly MapFile[] = [];
  #served = new Map<string, MapFile>();
  /** Hashes of whole files on disk. */
  #here = new Set<string>();
  #trouble: 'no-space' | 'damaged' | null = null;

  /** Called after served files changed. */
  onChanged: () => void = () => undefined;

  private constructor(home: string, minFreeBytes: number, report: (message: string) => void, disk: Disk) {
    this.#minFreeBytes = minFreeBytes;
    this.#report = report;
    this.#disk = disk;
    this.#folder = path.join(home, 'maps');
  }

  /** @param settings `home` is an existing folder, whose lock the caller holds */
  static async open(
    { home, minFreeBytes }: { readonly home: string; readonly minFreeBytes: number },
    report: (message: string) => void,
    disk: Disk = realDisk,
  ): Promise<MapStore> {
    const store = new MapStore(home, minFreeBytes, report, disk);
    await store.#load();
    return store;
  }

  /** Archives that the bridge sent, with their ETag in the cloud. */
  locate(name: string): Promise<{ readonly file: string; readonly etag: string } | null> {
    const found = this.find(`/tiles/${name}.pmtiles`);
    return Promise.resolve(found === null ? null : { file: found.file, etag: `"${found.sha256}"` });
  }

  /** File at an address, such as `/cdn/map/gbr/meta.json`; null if the box has none. */
  find(address: string): ServedFile | null {
    const found = this.#served.get(address);
    return found === undefined ? null : { ...found, file: this.#file(found.sha256) };
  }

  status(): EdgeMaps {
    const missing = this.#wanted.filter(({ address, sha256 }) => this.#served.get(address)?.sha256 !== sha256);
    const lacking = missing.filter(({ sha256 }) => !this.#here.has(sha256));
    const status =
      this.#wanted.length === 0 && this.#served.size === 0
        ? 'none'
        : missing.length === 0
          ? 'complete'
          : (this.#trouble ?? 'coming');
    return {
      status,
      files: this.#served.size,
      missing: missing.length,
      missingBytes: lacking.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  /**
   * Stores the cloud's list and returns what the box lacks of it, in its order. An empty list changes nothing: a cloud
   * that lost its maps must not empty the box.
   *
   * @throws ReefError `storage-full`
   */
  putList(files: readonly MapFile[]): Promise<readonly WantedMapFile[]> {
    return this.#alone(async () => {
      if (files.length === 0) return [];
      if (JSON.stringify(files) !== JSON.stringify(this.#wanted)) {
        await this.#writeJson('wanted.json', files);
        this.#wanted = files;
        this.#trouble = null;
      }
      await this.#serveComplete();
      const lacking = new Map(files.filter(({ sha256 }) => !this.#here.has(sha256)).map((file) => [file.sha256, file]));
      const wanted: WantedMapFile[] = [];
      for (const file of lacking.values())
        wanted.push({ sha256: file.sha256, offset: (await this.#disk.size(this.#part(file))) ?? 0 });
      return wanted;
    });
  }

  /**
   * Appends a piece of a wanted file's travelling form; the last one is answered once the file is proven and on disk.
   *
   * @param length of the whole travelling form, bytes
   * @throws ReefError `not-found` for a file that is not wanted, `offset-mismatch` {offset}, `storage-full`,
   * `hash-mismatch` {offset: 0}
   */
  append(
    sha256: string,
    { offset, length }: { readonly offset: number; readonly length: number },
    bytes: Uint8Array,
  ): Promise<{ readonly offset: number; readonly complete: boolean }> {
    return this.#alone(async () => {
      const file = this.#wanted.find((each) => each.sha256 === sha256);
      if (file === undefined) throw new ReefError('not-found', { message: 'The box does not want this file.' });
      if (this.#here.has(sha256)) return { offset: length, complete: true };
      const isPossible = file.encoding === 'identity' ? length === file.bytes : length <= file.bytes + GROWTH_MAX;
      if (!isPossible) throw new ReefError('bad-message', { field: 'Upload-Length', message: 'The length is wrong.' });
      const part = this.#part(file);
      const size = (await this.#disk.size(part)) ?? 0;
      if (offset !== size) throw new ReefError('offset-mismatch', { offset: size });
      if (size + bytes.length > length)
        throw new ReefError('bad-message', { field: 'body', message: 'It is too long.' });
      // Photographs go first on a disk that is nearly full.
      const room = (await this.#disk.statfs(this.#folder)).free - this.#minFreeBytes;
      const needed = length - size + (file.encoding === 'gzip' ? file.bytes : 0);
      if (room < needed) throw this.#fullError();
      await this.#write(part, bytes, size);
      if (size + bytes.length < length) return { offset: size + bytes.length, complete: false };
      await this.#finish(file, part);
      return { offset: length, complete: true };
    });
  }

  async #write(part: string, bytes: Uint8Array, size: number): Promise<void> {
    const isNew = (await this.#disk.size(part)) === undefined;
    const fd = await this.#disk.open(part, isNew ? 'wx+' : 'r+');
    try {
      await this.#disk.write(fd, [bytes], size);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      await this.#disk.truncate(fd, size);
      throw this.#fullError(error);
    } finally {
      await this.#disk.close(fd);
    }
  }

  #fullError(cause?: unknown): ReefError {
    if (this.#trouble !== 'no-space')
      this.#report('The disk is too full for the new map. The previous map stays in use; the bridge tries again.');
    this.#trouble = 'no-space';
    return new ReefError('storage-full', { message: 'The disk is too full for the map.', cause });
  }

  /** Checks the hash of a complete file, and serves it once its set is complete. */
  async #finish(file: MapFile, part: string): Promise<void> {
    const target = this.#file(file.sha256);
    if (file.encoding === 'gzip') {
      const content = await this.#inflate(file, part);
      if (content === null || hashOf(content) !== file.sha256) return this.#refuse(part);
      await this.#writeWhole(`${part}.new`, content);
      await this.#disk.rename(`${part}.new`, target);
      await this.#disk.unlink(part);
    } else {
      if ((await this.#hashOnDisk(part, file.bytes)) !== file.sha256) return this.#refuse(part);
      await this.#disk.rename(part, target);
    }
    await this.#disk.fsyncDir(this.#folder);
    this.#here.add(file.sha256);
    this.#trouble = null;
    await this.#serveComplete();
  }

  async #refuse(part: string): Promise<never> {
    await this.#disk.unlink(part);
    this.#trouble = 'damaged';
    throw new ReefError('hash-mismatch', { offset: 0 });
  }

  async #inflate(file: MapFile, part: string): Promise<Buffer | null> {
    const stored = await this.#read(part);
    try {
      return await inflate(stored, { maxOutputLength: Math.max(1, file.bytes) });
    } catch (_damaged) {
      return null;
    }
  }

  async #read(file: string): Promise<Buffer> {
    const fd = await this.#disk.open(file, 'r');
    try {
      const bytes = Buffer.alloc((await this.#disk.size(file)) ?? 0);
      for (let at = 0; at < bytes.length;) {
        const got = await this.#disk.read(fd, bytes.subarray(at), at);
        if (got === 0) break;
        at += got;
      }
      return bytes;
    } finally {
      await this.#disk.close(fd);
    }
  }

  /** Hash of a file that is then durable; undefined for another length. */
  async #hashOnDisk(file: string, bytes: number): Promise<string | undefined> {
    const fd = await this.#disk.open(file, 'r+');
    try {
      const hash = createHash('sha256');
      const buffer = Buffer.alloc(READ_BYTES);
      let at = 0;
      for (;;) {
        const got = await this.#disk.read(fd, buffer, at);
        if (got === 0) break;
        hash.update(buffer.subarray(0, got));
        at += got;
      }
      if (at !== bytes) return undefined;
      await this.#disk.fsync(fd);
      return hash.digest('hex');
    } finally {
      await this.#disk.close(fd);
    }
  }

  /** Serves each set whose files are all here, and deletes what no set needs. */
  async #serveComplete(): Promise<void> {
    const next = new Map(this.#served);
    const sets = new Set(this.#wanted.map(({ set }) => set));
    for (const set of [...this.#served.values()].map((file) => file.set)) sets.add(set);
    for (const set of sets) {
      const files = this.#wanted.filter((file) => file.set === set);
      if (!files.every(({ sha256 }) => this.#here.has(sha256))) continue;
      for (const [address, file] of next) if (file.set === set) next.delete(address);
      for (const file of files) next.set(file.address, file);
    }
    const [before, after] = [this.#served, next].map((map) => JSON.stringify([...map.values()]));
    if (before !== after) {
      await this.#writeJson('served.json', [...next.values()]);
      this.#served = next;
      this.onChanged();
    }
    await this.#deleteOthers();
  }

  async #deleteOthers(): Promise<void> {
    const files = [...this.#served.values(), ...this.#wanted];
    const needed = new Set(files.flatMap((file) => [file.sha256, path.basename(this.#part(file))]));
    for (const name of await this.#disk.readdir(this.#folder))
      if (/^[0-9a-f]{64}/.test(name) && !needed.has(name)) {
        await this.#disk.unlink(path.join(this.#folder, name));
        this.#here.delete(name);
      }
  }

  async #load(): Promise<void> {
    await this.#disk.mkdir(this.#folder);
    const names = new Set(await this.#disk.readdir(this.#folder));
    this.#here = new Set([...names].filter((name) => /^[0-9a-f]{64}$/.test(name)));
    this.#wanted = await this.#readList('wanted.json');
    const served = (await this.#readList('served.json')).filter(({ sha256 }) => this.#here.has(sha256));
    this.#served = new Map(served.map((file) => [file.address, file]));
  }

  /** List on disk; empty if it cannot be read: the bridge sends it again. */
  async #readList(name: string): Promise<readonly MapFile[]> {
    try {
      const parsed = listSchema.safeParse(JSON.parse(await this.#disk.readFile(path.join(this.#folder, name))));
      if (parsed.success) return parsed.data;
    } catch (error) {
      if (isMissing(error)) return [];
      if (!(error instanceof SyntaxError)) throw error;
    }
    this.#report(`The list of map files ${name} cannot be read; the bridge sends it again.`);
    return [];
  }

  async #writeJson(name: string, value: unknown): Promise<void> {
    const file = path.join(this.#folder, name);
    try {
      await this.#writeWhole(`${file}.new`, Buffer.from(JSON.stringify(value)));
    } catch (error) {
      throw isDiskFull(error) ? this.#fullError(error) : error;
    }
    await this.#disk.rename(`${file}.new`, file);
    await this.#disk.fsyncDir(this.#folder);
  }

  /** Writes a file that is durable afterwards. */
  async #writeWhole(file: string, bytes: Uint8Array): Promise<void> {
    const fd = await this.#disk.open(file, 'w');
    try {
      await this.#disk.write(fd, [bytes], 0);
      await this.#disk.fsync(fd);
    } finally {
      await this.#disk.close(fd);
    }
  }

  #file(sha256: string): string {
    return path.join(this.#folder, sha256);
  }

  #part({ sha256, encoding }: MapFile): string {
    return path.join(this.#folder, `${sha256}.${encoding === 'gzip' ? 'gzip' : 'part'}`);
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const release = await this.#lock.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
