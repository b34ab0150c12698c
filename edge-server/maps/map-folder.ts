import { createHash } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { z } from 'zod';
import type { MapFile } from '../../src/protocol/map-files';
import { mapFileSchema } from '../../src/protocol/map-files';
import type { Disk } from '../../src/server/files/disk';
import { isDiskFull, isMissing } from '../../src/server/files/disk';

const inflate = promisify(gunzip);

const listSchema = z.array(mapFileSchema);
const READ_BYTES = 1024 * 1024;

/** Map files on disk: whole ones named by their hash, parts of unfinished ones, and lists of files. */
export class MapFolder {
  readonly #folder: string;
  readonly #disk: Disk;

  constructor(folder: string, disk: Disk) {
    this.#folder = folder;
    this.#disk = disk;
  }

  /** Creates the folder if it does not exist. @returns hashes of the whole files */
  async open(): Promise<readonly string[]> {
    await this.#disk.mkdir(this.#folder);
    const names = await this.#disk.readdir(this.#folder);
    return names.filter((name) => /^[0-9a-f]{64}$/.test(name));
  }

  /** Path of a whole file. */
  pathOf(sha256: string): string {
    return path.join(this.#folder, sha256);
  }

  async freeBytes(): Promise<number> {
    return (await this.#disk.statfs(this.#folder)).free;
  }

  /** Bytes of the travelling form that are on disk. */
  async partSize(file: MapFile): Promise<number> {
    return (await this.#disk.size(this.#part(file))) ?? 0;
  }

  /** Appends to a part of `size` bytes, which has this size again after a failure for lack of space. */
  async appendPart(file: MapFile, bytes: Uint8Array, size: number): Promise<void> {
    const part = this.#part(file);
    const isNew = (await this.#disk.size(part)) === undefined;
    const fd = await this.#disk.open(part, isNew ? 'wx+' : 'r+');
    try {
      await this.#disk.write(fd, [bytes], size);
    } catch (error) {
      if (isDiskFull(error)) await this.#disk.truncate(fd, size);
      throw error;
    } finally {
      await this.#disk.close(fd);
    }
  }

  /** Turns a complete part into a whole file. @returns false for one that is damaged, which is deleted */
  async finishPart(file: MapFile): Promise<boolean> {
    const part = this.#part(file);
    const target = this.pathOf(file.sha256);
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
    return true;
  }

  /** Names of whole files and parts that none of these files needs. */
  async namesWithout(files: readonly MapFile[]): Promise<readonly string[]> {
    const needed = new Set(files.flatMap((file) => [file.sha256, path.basename(this.#part(file))]));
    const names = await this.#disk.readdir(this.#folder);
    return names.filter((name) => /^[0-9a-f]{64}/.test(name) && !needed.has(name));
  }

  delete(name: string): Promise<void> {
    return this.#disk.unlink(path.join(this.#folder, name));
  }

  /** Reads a list; empty before its first writing, null if it is damaged. */
  async readList(name: string): Promise<readonly MapFile[] | null> {
    try {
      const parsed = listSchema.safeParse(JSON.parse(await this.#disk.readFile(path.join(this.#folder, name))));
      return parsed.success ? parsed.data : null;
    } catch (error) {
      if (isMissing(error)) return [];
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  }

  async writeList(name: string, files: readonly MapFile[]): Promise<void> {
    const file = path.join(this.#folder, name);
    await this.#writeWhole(`${file}.new`, Buffer.from(JSON.stringify(files)));
    await this.#disk.rename(`${file}.new`, file);
    await this.#disk.fsyncDir(this.#folder);
  }

  async #refuse(part: string): Promise<false> {
    await this.#disk.unlink(part);
    return false;
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

  #part({ sha256, encoding }: MapFile): string {
    return path.join(this.#folder, `${sha256}.${encoding === 'gzip' ? 'gzip' : 'part'}`);
  }
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
