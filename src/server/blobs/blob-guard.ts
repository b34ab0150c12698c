import type { Logger } from 'pino';
import type { BlobRef } from '../../protocol/receipt';
import { isWhole, recoverBlobs } from './blob-recovery';
import type { FileBlobStore } from './file-blob-store';
import { startScrub } from './scrubbing';

/** What a server's records say of the bytes they name. */
export interface BlobRecords {
  /** All bytes that the records count as here. */
  expected(): Iterable<BlobRef> | AsyncIterable<BlobRef>;
  /** These bytes are gone or broken: no record counts them as here any more. Gives the number of records. */
  markLost(sha256: string): number | Promise<number>;
}

/**
 * Makes the photographs whole after any kind of end and keeps them so (protocol, "Re-hash on resume, at boot and in a slow
 * scrub"): what the last run left is checked anew, every record's bytes are looked for, and the scrub begins. What is gone or
 * broken is told to the records and logged: people must know, and no figure may count it as here.
 *
 * @returns what ends the scrub
 */
export async function guardBlobs(blobs: FileBlobStore, records: BlobRecords, log: Logger): Promise<() => void> {
  const broken = async (sha256: string): Promise<void> => {
    log.error(
      { sha256, records: await records.markLost(sha256) },
      'a photograph on the disk is broken; it was moved to quarantine',
    );
  };
  const found = await recoverBlobs(blobs);
  for (const sha256 of found.quarantined) await broken(sha256);
  if (found.partials + found.swept + found.verified > 0) log.info({ ...found }, 'recovered what the last run left');
  for await (const { sha256, bytes } of records.expected()) {
    const size = await blobs.size(sha256);
    if (size === bytes) continue;
    // A record may say a wrong length, and count once a person let it: the hash names the bytes, and other records name them too.
    if (size !== undefined && (await isWhole(blobs, sha256))) {
      log.warn(
        { sha256, bytes, size },
        'a record says another length of a photograph than it has; the photograph is whole',
      );
      continue;
    }
    await records.markLost(sha256);
    // Whoever asks whether it is here must hear that it is not: tablets free their copies on that word, and send it again.
    if (size !== undefined) await blobs.addresses.quarantine(sha256);
    log.error({ sha256, bytes, size: size ?? null }, 'a recorded photograph is not here as it was receipted');
  }
  return startScrub(blobs, { onBroken: broken, log });
}
