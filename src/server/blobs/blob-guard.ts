import type { Logger } from 'pino';
import type { BlobRef } from '../../protocol/receipt';
import { isWhole, recoverBlobs } from './blob-recovery';
import type { FileBlobStore } from './file-blob-store';
import { startScrub } from './scrubbing';

/** The records' view of the bytes they name. */
interface BlobRecords {
  /** All bytes that the records count as here. */
  expected(): Iterable<BlobRef> | AsyncIterable<BlobRef>;
  /** Marks bytes as gone or broken. Returns the number of records. */
  markLost(sha256: string): number | Promise<number>;
}

/**
 * Recovers the photographs at boot and guards them (protocol, "Re-hash on resume, at boot and in a slow scrub").
 * Missing or broken bytes are marked in the records and logged: no figure may count them.
 *
 * @param stepMs pause of the scrub between two photographs
 * @returns function that ends the scrub
 */
export async function guardBlobs(
  blobs: FileBlobStore,
  records: BlobRecords,
  log: Logger,
  stepMs?: number,
): Promise<() => void> {
  const broken = async (sha256: string): Promise<void> => {
    log.error(
      { sha256, records: await records.markLost(sha256) },
      'a photograph on the disk is broken; it was moved to quarantine',
    );
  };
  const found = await recoverBlobs(blobs);
  for (const sha256 of found.quarantined) await broken(sha256);
  if (found.partials + found.swept + found.verified > 0) log.info({ ...found }, 'recovered what the last run left');
  const checkSizes = (): Promise<void> => markMissing(blobs, records, log);
  await checkSizes();
  return startScrub(blobs, { onBroken: broken, onRound: checkSizes, log, ...(stepMs === undefined ? {} : { stepMs }) });
}

/** Marks recorded bytes whose file is gone or has another length. */
async function markMissing(blobs: FileBlobStore, records: BlobRecords, log: Logger): Promise<void> {
  for await (const { sha256, bytes } of records.expected()) {
    const size = await blobs.size(sha256);
    if (size === bytes) continue;
    // A released record may state a wrong length: the hash names the bytes, and other records share them.
    if (size !== undefined && (await isWhole(blobs, sha256))) {
      log.warn({ sha256, bytes, size }, 'a record states a wrong length for a photograph; the photograph is complete');
      continue;
    }
    const count = await records.markLost(sha256);
    // Freed since the list was read.
    if (count === 0 && size === undefined) continue;
    // Must be reported as missing: tablets free their copies on a positive answer, and otherwise send again.
    if (size !== undefined) await blobs.addresses.quarantine(sha256);
    log.error({ sha256, bytes, size: size ?? null }, 'a recorded photograph is not here as it was receipted');
  }
}
