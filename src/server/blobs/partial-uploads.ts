import type { BlobRef } from '../../protocol/receipt';
import type { BlobLayout } from './blob-layout';
import { isUploadId, uploadIdOf } from './blob-layout';
import type { BlobAnnouncement } from './blob-store';
import { isMissing } from '../files/disk';
import type { PartialContext, PartialUpload } from './partial-upload';
import { parseSidecar } from './partial-upload';

/** Partial files that stay open between chunks; others are reopened. */
const OPEN_MAX = 64;
/** Finished transfers whose state is still reported. */
const FINISHED_MAX = 4096;

/** Active transfers by id and owner, and the last finished ones. */
export class PartialUploads {
  readonly #context: PartialContext;
  readonly #uploads = new Map<string, PartialUpload>();
  readonly #open = new Set<string>();
  readonly #finished = new Map<string, BlobRef>();
  readonly #owners = new Map<string, string>();

  constructor(context: PartialContext) {
    this.#context = context;
  }

  get(uploadId: string): PartialUpload | undefined {
    return this.#uploads.get(uploadId);
  }

  /** Bytes of a finished transfer. They may have been quarantined since. */
  finished(uploadId: string): BlobRef | undefined {
    return this.#finished.get(uploadId);
  }

  add(upload: PartialUpload): void {
    this.#uploads.set(upload.id, upload);
  }

  /** Makes this the owner's transfer. Returns the previous one, if different. */
  claimOwner(owner: string, uploadId: string): string | undefined {
    const before = this.#owners.get(owner);
    this.#owners.set(owner, uploadId);
    return before === uploadId ? undefined : before;
  }

  /** Ends the owner's claim. Returns its previous transfer, if different. */
  releaseOwner(owner: string, uploadId: string): string | undefined {
    const before = this.#owners.get(owner);
    this.#owners.delete(owner);
    return before === uploadId ? undefined : before;
  }

  markOpen(uploadId: string): void {
    this.#open.add(uploadId);
  }

  /** Closes a partial's file between two chunks if too many are open. */
  async closeIfTooMany(uploadId: string): Promise<void> {
    if (this.#open.size <= OPEN_MAX) return;
    this.#open.delete(uploadId);
    await this.#uploads.get(uploadId)?.close();
  }

  finish(uploadId: string, { sha256, bytes }: BlobRef): void {
    this.#finished.set(uploadId, { sha256, bytes });
    const [oldest] = this.#finished.keys();
    if (this.#finished.size > FINISHED_MAX && oldest !== undefined) this.#finished.delete(oldest);
  }

  /** Reopens a transfer whose bytes are no longer here. */
  reopen(uploadId: string): void {
    this.#finished.delete(uploadId);
  }

  async forget(uploadId: string): Promise<void> {
    const upload = this.#uploads.get(uploadId);
    if (upload === undefined) return;
    this.#uploads.delete(uploadId);
    if (this.#owners.get(upload.announcement.owner) === uploadId) this.#owners.delete(upload.announcement.owner);
    this.#open.delete(uploadId);
    await upload.close();
  }

  async remove(uploadId: string): Promise<void> {
    await this.forget(uploadId);
    await this.#unlink(this.#layout.part(uploadId));
    await this.removeSidecar(uploadId);
  }

  removeSidecar(uploadId: string): Promise<void> {
    return this.#unlink(this.#layout.sidecar(uploadId));
  }

  /** Reads a partial's announcement; undefined if there is none that can be read. */
  async readAnnouncement(uploadId: string): Promise<BlobAnnouncement | undefined> {
    const { disk } = this.#context;
    // Most look-ups are for new transfers: a stat is cheaper than an error.
    if (!isUploadId(uploadId) || (await disk.size(this.#layout.sidecar(uploadId))) === undefined) return undefined;
    try {
      const announcement = parseSidecar(await disk.readFile(this.#layout.sidecar(uploadId)));
      return uploadIdOf(announcement.owner, announcement.sha256) === uploadId ? announcement : undefined;
    } catch (error) {
      // Torn by a crash, or never written: nothing of it was acknowledged as durable.
      if (isMissing(error) || !(error instanceof Error && 'code' in error)) return undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    for (const upload of this.#uploads.values()) await upload.close();
    this.#uploads.clear();
  }

  get #layout(): BlobLayout {
    return this.#context.layout;
  }

  async #unlink(file: string): Promise<void> {
    try {
      await this.#context.disk.unlink(file);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
}
