import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ReefError } from '../../domain/errors';
import { PHOTOGRAPH_HEAD_BYTES, photographType } from '../../domain/image/media-type';
import { sha256Schema } from '../../domain/ids';
import type { BlobLayout } from './blob-layout';
import type { BlobAnnouncement } from './blob-store';
import type { Disk } from '../files/disk';
import { isDiskFull } from '../files/disk';
import { hashOpenFile } from '../files/hash-file';
import type { Probe } from '../ops/probe';

const sidecarSchema = z.object({
  v: z.literal(1),
  owner: z.string(),
  sha256: sha256Schema,
  bytes: z.int().min(1),
  type: z.string(),
});

/** Parses the announcement in a sidecar. @throws for a torn or foreign text */
export function parseSidecar(text: string): BlobAnnouncement {
  const { owner, sha256, bytes, type } = sidecarSchema.parse(JSON.parse(text));
  return { owner, sha256: sha256 as BlobAnnouncement['sha256'], bytes, type };
}

/**
 * Bytes per write. Each write wakes a thread, so few large ones are cheaper: 100 photographs took 1.5 s of processor
 * time with 256 KiB and 1.4 s with 1 MiB. Whole chunks of 4 MiB cost more again, because the kernel then looks for long
 * runs of free pages.
 */
const WRITE_BYTES = 1024 * 1024;

export interface PartialContext {
  readonly disk: Disk;
  readonly layout: BlobLayout;
  readonly probe: Probe | undefined;
  /** Runs an fsync; a failed one ends the store. */
  sync(run: () => Promise<void>): Promise<void>;
}

