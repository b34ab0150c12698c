import { createReadStream, existsSync, statSync } from 'node:fs';
import { stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { ReefError } from '../../src/domain/errors';
import { recipientSchema } from '../../src/protocol/bundle';
import type { BundleManifest } from '../../src/protocol/bundle';
import type { Disk } from '../../src/server/files/disk';
import { errorCode, isDiskFull, isMissing, realDisk } from '../../src/server/files/disk';
import { openReadOnly } from '../open-read-only';
import { bundleName, noSealKey, nothingOwed } from './export-routes';
import { sealBundle } from './seal-bundle';
import { planExport } from './export-plan';
import type { EdgeSettings } from '../settings';

/** Bytes collected before each write to the drive. */
const WRITE_BYTES = 4 * 1024 * 1024;
/** Limit of broken photographs per export, since each restarts the file. */
const BROKEN_MAX = 100;

interface ExportArguments {
  /** File, or folder in which the file is named automatically. */
  readonly target: string;
  readonly since: number;
  readonly all: boolean;
  readonly sealKey: string | undefined;
  /** Largest file, bytes; larger exports are split. */
  readonly partBytes: number;
}

interface ExportedBundle {
  readonly file: string;
  readonly bytes: number;
  readonly manifest: BundleManifest;
}

/** @throws ReefError `bad-message` for unknown arguments */
export function parseExportArguments(args: readonly string[]): ExportArguments {
  const rest = [...args];
  const words = { target: '', since: 0, all: false, sealKey: undefined as string | undefined, partBytes: Infinity };
  const usage = (why: string): ReefError =>
    new ReefError('bad-message', {
      message: `${why} Say: npm run edge -- export <file or folder> [--all] [--since <entry>] [--seal-key <age1…>] [--part-gb <number>]`,
    });
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--all') words.all = true;
    else if (word === '--since') words.since = parseNumber(rest.shift(), usage);
    else if (word === '--part-gb') words.partBytes = parseNumber(rest.shift(), usage) * 1e9;
    else if (word === '--seal-key') words.sealKey = rest.shift() ?? '';
    else if (word.startsWith('-') || words.target !== '') throw usage(`"${word}" is not understood.`);
    else words.target = word;
  }
  if (words.target === '') throw usage('It does not say where to write.');
  if (words.sealKey !== undefined && !recipientSchema.safeParse(words.sealKey).success)
    throw usage('The key to seal to begins with age1 and has 62 letters.');
  return words;
}

function parseNumber(text: string | undefined, usage: (why: string) => ReefError): number {
  if (text === undefined || !/^[0-9]+(\.[0-9]+)?$/.test(text)) throw usage(`"${text ?? ''}" is not a number.`);
  return Number(text);
}

/**
 * Exports what the box owes to a drive as sealed bundles, with or without a running server. A file gets its name once
 * it is complete on the drive: until then it ends in `.part`, and a failure leaves none.
 *
 * @throws ReefError `not-found` if nothing is owed or no seal key is known, `storage-full`, `bad-message`
 */
export async function exportToDrive(
  settings: EdgeSettings,
  version: string,
  words: ExportArguments,
  tell: (done: ExportedBundle) => void,
  disk: Disk = realDisk,
): Promise<readonly ExportedBundle[]> {
  const stores = await openReadOnly(settings);
  try {
    const recipient = words.sealKey ?? stores.sealKey;
    if (recipient === undefined) throw noSealKey();
    const written: ExportedBundle[] = [];
    const broken = new Set<string>();
    for (let since = words.since, complete = false; !complete;) {
      const source = {
        ...stores,
        name: settings.name,
        version,
        blobBytes: async (sha256: string) =>
          broken.has(sha256) ? undefined : statSync(stores.layout.blob(sha256), { throwIfNoEntry: false })?.size,
      };
      const plan = await planExport(source, { since, all: words.all, maxBytes: words.partBytes, now: Date.now() });
      if (plan.seqs.length === 0) break;
      const file = await targetFile(
        words.target,
        bundleName(settings.name, plan.manifest),
        written.length > 0 || !plan.complete,
      );
      try {
        const bundle = await sealBundle({
          source,
          plan,
          recipient,
          signer: stores.bundleKey,
          readBlob: async (sha256) => blobStream(stores.layout.blob(sha256), () => broken.add(sha256)),
          onBroken: (sha256) => broken.add(sha256),
        });
        await writeAtomically(disk, file, bundle.stream, bundle.bytes);
        const done = { file, bytes: bundle.bytes, manifest: bundle.manifest };
        written.push(done);
        tell(done);
        since = plan.manifest.toSeq;
        complete = plan.complete;
      } catch (error) {
        if (!(error instanceof ReefError && error.code === 'hash-mismatch') || broken.size > BROKEN_MAX) throw error;
        // The box quarantines it at its next check; here its bytes are left out.
      }
    }
    if (written.length === 0) throw nothingOwed();
    return written;
  } finally {
    stores.close();
  }
}

