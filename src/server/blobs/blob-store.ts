import type { Readable } from 'node:stream';
import type { BlobRef } from '../../protocol/receipt';

/** Resumable transfer: its offset, and whether it is complete. */
export interface Transfer {
  readonly uploadId: string;
  readonly offset: number;
  readonly complete: boolean;
  /** Hash of the bytes, if this write was the last one. */
  readonly completed?: string;
}

/** Announcement of bytes to come. */
export interface BlobAnnouncement extends BlobRef {
  /** Purpose of the bytes (an image id); a new announcement replaces an abandoned partial. */
  readonly owner: string;
  /** Media type claimed by the sender; the first bytes decide. */
  readonly type: string;
}

/**
 * Durable, content-addressed bytes (protocol, "Durable, before any receipt"): hashed while written, fsynced, renamed to
 * their address, both folders fsynced. Deleted are only abandoned partials, files whose bytes a bucket has, photographs
 * freed on a box with the cloud's proof, and profile photos in the cloud.
 */
export interface BlobStore {
  /**
   * Announces bytes; continues an earlier partial of the same owner and hash.
   *
   * @throws ReefError `storage-full`, `too-large`
   */
  begin(announcement: BlobAnnouncement): Promise<Transfer>;

  /** State and length of a transfer. @throws ReefError `not-found` */
  transfer(uploadId: string): Promise<Transfer & { readonly bytes: number }>;

  /**
   * Writes bytes at `offset`; settles once they are on disk (fdatasync). Bytes of an aborted stream are retained. The
   * last byte completes: the hash is checked and the blob moves to its address.
   *
   * @throws ReefError `offset-mismatch` {offset}, `bad-message`, `too-large`, `unsupported-media`, `hash-mismatch`
   * {offset: 0}, `storage-full`, `not-found`
   */
  write(uploadId: string, offset: number, chunk: Uint8Array | Readable): Promise<Transfer>;

  /** True if the complete bytes of that hash are here. */
  has(sha256: string): Promise<boolean>;
  size(sha256: string): Promise<number | undefined>;
  /** Stream of the bytes, or of a range (`end` inclusive). @throws ReefError `not-found` */
  read(sha256: string, range?: { start: number; end: number }): Promise<Readable>;
  file(sha256: string): Promise<string>;

  disk(): Promise<{ free: number; size: number }>;
}
