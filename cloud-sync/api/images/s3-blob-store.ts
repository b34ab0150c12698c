import type { BackoffRange } from '../../../src/base/backoff';
import { backoffDelay } from '../../../src/base/backoff';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import { ReefError } from '../../../src/domain/errors';
import type { BlobRef } from '../../../src/protocol/receipt';
import { isSha256, uploadIdOf } from '../../../src/server/blobs/blob-layout';
import { recoverBlobs } from '../../../src/server/blobs/blob-recovery';
import type { BlobAnnouncement, BlobStore, Transfer } from '../../../src/server/blobs/blob-store';
import type { FileBlobStore } from '../../../src/server/blobs/file-blob-store';
import type { BucketObject, S3Bucket } from './s3-bucket';

/**
 * Record of bytes that the bucket altered or lost, shared by all processes: tablets free their copies unless a loss is
 * recorded.
 */
interface LostBlobs {
  isLost(sha256: string): Promise<boolean>;
  markRestored(sha256: string): Promise<unknown>;
}

interface S3BlobStoreOptions {
  readonly bucket: S3Bucket;
  /** Staging store where bytes are completed before upload; durable, so that acknowledged bytes survive a power cut. */
  readonly staging: FileBlobStore;
  readonly copies: string;
  readonly log: Logger;
  /** Called when the bucket has confirmed the complete bytes. */
  readonly onStored: (sha256: string) => void;
  readonly lostBlobs: LostBlobs;
  /** Retry delays per photograph. */
  readonly retryDelays?: BackoffRange;
}

const RETRY_DELAYS: BackoffRange = { firstMs: 1000, maxMs: 60_000 };
const CONCURRENCY = 4;
const COPIES_MAX = 64;
/** Maximum number of remembered announcements. */
const ANNOUNCED_MAX = 1024;

/**
 * Blob store in a bucket. Chunks go into local files, durable and resumable. A complete photograph is uploaded, and
 * leaves the files only after the bucket, asked again, confirms it; only then is it reported as stored. Uploads are
 * retried after a 503 or a lost answer.
 */
export class S3BlobStore implements BlobStore {
  readonly #options: S3BlobStoreOptions;
  readonly #pending = new Map<string, { failures: number; timer: NodeJS.Timeout | undefined }>();
  readonly #queue: string[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #downloads = new Map<string, Promise<string>>();
  /** Recent announcements: a client that lost the last answer asks for a transfer that has left the files. */
  readonly #announced = new Map<string, BlobRef>();
  #closed = false;

  constructor(options: S3BlobStoreOptions) {
    this.#options = options;
  }

  async recover(): Promise<number> {
    const { staging, log } = this.#options;
    const { quarantined } = await recoverBlobs(staging);
    for (const sha256 of quarantined)
      log.error(
        { sha256 },
        'a photograph on its way to the bucket is broken; it was moved to quarantine, and is asked for again',
      );
    let found = 0;
    for (const sha256 of await staging.addresses.listHashes()) {
      this.enqueue(sha256);
      found++;
    }
    return found;
  }