/**
 * @throws ReefError `hash-mismatch` if a running box has freed the photograph since it was listed: it is ashore, and
 * left out
 */
function blobStream(file: string, isGone: () => void): AsyncIterable<Uint8Array> {
  if (existsSync(file)) return createReadStream(file, { highWaterMark: 1024 * 1024 });
  isGone();
  throw new ReefError('hash-mismatch', {
    field: 'blobs',
    message:
      'The box freed a photograph while it was exported; it is ashore. Export again, and the bundle comes without its bytes.',
  });
}

/** @throws ReefError `not-found` for a missing folder */
async function targetFile(target: string, name: string, several: boolean): Promise<string> {
  const place = path.resolve(target);
  const found = await stat(place).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (found?.isDirectory() === true) return path.join(place, name);
  if (several)
    throw new ReefError('bad-message', {
      message: `This takes several files. Name a folder that is there, not ${place}.`,
    });
  if (found === undefined && (await stat(path.dirname(place)).catch(() => undefined)) === undefined)
    throw new ReefError('not-found', {
      message: `The folder ${path.dirname(place)} does not exist. Is the drive connected?`,
    });
  return place;
}

async function writeAtomically(disk: Disk, file: string, stream: AsyncIterable<Buffer>, bytes: number): Promise<void> {
  const { free } = await disk.statfs(path.dirname(file));
  if (free < bytes)
    throw new ReefError('storage-full', {
      message: `The drive has room for ${formatGigabytes(free)}, and the bundle needs ${formatGigabytes(bytes)}. Nothing was written. Make room, take a larger drive, or write parts with --part-gb.`,
    });
  const draft = `${file}.part`;
  try {
    await writeDraft(disk, draft, stream);
    await disk.rename(draft, file);
    await syncFolder(disk, path.dirname(file));
  } catch (error) {
    // Half a bundle is useless and takes the room of a complete one.
    await unlink(draft).catch(() => undefined);
    throw readableError(error);
  }
}

async function writeDraft(disk: Disk, draft: string, stream: AsyncIterable<Buffer>): Promise<void> {
  const fd = await disk.open(draft, 'w');
  try {
    let at = 0;
    let waiting: Buffer[] = [];
    let length = 0;
    const flush = async (): Promise<void> => {
      if (length > 0) await disk.write(fd, [Buffer.concat(waiting)], at);
      at += length;
      waiting = [];
      length = 0;
    };
    for await (const part of stream) {
      waiting.push(part);
      length += part.length;
      if (length >= WRITE_BYTES) await flush();
    }
    await flush();
    await disk.fsync(fd);
  } finally {
    await disk.close(fd);
  }
}

/** Some drive formats cannot flush a folder; the file itself was flushed. */
async function syncFolder(disk: Disk, folder: string): Promise<void> {
  try {
    await disk.fsyncDir(folder);
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP'].includes(String(errorCode(error)))) throw error;
  }
}

function readableError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (isDiskFull(error))
    return new ReefError('storage-full', {
      message:
        'The drive is full. No half bundle was left on it. Make room, take a larger drive, or write parts with --part-gb.',
      cause: error,
    });
  if (code === 'EFBIG')
    return new ReefError('storage-full', {
      message: 'This drive’s format takes no file as large as this (FAT32 ends at 4 GB). Write parts: --part-gb 3.9.',
      cause: error,
    });
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM')
    return new ReefError('forbidden', {
      message: 'The drive cannot be written to. Is it locked, or mounted for reading alone?',
      cause: error,
    });
  if (code === 'EIO' || code === 'ENODEV' || code === 'ENXIO')
    return new ReefError('internal', {
      message: 'The drive failed or was removed. Nothing on the box was changed; try again with another one.',
      cause: error,
    });
  return error;
}

function formatGigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(2)} GB`;
}