function* batchesOf(buffers: readonly Uint8Array[]): Generator<Uint8Array[]> {
  let batch: Uint8Array[] = [];
  let held = 0;
  for (const buffer of buffers) {
    for (let at = 0; at < buffer.length;) {
      const piece = buffer.subarray(at, at + WRITE_BYTES - held);
      batch.push(piece);
      held += piece.length;
      at += piece.length;
      if (held < WRITE_BYTES) continue;
      yield batch;
      batch = [];
      held = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

/** Received bytes of an announced blob: open file, length, and hash over that length. Never called concurrently. */
export class PartialUpload {
  readonly id: string;
  readonly announcement: BlobAnnouncement;
  readonly #context: PartialContext;
  #offset: number;
  #fd: number | undefined;
  /** Hash over [0, offset); undefined: must be recomputed from the file. */
  #hash: Hash | undefined;
  #head: Uint8Array = new Uint8Array(0);
  #areNamesDurable = false;
  /**
   * True for bytes of an earlier process. It may have ended on a failed fsync, after which the kernel marks unwritten
   * pages clean: they are rewritten, so that the next fsync covers them.
   */
  #adopted: boolean;

  constructor(context: PartialContext, id: string, announcement: BlobAnnouncement, offset: number) {
    this.#context = context;
    this.id = id;
    this.announcement = announcement;
    this.#offset = offset;
    this.#adopted = offset > 0;
    if (offset === 0) this.#hash = createHash('sha256');
  }

  /** Contiguous bytes in the file. */
  get offset(): number {
    return this.#offset;
  }

  get missing(): number {
    return this.announcement.bytes - this.#offset;
  }

  /** Writes the announcement for a restart. Durable with the first chunk. */
  async writeSidecar(): Promise<void> {
    const { disk, layout, probe } = this.#context;
    const { owner, sha256, bytes, type } = this.announcement;
    const text = JSON.stringify({ v: 1, owner, sha256, bytes, type });
    probe?.('blob.before-sidecar-write');
    const fd = await disk.open(layout.sidecar(this.id), 'w');
    try {
      await disk.write(fd, [Buffer.from(text, 'utf8')], 0);
    } finally {
      await disk.close(fd);
    }
    probe?.('blob.after-sidecar-write');
  }

  /** Opens the file and, once, reads its content to continue the hash. */
  async resume(): Promise<void> {
    const { disk, layout } = this.#context;
    this.#fd ??= await disk.open(
      layout.part(this.id),
      (await disk.size(layout.part(this.id))) === undefined ? 'wx+' : 'r+',
    );
    if (this.#hash !== undefined) return;
    const { hash, head, read } = await hashOpenFile(disk, this.#fd, this.#offset, {
      headBytes: PHOTOGRAPH_HEAD_BYTES,
      rewrite: this.#adopted,
    });
    this.#adopted = false;
    if (read !== this.#offset) throw new ReefError('internal', { message: 'A partial upload is shorter than it was.' });
    this.#hash = hash;
    this.#head = head;
  }

  /** Checks the media type by the first bytes, these included. */
  checkMediaType(next: readonly Uint8Array[]): 'yes' | 'no' | 'undecided' {
    const bytes = next.reduce((sum, { length }) => sum + length, 0);
    if (this.#offset < PHOTOGRAPH_HEAD_BYTES) {
      // Bytes that were checked before but not written are not in the file.
      const parts = [
        this.#head.subarray(0, this.#offset),
        ...next.map((buffer) => buffer.subarray(0, PHOTOGRAPH_HEAD_BYTES)),
      ];
      this.#head = Buffer.concat(parts).subarray(0, PHOTOGRAPH_HEAD_BYTES);
    }
    if (photographType(this.#head) !== undefined) return 'yes';
    return this.#head.length < PHOTOGRAPH_HEAD_BYTES && bytes < this.missing ? 'undecided' : 'no';
  }

  /**
   * Appends bytes, hashing them during the write. A failed write removes all of them again.
   *
   * @throws ReefError `storage-full`, `internal`
   */
  async append(buffers: readonly Uint8Array[]): Promise<number> {
    const { disk, probe } = this.#context;
    const fd = this.#requireFd();
    const hash = this.#hash;
    if (hash === undefined) throw new ReefError('internal', { message: 'A partial upload was not resumed.' });
    const start = this.#offset;
    try {
      for (const batch of batchesOf(buffers)) {
        probe?.('blob.before-write');
        const writing = disk.write(fd, batch, this.#offset);
        let bytes = 0;
        for (const buffer of batch) {
          hash.update(buffer);
          bytes += buffer.length;
        }
        await writing;
        this.#offset += bytes;
        probe?.('blob.after-write');
      }
    } catch (cause) {
      await this.truncate(start);
      throw new ReefError(isDiskFull(cause) ? 'storage-full' : 'internal', { cause });
    }
    return this.#offset - start;
  }

  /** Truncates the file to `length`. */
  async truncate(length: number): Promise<void> {
    this.#hash = length === 0 ? createHash('sha256') : undefined;
    if (length < PHOTOGRAPH_HEAD_BYTES) this.#head = new Uint8Array(0);
    // The hash and the head are read again before the next write.
    this.#offset = length;
    await this.#context.disk.truncate(this.#requireFd(), length);
  }

  /** Makes received bytes durable; with the first chunk also the two file names. */
  async flush(): Promise<void> {
    const { disk, layout, probe, sync } = this.#context;
    const fd = this.#requireFd();
    probe?.('blob.before-fdatasync');
    await sync(() => disk.fdatasync(fd));
    probe?.('blob.after-fdatasync');
    if (this.#areNamesDurable) return;
    probe?.('blob.before-sidecar-fsync');
    const sidecar = await disk.open(layout.sidecar(this.id), 'r');
    try {
      await sync(() => disk.fsync(sidecar));
    } finally {
      await disk.close(sidecar);
    }
    probe?.('blob.after-sidecar-fsync');
    probe?.('blob.before-partials-fsync');
    await sync(() => disk.fsyncDir(layout.partials));
    probe?.('blob.after-partials-fsync');
    this.#areNamesDurable = true;
  }

  /** Fsyncs all bytes before they move to their address. */
  async flushWhole(): Promise<void> {
    const { disk, probe, sync } = this.#context;
    const fd = this.#requireFd();
    probe?.('blob.before-fsync');
    await sync(() => disk.fsync(fd));
    probe?.('blob.after-fsync');
  }

  digest(): string {
    const digest = this.#hash?.digest('hex') ?? '';
    this.#hash = undefined;
    return digest;
  }

  async close(): Promise<void> {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) await this.#context.disk.close(fd);
  }

  #requireFd(): number {
    if (this.#fd === undefined) throw new ReefError('internal', { message: 'A partial upload is not open.' });
    return this.#fd;
  }
}

export function beyondAnnouncedSize(): ReefError {
  return new ReefError('bad-message', { field: 'chunk', message: 'The chunk goes past the announced size.' });
}
