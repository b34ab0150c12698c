import path from 'node:path';
import { Semaphore } from '../../src/base/semaphore';
import { ReefError } from '../../src/domain/errors';
import type { EdgeMaps, MapFile, WantedMapFile } from '../../src/protocol/map-files';
import type { Disk } from '../../src/server/files/disk';
import { isDiskFull, realDisk } from '../../src/server/files/disk';
import type { ArchiveLocator } from '../../src/server/tiles/tile-sources';
import { MapFolder } from './map-folder';

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
  readonly #folder: MapFolder;
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
    this.#folder = new MapFolder(path.join(home, 'maps'), disk);
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
    return found === undefined ? null : { ...found, file: this.#folder.pathOf(found.sha256) };
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
    return this.#withLock(async () => {
      if (files.length === 0) return [];
      if (JSON.stringify(files) !== JSON.stringify(this.#wanted)) {
        await this.#writeList('wanted.json', files);
        this.#wanted = files;
        this.#trouble = null;
      }
      await this.#serveComplete();
      const lacking = new Map(files.filter(({ sha256 }) => !this.#here.has(sha256)).map((file) => [file.sha256, file]));
      const wanted: WantedMapFile[] = [];
      for (const file of lacking.values())
        wanted.push({ sha256: file.sha256, offset: await this.#folder.partSize(file) });
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
    return this.#withLock(async () => {
      const file = this.#wanted.find((each) => each.sha256 === sha256);
      if (file === undefined) throw new ReefError('not-found', { message: 'The box does not want this file.' });
      if (this.#here.has(sha256)) return { offset: length, complete: true };
      const isPossible = file.encoding === 'identity' ? length === file.bytes : length <= file.bytes + GROWTH_MAX;
      if (!isPossible) throw new ReefError('bad-message', { field: 'Upload-Length', message: 'The length is wrong.' });
      const size = await this.#folder.partSize(file);
      if (offset !== size) throw new ReefError('offset-mismatch', { offset: size });
      if (size + bytes.length > length)
        throw new ReefError('bad-message', { field: 'body', message: 'It is too long.' });
      // Photographs go first on a disk that is nearly full.
      const room = (await this.#folder.freeBytes()) - this.#minFreeBytes;
      const needed = length - size + (file.encoding === 'gzip' ? file.bytes : 0);
      if (room < needed) throw this.#fullError();
      await this.#orFull(() => this.#folder.appendPart(file, bytes, size));
      if (size + bytes.length < length) return { offset: size + bytes.length, complete: false };
      await this.#finish(file);
      return { offset: length, complete: true };
    });
  }

  async #orFull(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      throw isDiskFull(error) ? this.#fullError(error) : error;
    }
  }

  #fullError(cause?: unknown): ReefError {
    if (this.#trouble !== 'no-space')
      this.#report('The disk is too full for the new map. The previous map stays in use; the bridge tries again.');
    this.#trouble = 'no-space';
    return new ReefError('storage-full', { message: 'The disk is too full for the map.', cause });
  }

  /** Checks the hash of a complete file, and serves it once its set is complete. */
  async #finish(file: MapFile): Promise<void> {
    if (!(await this.#folder.finishPart(file))) {
      this.#trouble = 'damaged';
      throw new ReefError('hash-mismatch', { offset: 0 });
    }
    this.#here.add(file.sha256);
    this.#trouble = null;
    await this.#serveComplete();
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
      await this.#writeList('served.json', [...next.values()]);
      this.#served = next;
      this.onChanged();
    }
    for (const name of await this.#folder.namesWithout([...next.values(), ...this.#wanted])) {
      await this.#folder.delete(name);
      this.#here.delete(name);
    }
  }

  async #load(): Promise<void> {
    this.#here = new Set(await this.#folder.open());
    this.#wanted = await this.#readList('wanted.json');
    const served = (await this.#readList('served.json')).filter(({ sha256 }) => this.#here.has(sha256));
    this.#served = new Map(served.map((file) => [file.address, file]));
  }

  async #readList(name: string): Promise<readonly MapFile[]> {
    const list = await this.#folder.readList(name);
    if (list === null) this.#report(`The list of map files ${name} cannot be read; the bridge sends it again.`);
    return list ?? [];
  }

  #writeList(name: string, files: readonly MapFile[]): Promise<void> {
    return this.#orFull(() => this.#folder.writeList(name, files));
  }

  async #withLock<T>(work: () => Promise<T>): Promise<T> {
    const release = await this.#lock.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }
}
