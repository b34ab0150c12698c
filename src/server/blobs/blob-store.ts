import type { Readable } from 'node:stream';
import type { BlobRef } from '../../protocol/receipt';

/** A transfer that may go on later: where to continue, and whether all bytes are there. */
export interface Transfer {
  readonly uploadId: string;
  readonly offset: number;
  readonly complete: boolean;
  /** The hash of the bytes, where a write was their last. */
  readonly completed?: string;
}

/** What is announced before the bytes come. */
export interface BlobAnnouncement extends BlobRef {
  /** What the bytes are for (an image id): another announcement for it replaces an abandoned partial. */
  readonly owner: string;
  /** The media type that the sender claims; the first bytes decide. */
  readonly type: string;
}

/**
 * Durable, content-addressed bytes (protocol, "Durable, before any receipt"): written, hashed as they are written,
 * fsynced, renamed to their content address, both folders fsynced. Nothing is deleted but abandoned partials, files whose bytes a
 * bucket has, on a box what is freed on the cloud's word, and ashore photographs that people showed of themselves.
 */
export interface BlobStore {
  /**
   * Announces bytes; continues an earlier partial of the same owner and hash.
   *
   * @throws ReefError `storage-full`, `too-large`
   */
  begin(announcement: BlobAnnouncement): Promise<Transfer>;

  /** The state of a transfer and its length. @throws ReefError `not-found` */
  transfer(uploadId: string): Promise<Transfer & { readonly bytes: number }>;

  /**
   * Writes bytes at `offset`; settles once they are on disk (fdatasync). A stream that breaks off keeps what came.
   * The last byte completes: the whole hash is checked and the blob moves to its address.
   *
   * @throws ReefError `offset-mismatch` {offset}, `bad-message`, `too-large`, `unsupported-media`, `hash-mismatch`
   *   {offset: 0}, `storage-full`, `not-found`
   */
  write(uploadId: string, offset: number, chunk: Uint8Array | Readable): Promise<Transfer>;

  /** True when the bytes of that hash are here, whole. */
  has(sha256: string): Promise<boolean>;
  /** Their length in bytes, or undefined. */
  size(sha256: string): Promise<number | undefined>;
  /** A stream of them, or of a range (`end` inclusive). @throws ReefError `not-found` */
  read(sha256: string, range?: { start: number; end: number }): Promise<Readable>;
  /** The file that holds them. @throws ReefError `not-found` */
  file(sha256: string): Promise<string>;

  /** Free and total bytes of the disk. */
  disk(): Promise<{ free: number; size: number }>;
}
