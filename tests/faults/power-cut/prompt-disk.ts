import fs from 'node:fs';
import type { Disk } from '../../../src/server/files/disk';
import { realDisk } from '../../../src/server/files/disk';

/**
 * Real disk without Node's thread pool. On an in-memory disk a trip through the pool costs far more than the call, and
 * a recovery makes some fifty of them; the calls to the kernel and their order are the same.
 */
export const promptDisk: Disk = {
  ...realDisk,
  open: async (file, flags, mode = 0o600) => fs.openSync(file, flags, mode),
  read: async (fd, buffer, position) => fs.readSync(fd, buffer, 0, buffer.length, position),
  truncate: async (fd, length) => fs.ftruncateSync(fd, length),
  fdatasync: async (fd) => fs.fdatasyncSync(fd),
  fsync: async (fd) => fs.fsyncSync(fd),
  rename: async (from, to) => fs.renameSync(from, to),
  async mkdir(folder) {
    try {
      fs.mkdirSync(folder, { mode: 0o700 });
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
      throw error;
    }
  },
  async fsyncDir(folder) {
    const fd = fs.openSync(folder, 'r');
    try {
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  },
  unlink: async (file) => fs.unlinkSync(file),
  readdir: async (folder) => fs.readdirSync(folder),
  readFile: async (file) => fs.readFileSync(file, 'utf8'),
  chmod: async (file, mode) => fs.chmodSync(file, mode),
};
