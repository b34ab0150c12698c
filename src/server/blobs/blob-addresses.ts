import path from 'node:path';
import { ReefError } from '../../domain/errors';
import type { BlobLayout } from './blob-layout';
import { isSha256 } from './blob-layout';
import type { PartialContext } from './partial-upload';

/** Blobs at their content addresses, with durable names. */
export class BlobAddresses {
  readonly #context: PartialContext;
  /** Blobs at their address whose folders are not durable yet. */
  readonly #moving = new Map<string, Promise<void>>();
  /** Folders made durable by this process. One that merely exists may be left over from a crash. */
  readonly #durable = new Set<string>();

  constructor(context: PartialContext) {
    this.#context = context;
  }

  /** Length of a durable blob, or undefined. */
  async size(sha256: string): Promise<number | undefined> {
    if (!isSha256(sha256)) return undefined;
    await this.#moving.get(sha256);
    return this.#context.disk.size(this.#layout.blob(sha256));
  }

  async makeFolders(sha256: string): Promise<void> {
    const { disk, probe } = this.#context;
    if (this.#durable.has(this.#layout.target(sha256))) return;
    probe?.('blob.before-mkdir');
    if (!this.#durable.has(this.#layout.shard(sha256))) await disk.mkdir(this.#layout.shard(sha256));
    await disk.mkdir(this.#layout.target(sha256));
    probe?.('blob.after-mkdir');
  }

  /**
   * Moves a complete, fsynced partial to its address, durably.
   *
   * @param promised true if some bytes were acknowledged before; otherwise both folders are fsynced in parallel
   */
  async moveIn(part: string, sha256: string, promised: boolean): Promise<void> {
    const moved = this.#move(part, sha256, promised);
    // The caller that completes gets the failure; others check the disk.
    this.#moving.set(
      sha256,
      moved.catch(() => undefined),
    );
    await moved.finally(() => this.#moving.delete(sha256));
  }

  /** Fsyncs a blob and its folders, for one that a crash may have caught in between. */
  async confirm(sha256: string): Promise<void> {
    const { disk, sync } = this.#context;
    const fd = await disk.open(this.#layout.blob(sha256), 'r');
    try {
      await sync(() => disk.fsync(fd));
    } finally {
      await disk.close(fd);
    }
    await this.#syncFolders(sha256);
  }

  /** Moves a blob with wrong bytes into quarantine, durably. It is never deleted. */
  async quarantine(sha256: string): Promise<void> {
    const { disk, sync } = this.#context;
    if ((await this.size(sha256)) === undefined) throw new ReefError('not-found');
    let aside = `${this.#layout.quarantine}/${sha256}`;
    for (let n = 2; (await disk.size(aside)) !== undefined; n++) aside = `${this.#layout.quarantine}/${sha256}.${n}`;
    await disk.rename(this.#layout.blob(sha256), aside);
    await sync(() => disk.fsyncDir(this.#layout.quarantine));
    await sync(() => disk.fsyncDir(this.#layout.target(sha256)));
  }

  async listHashes(): Promise<string[]> {
    const { disk } = this.#context;
    const found: string[] = [];
    for (const shard of await disk.readdir(this.#layout.blobs)) {
      for (const folder of await disk.readdir(path.join(this.#layout.blobs, shard))) {
        found.push(...(await disk.readdir(path.join(this.#layout.blobs, shard, folder))).filter(isSha256));
      }
    }
    return found;
  }

  /** Deletes a blob; the caller must have a durable copy elsewhere. */
  async remove(sha256: string): Promise<void> {
    if ((await this.size(sha256)) !== undefined) await this.#context.disk.unlink(this.#layout.blob(sha256));
  }

  /** Deletes a blob durably: after a power cut it must not return under a record that marks it as gone. */
  async removeDurably(sha256: string): Promise<void> {
    await this.remove(sha256);
    await this.#context.sync(() => this.#context.disk.fsyncDir(this.#layout.target(sha256)));
  }

  get #layout(): BlobLayout {
    return this.#context.layout;
  }

  async #move(part: string, sha256: string, promised: boolean): Promise<void> {
    const { disk, probe } = this.#context;
    probe?.('blob.before-rename');
    await disk.rename(part, this.#layout.blob(sha256));
    probe?.('blob.after-rename');
    const named = this.#syncFolders(sha256);
    // Until the new name is durable, the old name of acknowledged bytes must survive.
    if (promised) await named;
    await Promise.all([named, this.#syncSource()]);
  }

  async #syncSource(): Promise<void> {
    const { disk, probe, sync } = this.#context;
    probe?.('blob.before-source-fsync');
    await sync(() => disk.fsyncDir(this.#layout.partials));
    probe?.('blob.after-source-fsync');
  }

  /** Fsyncs a blob's folder, and those above it on first use in this process. */
  async #syncFolders(sha256: string): Promise<void> {
    const { disk, probe, sync } = this.#context;
    const [shard, target] = [this.#layout.shard(sha256), this.#layout.target(sha256)];
    const above: Promise<void>[] = [];
    if (!this.#durable.has(target)) {
      probe?.('blob.before-shard-fsync');
      if (!this.#durable.has(shard)) above.push(sync(() => disk.fsyncDir(this.#layout.blobs)));
      above.push(sync(() => disk.fsyncDir(shard)));
    }
    probe?.('blob.before-target-fsync');
    await Promise.all([...above, sync(() => disk.fsyncDir(target))]);
    if (above.length > 0) probe?.('blob.after-shard-fsync');
    probe?.('blob.after-target-fsync');
    this.#durable.add(shard).add(target);
  }
}
