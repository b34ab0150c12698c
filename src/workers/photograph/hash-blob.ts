/**
 * Size limit for hashing by the browser, about eight times as fast as ours but with all bytes in memory. Larger files
 * are hashed in pieces, so that a TIFF of 300 MB is never fully in memory.
 */
export const WHOLE_BYTES_MAX = 64 * 1024 * 1024;

/** @throws error of the browser if the file can no longer be read */
export async function hashBlob(blob: Blob): Promise<string> {
  return blob.size <= WHOLE_BYTES_MAX ? hashBytes(await blob.arrayBuffer()) : hashInPieces(blob);
}

/** Lower-case hex SHA-256. */
export async function hashBytes(bytes: BufferSource): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

/** Hashes with only a piece in memory at a time; the code is loaded on first use. */
export async function hashInPieces(blob: Blob): Promise<string> {
  const { sha256 } = await import('@noble/hashes/sha2.js');
  const hash = sha256.create();
  const reader = blob.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return hex(hash.digest());
    hash.update(value);
  }
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
