import type { BlobRef } from '../../protocol/receipt';
import type { BlobLayout } from './blob-layout';
import { isUploadId, uploadIdOf } from './blob-layout';
import type { BlobAnnouncement } from './blob-store';
import { isMissing } from '../files/disk';
import type { PartialContext, PartialUpload } from './partial-upload';
import { parseSidecar } from './partial-upload';

/** Files of partial uploads that stay open between two chunks; beyond that each chunk opens its own. */
const OPEN_MAX = 64;
/** Finished transfers whose state is still told to those who ask again. */
const FINISHED_MAX = 4096;

/** The transfers that a store knows: those under way, by id and by owner, and the last ones that were finished. */
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

  /** What a transfer that was finished brought. It may have gone to quarantine since. */
  finished(uploadId: string): BlobRef | undefined {
    return this.#finished.get(uploadId);
  }

  add(upload: PartialUpload): void {
    this.#uploads.set(upload.id, upload);
  }

  /** Its transfer is the one that this owner goes on with. Gives the one before, where that was another. */
  claimOwner(owner: string, uploadId: string): string | undefined {
    const before = this.#owners.get(owner);
    this.#owners.set(owner, uploadId);
    return before === uploadId ? undefined : before;
  }

  /** All bytes of an owner are here. Gives the transfer it went on with before, where that was another. */
  releaseOwner(owner: string, uploadId: string): string | undefined {
    const before = this.#owners.get(owner);
    this.#owners.delete(owner);
    return before === uploadId ? undefined : before;
  }

  /** Notes that the file of a partial is open. */
  markOpen(uploadId: string): void {
    this.#open.add(uploadId);
  }

  /** Closes the file of a partial between two chunks, where too many are open. */
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

  /** What it brought is not here any more: it begins anew. */
  reopen(uploadId: string): void {
    this.#finished.delete(uploadId);
  }

  /** Forgets what memory knows of a partial; its files stay. */
  async forget(uploadId: string): Promise<void> {
    const upload = this.#uploads.get(uploadId);
    if (upload === undefined) return;
    this.#uploads.delete(uploadId);
    if (this.#owners.get(upload.announcement.owner) === uploadId) this.#owners.delete(upload.announcement.owner);
    this.#open.delete(uploadId);
    await upload.close();
  }

  /** Deletes a partial, with what was announced of it. */
  async remove(uploadId: string): Promise<void> {
    await this.forget(uploadId);
    await this.#unlink(this.#layout.part(uploadId));
    await this.removeSidecar(uploadId);
  }

  removeSidecar(uploadId: string): Promise<void> {
    return this.#unlink(this.#layout.sidecar(uploadId));
  }

  /** What an earlier run, or this one, wrote beside a partial; undefined where there is nothing that can be read. */
  async readAnnouncement(uploadId: string): Promise<BlobAnnouncement | undefined> {
    const { disk } = this.#context;
    // Most that is asked for here is new: a look is cheaper than an error.
    if (!isUploadId(uploadId) || (await disk.size(this.#layout.sidecar(uploadId))) === undefined) return undefined;
    try {
      const announcement = parseSidecar(await disk.readFile(this.#layout.sidecar(uploadId)));
      return uploadIdOf(announcement.owner, announcement.sha256) === uploadId ? announcement : undefined;
    } catch (error) {
      // Torn by a crash, or never written: nobody was told that anything of it is durable.
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
