import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import type { Disk } from './disk';

const READ_BYTES = 1024 * 1024;

/**
 * SHA-256 state over the first `length` bytes of an open file, and its first bytes.
 *
 * @param rewrite writes the same bytes back in place, so that the next fsync covers them
 */
export async function hashOpenFile(
  disk: Disk,
  fd: number,
  length: number,
  { headBytes = 0, rewrite = false } = {},
): Promise<{ hash: Hash; head: Uint8Array; read: number }> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(READ_BYTES, length)));
  let head: Uint8Array = new Uint8Array(0);
  let read = 0;
  while (read < length) {
    const count = await disk.read(fd, buffer.subarray(0, Math.min(buffer.length, length - read)), read);
    if (count === 0) break;
    hash.update(buffer.subarray(0, count));
    if (rewrite) await disk.write(fd, [buffer.subarray(0, count)], read);
    if (read === 0) head = Uint8Array.prototype.slice.call(buffer, 0, Math.min(count, headBytes));
    read += count;
  }
  return { hash, head, read };
}

/** SHA-256 (lower-case hex) and length of a whole file. */
export async function hashFile(disk: Disk, file: string): Promise<{ sha256: string; bytes: number }> {
  const fd = await disk.open(file, 'r');
  try {
    const { hash, read } = await hashOpenFile(disk, fd, Number.MAX_SAFE_INTEGER);
    return { sha256: hash.digest('hex'), bytes: read };
  } finally {
    await disk.close(fd);
  }
}
