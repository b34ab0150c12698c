import path from 'node:path';
import { isSha256, isUploadId } from './blob-layout';
import { isMissing } from '../files/disk';
import type { FileBlobStore } from './file-blob-store';
import { hashFile } from '../files/hash-file';

/** Result of the recovery at boot. */
interface BlobRecovery {
  /** Partial uploads that continue. */
  readonly partials: number;
  /** Deleted files: partials without an announcement, drafts left by a crash. */
  readonly swept: number;
  /** Blobs of the last run that were re-hashed. */
  readonly verified: number;
  /** Hashes of blobs moved to quarantine: their records must no longer count them. */
  readonly quarantined: readonly string[];
}

/** Blob read by the scrub. */
interface Scrubbed {
  readonly sha256: string;
  readonly ok: boolean;
}

/**
 * Recovers the store after any kind of end (protocol, "Re-hash on resume, at boot and in a slow scrub"): deletes
 * useless partials, finishes complete ones, re-hashes recent blobs and fsyncs them with their folders: a crash may have
 * come between a rename and its fsync.
 */
export async function recoverBlobs(store: FileBlobStore): Promise<BlobRecovery> {
  const quarantined: string[] = [];
  let verified = 0;
  for (const sha256 of await store.recentBlobs.fromLastRun()) {
    if (!(await store.has(sha256))) continue;
    if (await isWhole(store, sha256)) {
      await store.addresses.confirm(sha256);
      verified++;
    } else {
      await store.addresses.quarantine(sha256);
      quarantined.push(sha256);
    }
  }
  await store.recentBlobs.restart([]);
  const { partials, swept } = await sweepPartials(store);
  return { partials, swept, verified, quarantined };
}

/** Reads every blob, one per step; a broken one goes to quarantine. */
export async function* scrubBlobs(store: FileBlobStore): AsyncGenerator<Scrubbed, void, void> {
  const { layout, fileSystem } = store;
  for (const shard of await fileSystem.readdir(layout.blobs)) {
    for (const folder of await fileSystem.readdir(path.join(layout.blobs, shard))) {
      for (const sha256 of await fileSystem.readdir(path.join(layout.blobs, shard, folder))) {
        if (!isSha256(sha256) || !(await store.has(sha256))) continue;
        try {
          const ok = await isWhole(store, sha256);
          if (!ok) await store.addresses.quarantine(sha256);
          yield { sha256, ok };
        } catch (error) {
          // Freed while it was read.
          if (!isMissing(error)) throw error;
        }
      }
    }
  }
}

/** True if the bytes at an address match its hash. */
export async function isWhole(store: FileBlobStore, sha256: string): Promise<boolean> {
  return (await hashFile(store.fileSystem, store.layout.blob(sha256))).sha256 === sha256;
}

async function sweepPartials(store: FileBlobStore): Promise<{ partials: number; swept: number }> {
  const { layout, fileSystem } = store;
  let partials = 0;
  let swept = 0;
  const names = await fileSystem.readdir(layout.partials);
  const ids = new Set(names.map((name) => name.replace(/\.(part|json)$/, '')));
  for (const id of ids) {
    if (isUploadId(id) && (await store.adopt(id))) {
      partials++;
      continue;
    }
    for (const name of names.filter((one) => one === id || one.startsWith(`${id}.`))) {
      try {
        await fileSystem.unlink(path.join(layout.partials, name));
        swept++;
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
  }
  return { partials, swept };
}
