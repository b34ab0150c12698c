import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

/**
 * Disk access of the stores, small enough for tests to simulate a full disk or a failed fsync. Descriptors are numbers:
 * a `FileHandle` costs an object and a finaliser each, and closes itself when collected.
 */
export interface Disk {
  open(file: string, flags: 'r' | 'r+' | 'w' | 'wx+', mode?: number): Promise<number>;
  close(fd: number): Promise<void>;
  /** Writes all buffers in order from `position`. A short write is continued, never reported. */
  write(fd: number, buffers: readonly Uint8Array[], position: number): Promise<void>;
  /** Reads up to `buffer.length` bytes; returns the count. */
  read(fd: number, buffer: Uint8Array, position: number): Promise<number>;
  truncate(fd: number, length: number): Promise<void>;
  fdatasync(fd: number): Promise<void>;
  fsync(fd: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Creates one folder. Returns false if it existed. */
  mkdir(folder: string): Promise<boolean>;
  /** Fsyncs a folder, so that its names survive a power cut. */
  fsyncDir(folder: string): Promise<void>;
  unlink(file: string): Promise<void>;
  readdir(folder: string): Promise<string[]>;
  readFile(file: string): Promise<string>;
  chmod(file: string, mode: number): Promise<void>;
  /** Length in bytes, or undefined if the file does not exist. */
  size(file: string): Promise<number | undefined>;
  /** Free bytes (for a plain user) and total bytes of the disk that contains the folder. */
  statfs(folder: string): Promise<{ free: number; size: number }>;
}

const open = promisify(fs.open);
const fdatasync = promisify(fs.fdatasync);
const fsync = promisify(fs.fsync);
const ftruncate = promisify(fs.ftruncate);

function writev(fd: number, buffers: readonly Uint8Array[], position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, written: number): void => (error ? reject(error) : resolve(written));
    const [first] = buffers;
    if (buffers.length === 1 && first !== undefined) fs.write(fd, first, 0, first.length, position, done);
    else fs.writev(fd, buffers as Uint8Array[], position, done);
  });
}

async function writeBuffers(fd: number, buffers: readonly Uint8Array[], position: number): Promise<void> {
  let rest = buffers;
  let at = position;
  for (;;) {
    const wanted = rest.reduce((sum, buffer) => sum + buffer.length, 0);
    const written = await writev(fd, rest, at);
    if (written >= wanted) return;
    // The kernel accepted a part: the next call continues or reports why not.
    at += written;
    rest = dropWritten(rest, written);
  }
}

function dropWritten(buffers: readonly Uint8Array[], count: number): Uint8Array[] {
  const rest: Uint8Array[] = [];
  let skip = count;
  for (const buffer of buffers) {
    if (skip >= buffer.length) skip -= buffer.length;
    else {
      rest.push(skip === 0 ? buffer : buffer.subarray(skip));
      skip = 0;
    }
  }
  return rest;
}

/** Code of a system error, such as `ENOENT`. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** True for errors of a full disk: ENOSPC, EDQUOT. */
export function isDiskFull(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

export function isMissing(error: unknown): boolean {
  return errorCode(error) === 'ENOENT';
}

/**
 * The real disk. Calls that may block use Node's thread pool. Calls that the kernel answers from memory (file length,
 * opening a folder, close) are synchronous: a trip through the pool costs ten times the call, and a photograph needs
 * about fifteen.
 */
export const realDisk: Disk = {
  open: (file, flags, mode = 0o600) => open(file, flags, mode),
  async close(fd) {
    fs.closeSync(fd);
  },
  write: writeBuffers,
  read: (fd, buffer, position) =>
    new Promise((resolve, reject) => {
      fs.read(fd, buffer, 0, buffer.length, position, (error, count) => (error ? reject(error) : resolve(count)));
    }),
  truncate: ftruncate,
  fdatasync,
  fsync,
  rename: fs.promises.rename,
  async mkdir(folder) {
    try {
      await fs.promises.mkdir(folder, { mode: 0o700 });
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    }
  },
  async fsyncDir(folder) {
    const fd = fs.openSync(folder, 'r');
    try {
      await fsync(fd);
    } finally {
      fs.closeSync(fd);
    }
  },
  unlink: fs.promises.unlink,
  readdir: (folder) => fs.promises.readdir(folder),
  readFile: (file) => fs.promises.readFile(file, 'utf8'),
  chmod: fs.promises.chmod,
  async size(file) {
    return fs.statSync(file, { throwIfNoEntry: false })?.size;
  },
  async statfs(folder) {
    const { bavail, bfree, bsize, blocks } = fs.statfsSync(folder);
    // Blocks reserved for root are neither free nor used, as `df` counts.
    return { free: bavail * bsize, size: (blocks - bfree + bavail) * bsize };
  },
};

/** Creates a folder and its parents, each name durable in its parent. */
export async function makeFolder(disk: Disk, folder: string): Promise<void> {
  const above = path.dirname(folder);
  try {
    await disk.mkdir(folder);
  } catch (error) {
    if (!isMissing(error) || above === folder) throw error;
    await makeFolder(disk, above);
    await disk.mkdir(folder);
  }
  await disk.fsyncDir(above);
}

/** Replaces a small file durably: after a power cut it is the old one or the new one. */
export async function writeFileDurably(disk: Disk, file: string, text: string, mode = 0o600): Promise<void> {
  const draft = `${file}.new`;
  const fd = await disk.open(draft, 'w', mode);
  try {
    await disk.write(fd, [Buffer.from(text, 'utf8')], 0);
    await disk.fsync(fd);
  } finally {
    await disk.close(fd);
  }
  await disk.rename(draft, file);
  await disk.fsyncDir(path.dirname(file));
}
