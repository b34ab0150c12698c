import type { Disk } from '../../../src/server/files/disk';

interface Entry {
  content: Buffer;
  length: number;
}

/** Files and folders of a disk. They outlive the programs that use them. */
export class DiskContent {
  readonly files = new Map<string, Entry>();
  readonly folders = new Set<string>(['/']);

  /** Independent copy, as a backup makes it. */
  copy(): DiskContent {
    const made = new DiskContent();
    for (const [name, { content, length }] of this.files)
      made.files.set(name, { content: Buffer.from(content.subarray(0, length)), length });
    for (const folder of this.folders) made.folders.add(folder);
    return made;
  }
}

/**
 * In-memory disk for one run of a program, over lasting content. Each step is its own task, so the program may end
 * between any two.
 *
 * @param step settles in a later task, and never once the program has ended
 */
export function memoryDisk(content: DiskContent, step: () => Promise<void>): Disk {
  const open = new Map<number, Entry>();
  let lastFd = 2;
  const entryOf = (fd: number): Entry => {
    const entry = open.get(fd);
    if (entry === undefined) throw failure('EBADF', String(fd));
    return entry;
  };
  const { files, folders } = content;
  return {
    async open(file, flags) {
      let entry = files.get(file);
      if (entry === undefined) {
        if (flags === 'r' || flags === 'r+') throw failure('ENOENT', file);
        if (!folders.has(above(file))) throw failure('ENOENT', file);
      } else if (flags === 'wx+') throw failure('EEXIST', file);
      if (entry === undefined || flags === 'w') {
        entry = { content: Buffer.alloc(0), length: 0 };
        files.set(file, entry);
      }
      lastFd += 1;
      open.set(lastFd, entry);
      return lastFd;
    },
    async close(fd) {
      open.delete(fd);
    },
    async write(fd, buffers, position) {
      await step();
      const entry = entryOf(fd);
      let at = position;
      for (const buffer of buffers) {
        const end = at + buffer.length;
        if (entry.content.length < end) {
          const grown = Buffer.alloc(Math.max(end, 2 * entry.content.length, 64));
          entry.content.copy(grown, 0, 0, entry.length);
          entry.content = grown;
        }
        entry.content.set(buffer, at);
        entry.length = Math.max(entry.length, end);
        at = end;
      }
    },
    async read(fd, buffer, position) {
      const { content: bytes, length } = entryOf(fd);
      const count = Math.max(0, Math.min(buffer.length, length - position));
      bytes.copy(buffer, 0, position, position + count);
      return count;
    },
    async truncate(fd, length) {
      const entry = entryOf(fd);
      entry.length = Math.min(entry.length, length);
    },
    fdatasync: step,
    fsync: step,
    async rename(from, to) {
      await step();
      const entry = files.get(from);
      if (entry === undefined) throw failure('ENOENT', from);
      if (!folders.has(above(to))) throw failure('ENOENT', to);
      files.delete(from);
      files.set(to, entry);
    },
    async mkdir(folder) {
      if (folders.has(folder)) return false;
      if (!folders.has(above(folder))) throw failure('ENOENT', folder);
      folders.add(folder);
      return true;
    },
    fsyncDir: async () => undefined,
    async unlink(file) {
      await step();
      if (!files.delete(file)) throw failure('ENOENT', file);
    },
    async readdir(folder) {
      if (!folders.has(folder)) throw failure('ENOENT', folder);
      return [...files.keys(), ...folders]
        .filter((name) => name !== folder && above(name) === folder)
        .map((name) => name.slice(name.lastIndexOf('/') + 1));
    },
    async readFile(file) {
      const entry = files.get(file);
      if (entry === undefined) throw failure('ENOENT', file);
      return entry.content.toString('utf8', 0, entry.length);
    },
    chmod: async () => undefined,
    size: async (file) => files.get(file)?.length,
    statfs: async () => ({ free: 2 ** 40, size: 2 ** 41 }),
  };
}

function above(name: string): string {
  return name.slice(0, Math.max(1, name.lastIndexOf('/')));
}

function failure(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code });
}