  /** Queues complete bytes for upload to the bucket. */
  enqueue(sha256: string): void {
    if (this.#closed || this.#pending.has(sha256)) return;
    this.#pending.set(sha256, { failures: 0, timer: undefined });
    this.#queue.push(sha256);
    this.#drain();
  }

  async begin(announcement: BlobAnnouncement): Promise<Transfer> {
    const { sha256, bytes, owner } = announcement;
    // An unavailable bucket blocks no one: bytes are durable here until it is back.
    const there = (await this.#options.lostBlobs.isLost(sha256))
      ? undefined
      : await this.#options.bucket.head(sha256).catch(() => undefined);
    if (there === undefined) {
      const begun = await this.#options.staging.begin(announcement);
      this.#rememberAnnouncement(begun.uploadId, announcement);
      return begun;
    }
    if (there.bytes !== bytes)
      throw new ReefError('bad-message', { field: 'bytes', message: 'bytes is not the length of what has this hash.' });
    this.#rememberAnnouncement(uploadIdOf(owner, sha256), announcement);
    return { uploadId: uploadIdOf(owner, sha256), offset: bytes, complete: true };
  }

  async transfer(uploadId: string): Promise<Transfer & { readonly bytes: number }> {
    try {
      return await this.#options.staging.transfer(uploadId);
    } catch (error) {
      const bytes = await this.#uploadedSize(uploadId, error);
      return { uploadId, offset: bytes, complete: true, bytes };
    }
  }

  async write(uploadId: string, offset: number, chunk: Uint8Array | Readable): Promise<Transfer> {
    try {
      return await this.#options.staging.write(uploadId, offset, chunk);
    } catch (error) {
      throw new ReefError('offset-mismatch', { offset: await this.#uploadedSize(uploadId, error) });
    }
  }

  async has(sha256: string): Promise<boolean> {
    return (await this.size(sha256)) !== undefined;
  }

  /** Always asks the bucket: tablets free their copies on this answer. */
  async size(sha256: string): Promise<number | undefined> {
    if (!isSha256(sha256)) return undefined;
    return (await this.#options.lostBlobs.isLost(sha256))
      ? undefined
      : (await this.#options.bucket.head(sha256))?.bytes;
  }

  async read(sha256: string, range?: { start: number; end: number }): Promise<Readable> {
    if (!isSha256(sha256)) throw new ReefError('not-found');
    return this.#options.bucket.read(sha256, range);
  }

  async file(sha256: string): Promise<string> {
    if (!isSha256(sha256)) throw new ReefError('not-found');
    const under = this.#downloads.get(sha256);
    if (under !== undefined) return under;
    const copy = this.#download(sha256).finally(() => this.#downloads.delete(sha256));
    this.#downloads.set(sha256, copy);
    return copy;
  }

  /** Deletes bytes permanently; the caller must know that nothing needs them. */
  async remove(sha256: string): Promise<void> {
    if (!isSha256(sha256)) return;
    const { bucket, staging, copies } = this.#options;
    await bucket.remove(sha256);
    await staging.remove(sha256);
    await rm(path.join(copies, sha256), { force: true });
  }

  disk(): Promise<{ free: number; size: number }> {
    return this.#options.staging.disk();
  }

  /** Hashes complete here and not yet in the bucket. */
  get pendingUploads(): readonly string[] {
    return [...this.#pending.keys()];
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { timer } of this.#pending.values()) clearTimeout(timer);
    this.#options.bucket.close();
    await Promise.all(this.#running);
    await this.#options.staging.close();
  }

  #rememberAnnouncement(uploadId: string, { sha256, bytes }: BlobRef): void {
    this.#announced.delete(uploadId);
    this.#announced.set(uploadId, { sha256, bytes });
    const [oldest] = this.#announced.keys();
    if (this.#announced.size > ANNOUNCED_MAX && oldest !== undefined) this.#announced.delete(oldest);
  }

  /** Length of a finished transfer that was moved to the bucket. @throws the staging error if it was not */
  async #uploadedSize(uploadId: string, error: unknown): Promise<number> {
    const announced = this.#announced.get(uploadId);
    if (announced === undefined || !(error instanceof ReefError) || error.code !== 'not-found') throw error;
    if ((await this.size(announced.sha256)) !== announced.bytes) throw error;
    return announced.bytes;
  }

  #drain(): void {
    while (!this.#closed && this.#running.size < CONCURRENCY) {
      const sha256 = this.#queue.shift();
      if (sha256 === undefined) return;
      const work = this.#upload(sha256).finally(() => {
        this.#running.delete(work);
        this.#drain();
      });
      this.#running.add(work);
    }
  }

  async #upload(sha256: string): Promise<void> {
    const { staging, log, lostBlobs, onStored, retryDelays = RETRY_DELAYS } = this.#options;
    const state = this.#pending.get(sha256);
    if (state === undefined) return;
    try {
      const bytes = await staging.size(sha256);
      if (bytes !== undefined) {
        await this.#ensureStored(sha256, bytes);
        // While it counts as lost, this file may be the only copy.
        await lostBlobs.markRestored(sha256);
        await staging.addresses.remove(sha256);
      }
      this.#pending.delete(sha256);
      onStored(sha256);
    } catch (error) {
      if (this.#closed) return;
      const waitMs = backoffDelay(++state.failures, retryDelays);
      log.warn(
        { err: error, sha256, waitMs, tries: state.failures },
        'a photograph did not reach the bucket; it stays here until a retry succeeds',
      );
      state.timer = setTimeout(() => {
        this.#queue.push(sha256);
        this.#drain();
      }, waitMs);
    }
  }

  /** Ensures that the bucket has these bytes. Bytes already there, perhaps after a lost answer, are not put again. */
  async #ensureStored(sha256: string, bytes: number): Promise<void> {
    const { bucket, staging, lostBlobs } = this.#options;
    const file = staging.layout.blob(sha256);
    // The bucket still reports the original MD5 of an object altered at rest, so a lost one is read back.
    const told = (await lostBlobs.isLost(sha256)) ? () => '' : ({ etag }: BucketObject) => etag;
    const before = await bucket.head(sha256);
    if (before?.bytes === bytes && (await this.#matchesFile(sha256, file, told(before)))) return;
    await bucket.put(sha256, file, bytes);
    const after = await bucket.head(sha256);
    if (after?.bytes !== bytes || !(await this.#matchesFile(sha256, file, told(after)))) {
      throw new ReefError('internal', { message: 'The bucket has other bytes than it was given.' });
    }
  }

  /** True if an object holds these bytes: by MD5 if the bucket reports it, else by reading back. */
  async #matchesFile(sha256: string, file: string, etag: string): Promise<boolean> {
    if (/^[0-9a-f]{32}$/.test(etag)) {
      const md5 = createHash('md5');
      await pipeline(createReadStream(file), md5);
      if (md5.digest('hex') === etag) return true;
    }
    const hash = createHash('sha256');
    await pipeline(await this.#options.bucket.read(sha256), hash);
    return hash.digest('hex') === sha256;
  }

  async #download(sha256: string): Promise<string> {
    const { bucket, copies, staging } = this.#options;
    if ((await staging.size(sha256)) !== undefined) return staging.file(sha256);
    const file = path.join(copies, sha256);
    if (await isFile(file)) return file;
    await mkdir(copies, { recursive: true, mode: 0o700 });
    await this.#pruneCopies(copies);
    const draft = `${file}.part`;
    const hash = createHash('sha256');
    try {
      const body = await bucket.read(sha256);
      body.on('data', (piece: Buffer) => hash.update(piece));
      await pipeline(body, createWriteStream(draft, { mode: 0o600 }));
      if (hash.digest('hex') !== sha256)
        throw new ReefError('internal', { message: 'The bucket returned different bytes.' });
      await rename(draft, file);
      return file;
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  async #pruneCopies(folder: string): Promise<void> {
    const names = (await readdir(folder)).filter((name) => !name.endsWith('.part'));
    if (names.length < COPIES_MAX) return;
    const aged = await Promise.all(
      names.map(async (name) => ({ name, at: (await stat(path.join(folder, name))).mtimeMs })),
    );
    for (const { name } of aged.sort((a, b) => a.at - b.at).slice(0, names.length - COPIES_MAX + 1))
      await rm(path.join(folder, name), { force: true });
  }
}

async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
