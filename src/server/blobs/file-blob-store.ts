import fs from 'node:fs';
import type { Readable } from 'node:stream';
import { ReefError } from '../../domain/errors';
import { LIMITS } from '../../domain/limits';
import { BlobAddresses } from './blob-addresses';
import { BlobLayout, isSha256, isUploadId, uploadIdOf } from './blob-layout';
import type { BlobAnnouncement, BlobStore, Transfer } from './blob-store';
import type { Disk } from '../files/disk';
import { isDiskFull, makeFolder, realDisk } from '../files/disk';
import { FreeSpace } from './free-space';
import { KeyedMutex } from '../../base/keyed-mutex';
import type { PartialContext } from './partial-upload';
import { PartialUpload, beyondAnnouncedSize } from './partial-upload';
import { PartialUploads } from './partial-uploads';
import type { Probe } from '../ops/probe';
import { RecentBlobs } from './recent-blobs';
import { RunningStreams } from './running-streams';
import { StreamBatches } from './stream-batches';

interface FileBlobStoreOptions {
  /** Root folder; created if missing. */
  readonly root: string;
  /** Free bytes below which nothing new is accepted. */
  readonly minFreeBytes: number;
  /** Called once after a failed fsync: the process must exit and recover. */
  readonly onFatal: (error: Error) => void;
  readonly disk?: Disk;
  readonly probe?: Probe;
  /** Called when bytes are durable at their address. */
  readonly onStored?: (sha256: string) => void;
}

/**
 * Durable blob store in files (protocol, "Durable, before any receipt"). A chunk is acknowledged after fdatasync; the
 * last one after fsync, journal entry, rename to the content address and fsync of every changed folder. A failed fsync
 * is never retried: the kernel may have dropped the pages and would report success.
 */
export class FileBlobStore implements BlobStore {
  readonly layout: BlobLayout;
  readonly fileSystem: Disk;
  readonly recentBlobs: RecentBlobs;
  readonly addresses: BlobAddresses;
  readonly #options: FileBlobStoreOptions;
  readonly #probe: Probe | undefined;
  readonly #space: FreeSpace;
  readonly #context: PartialContext;
  readonly #mutex = new KeyedMutex();
  readonly #uploads: PartialUploads;
  readonly #streams = new RunningStreams();
  #fatal: ReefError | undefined;

