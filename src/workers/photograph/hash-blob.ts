/**
 * Up to this size a file is hashed in one piece by the browser's own code, which is about eight times as fast as ours but
 * needs all bytes at once; above it piece by piece, so that a TIFF of 300 MB never lies in memory as a whole.
 */
export const WHOLE_BYTES_MAX = 64 * 1024 * 1024;

/** Lower-case hex SHA-256 of a blob. @throws what the browser throws when the file cannot be read any more */
export async function hashBlob(blob: Blob): Promise<string> {
  return blob.size <= WHOLE_BYTES_MAX ? hashBytes(await blob.arrayBuffer()) : hashInPieces(blob);
}

/** Lower-case hex SHA-256. */
export async function hashBytes(bytes: BufferSource): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

/** The same, with no more than a piece in memory; its code is loaded when it is first needed. */
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