  private constructor(options: FileBlobStoreOptions) {
    this.#options = options;
    this.layout = new BlobLayout(options.root);
    this.fileSystem = options.disk ?? realDisk;
    this.#probe = options.probe;
    this.#space = new FreeSpace(this.fileSystem, this.layout.root, options.minFreeBytes);
    const sync = (run: () => Promise<void>): Promise<void> => this.#sync(run);
    this.#context = { disk: this.fileSystem, layout: this.layout, probe: options.probe, sync };
    this.#uploads = new PartialUploads(this.#context);
    this.addresses = new BlobAddresses(this.#context);
    this.recentBlobs = new RecentBlobs(this.fileSystem, this.layout.journal, (fd) =>
      sync(() => this.fileSystem.fdatasync(fd)),
    );
  }

  /** Opens the store of a folder. Call {@link recoverBlobs} before anything else. */
  static async open(options: FileBlobStoreOptions): Promise<FileBlobStore> {
    const store = new FileBlobStore(options);
    const { layout, fileSystem } = store;
    for (const folder of [layout.root, layout.blobs, layout.partials, layout.quarantine])
      await makeFolder(fileSystem, folder);
    if ((await fileSystem.size(layout.journal)) === undefined) await store.recentBlobs.restart([]);
    return store;
  }

  async begin(announcement: BlobAnnouncement): Promise<Transfer> {
    this.#assertHealthy();
    const { owner, sha256, bytes } = announcement;
    if (!isSha256(sha256))
      throw new ReefError('bad-message', { field: 'sha256', message: 'sha256 is not a lower-case hex SHA-256.' });
    if (!Number.isSafeInteger(bytes) || bytes < 1)
      throw new ReefError('bad-message', { field: 'bytes', message: 'bytes is not a count of bytes above zero.' });
    if (bytes > LIMITS.imageBytesMax) throw new ReefError('too-large', { max: LIMITS.imageBytesMax });
    const uploadId = uploadIdOf(owner, sha256);
    this.#streams.abort(uploadId);
    const transfer = await this.#withLock(uploadId, () => this.#begin(uploadId, announcement));
    const before = transfer.complete
      ? this.#uploads.releaseOwner(owner, uploadId)
      : this.#uploads.claimOwner(owner, uploadId);
    if (before !== undefined) await this.abandon(before);
    return transfer;
  }

  async transfer(uploadId: string): Promise<Transfer & { readonly bytes: number }> {
    this.#assertHealthy();
    this.#streams.abort(uploadId);
    return this.#withLock(uploadId, async () => {
      const upload = await this.#requireUpload(uploadId);
      if (upload instanceof PartialUpload)
        return { uploadId, offset: upload.offset, complete: false, bytes: upload.announcement.bytes };
      return { uploadId, offset: upload, complete: true, bytes: upload };
    });
  }

  async write(uploadId: string, offset: number, chunk: Uint8Array | Readable): Promise<Transfer> {
    this.#assertHealthy();
    if (!isUploadId(uploadId)) throw new ReefError('not-found');
    // A client that returns has lost its connection, even if unnoticed here.
    this.#streams.abort(uploadId);
    const work = (): Promise<Transfer> => this.#withLock(uploadId, () => this.#write(uploadId, offset, chunk));
    return chunk instanceof Uint8Array ? work() : this.#streams.track(uploadId, chunk, work);
  }

  async has(sha256: string): Promise<boolean> {
    return (await this.size(sha256)) !== undefined;
  }

  async size(sha256: string): Promise<number | undefined> {
    this.#assertHealthy();
    return this.#mapErrors(() => this.addresses.size(sha256));
  }

  async read(sha256: string, range?: { start: number; end: number }): Promise<Readable> {
    const file = await this.file(sha256);
    const fd = await this.#mapErrors(() => this.fileSystem.open(file, 'r'));
    return fs.createReadStream(file, { fd, highWaterMark: 1024 * 1024, ...range });
  }

  async file(sha256: string): Promise<string> {
    if (!(await this.has(sha256))) throw new ReefError('not-found');
    return this.layout.blob(sha256);
  }

  /** Deletes bytes for good, durably: the caller must know that nothing needs them. */
  async remove(sha256: string): Promise<void> {
    if (await this.has(sha256)) await this.#mapErrors(() => this.addresses.removeDurably(sha256));
  }

  disk(): Promise<{ free: number; size: number }> {
    return this.#mapErrors(() => this.#space.refresh());
  }

  /** Deletes an abandoned partial upload. */
  abandon(uploadId: string): Promise<void> {
    this.#streams.abort(uploadId);
    return this.#withLock(uploadId, () => this.#uploads.remove(uploadId));
  }

  /** Loads or completes a partial of an earlier run. Returns false if it had to be deleted. */
  async adopt(uploadId: string): Promise<boolean> {
    return this.#withLock(uploadId, async () => {
      try {
        const upload = await this.#requireUpload(uploadId);
        if (upload instanceof PartialUpload) this.#uploads.claimOwner(upload.announcement.owner, uploadId);
        return true;
      } catch (error) {
        if (error instanceof ReefError && error.code === 'not-found') return false;
        // No room to finish it now: it stays until there is.
        if (error instanceof ReefError && error.code === 'storage-full') return true;
        throw error;
      }
    });
  }

  /** Ends running streams, waits for running work and records the clean shutdown. */
  async close(): Promise<void> {
    this.#streams.abortAll();
    await this.#mutex.idle();
    await this.#uploads.close();
    if (this.#fatal === undefined) await this.recentBlobs.restart([]);
    else await this.recentBlobs.close();
    this.#fatal ??= new ReefError('internal', { message: 'The blob store is closed.' });
  }

  async #begin(uploadId: string, announcement: BlobAnnouncement): Promise<Transfer> {
    const { sha256, bytes } = announcement;
    const there = await this.size(sha256);
    if (there !== undefined) {
      if (there !== bytes)
        throw new ReefError('bad-message', {
          field: 'bytes',
          message: 'bytes is not the length of what has this hash.',
        });
      this.#uploads.finish(uploadId, announcement);
      return { uploadId, offset: bytes, complete: true };
    }
    const found = await this.#lookUp(uploadId);
    if (typeof found === 'number') return { uploadId, offset: found, complete: true };
    if (found !== undefined && found.announcement.bytes !== bytes) {
      throw new ReefError('bad-message', {
        field: 'bytes',
        message: 'bytes differs from what was announced for this hash before.',
      });
    }
    await this.#space.requireFree(found?.missing ?? bytes, { lookNow: true });
    if (found !== undefined) return { uploadId, offset: found.offset, complete: false };
    const upload = new PartialUpload(this.#context, uploadId, announcement, 0);
    await upload.writeSidecar();
    this.#uploads.add(upload);
    return { uploadId, offset: 0, complete: false };
  }

  async #write(uploadId: string, offset: number, chunk: Uint8Array | Readable): Promise<Transfer> {
    const upload = await this.#requireUpload(uploadId);
    if (!(upload instanceof PartialUpload)) throw new ReefError('offset-mismatch', { offset: upload });
    if (offset !== upload.offset) throw new ReefError('offset-mismatch', { offset: upload.offset });
    await upload.resume();
    this.#uploads.markOpen(uploadId);
    try {
      const came =
        chunk instanceof Uint8Array ? await this.#putChunk(upload, chunk) : await this.#putStream(upload, chunk);
      if (!came) return { uploadId, offset: upload.offset, complete: false };
      if (upload.missing > 0) await upload.flush();
      else await this.#complete(upload, offset);
      this.#assertHealthy();
      const complete = upload.missing === 0;
      return {
        uploadId,
        offset: upload.offset,
        complete,
        ...(complete ? { completed: upload.announcement.sha256 } : {}),
      };
    } catch (error) {
      // If truncating failed too, the file is the truth: it is read again.
      if (!(error instanceof ReefError)) await this.#uploads.forget(uploadId);
      throw error;
    } finally {
      await this.#uploads.closeIfTooMany(uploadId);
    }
  }

  async #putChunk(upload: PartialUpload, chunk: Uint8Array): Promise<true> {
    if (chunk.length === 0) throw new ReefError('bad-message', { field: 'chunk', message: 'The chunk is empty.' });
    if (chunk.length > upload.missing) throw beyondAnnouncedSize();
    await this.#put(upload, [chunk]);
    return true;
  }

  /** Returns false if the stream broke before any byte came. */
  async #putStream(upload: PartialUpload, stream: Readable): Promise<boolean> {
    const start = upload.offset;
    const batches = new StreamBatches(stream);
    try {
      for (let batch = await batches.next(); batch !== undefined; batch = await batches.next()) {
        const bytes = batch.reduce((sum, { length }) => sum + length, 0);
        if (bytes > upload.missing) {
          await upload.truncate(start);
          throw beyondAnnouncedSize();
        }
        await this.#put(upload, batch);
      }
    } finally {
      batches.release();
    }
    if (upload.offset > start) return true;
    if (batches.end === 'ended') throw new ReefError('bad-message', { field: 'chunk', message: 'The chunk is empty.' });
    return false;
  }

  async #put(upload: PartialUpload, buffers: readonly Uint8Array[]): Promise<void> {
    if (upload.checkMediaType(buffers) === 'no') {
      await this.#uploads.remove(upload.id);
      throw new ReefError('unsupported-media');
    }
    await this.#space.requireFree(
      buffers.reduce((sum, { length }) => sum + length, 0),
      { lookNow: false },
    );
    this.#space.countWritten(await upload.append(buffers));
  }

  /**
   * Completes an upload: checks the whole hash and moves the bytes to their address, durably.
   *
   * @param cutBackTo bytes acknowledged before
   */
  async #complete(upload: PartialUpload, cutBackTo: number): Promise<void> {
    const { sha256 } = upload.announcement;
    if (upload.digest() !== sha256) {
      await upload.truncate(0);
      throw new ReefError('hash-mismatch', { offset: 0 });
    }
    try {
      const ready = await Promise.allSettled([
        upload.flushWhole(),
        this.#journalName(sha256),
        this.addresses.makeFolders(sha256),
      ]);
      for (const one of ready) if (one.status === 'rejected') throw one.reason;
      await this.addresses.moveIn(this.layout.part(upload.id), sha256, cutBackTo > 0);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      await upload.truncate(cutBackTo);
      throw new ReefError('storage-full', { cause: error });
    }
    await this.#uploads.forget(upload.id);
    this.#uploads.finish(upload.id, upload.announcement);
    this.#probe?.('blob.before-sidecar-unlink');
    await this.#uploads.removeSidecar(upload.id);
    this.#probe?.('blob.after-sidecar-unlink');
    this.#options.onStored?.(sha256);
  }

  async #journalName(sha256: string): Promise<void> {
    this.#probe?.('blob.before-journal-sync');
    await this.recentBlobs.add(sha256);
    this.#probe?.('blob.after-journal-sync');
  }

  /** The partial of a transfer, or the length of a finished one. @throws ReefError `not-found` */
  async #requireUpload(uploadId: string): Promise<PartialUpload | number> {
    const found = await this.#lookUp(uploadId);
    if (found === undefined) throw new ReefError('not-found');
    return found;
  }

  async #lookUp(uploadId: string): Promise<PartialUpload | number | undefined> {
    const finished = this.#uploads.finished(uploadId);
    if (finished !== undefined) {
      if ((await this.size(finished.sha256)) === finished.bytes) return finished.bytes;
      // The scrub found it broken and quarantined it.
      this.#uploads.reopen(uploadId);
    }
    const known = this.#uploads.get(uploadId);
    if (known !== undefined) return known;
    const announcement = await this.#uploads.readAnnouncement(uploadId);
    if (announcement === undefined) return undefined;
    const { bytes } = announcement;
    const size = (await this.fileSystem.size(this.layout.part(uploadId))) ?? 0;
    if ((await this.size(announcement.sha256)) === bytes) {
      await this.#uploads.remove(uploadId);
      this.#uploads.finish(uploadId, announcement);
      return bytes;
    }
    const upload = new PartialUpload(this.#context, uploadId, announcement, Math.min(size, bytes));
    this.#uploads.add(upload);
    if (upload.missing > 0) return upload;
    // The last run ended between the last byte and the rename.
    await upload.resume();
    this.#uploads.markOpen(uploadId);
    try {
      await this.#complete(upload, bytes);
      return bytes;
    } catch (error) {
      if (error instanceof ReefError && error.code === 'hash-mismatch') return upload;
      throw error;
    }
  }

  #withLock<T>(uploadId: string, work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(uploadId, () => this.#mapErrors(work));
  }

  async #mapErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ReefError) throw error;
      throw new ReefError(isDiskFull(error) ? 'storage-full' : 'internal', { cause: error });
    }
  }

  async #sync(run: () => Promise<void>): Promise<void> {
    this.#assertHealthy();
    try {
      await run();
    } catch (cause) {
      const first = this.#fatal === undefined;
      this.#fatal ??= new ReefError('internal', { cause });
      if (first) this.#options.onFatal(cause instanceof Error ? cause : new Error(String(cause)));
      throw this.#fatal;
    }
  }

  #assertHealthy(): void {
    if (this.#fatal !== undefined) throw this.#fatal;
  }
}
