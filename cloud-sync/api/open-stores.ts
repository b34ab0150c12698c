import path from 'node:path';
import type { Logger } from 'pino';
import type { BlobRef } from '../../src/protocol/receipt';
import { guardBlobs } from '../../src/server/blobs/blob-guard';
import type { BlobStore } from '../../src/server/blobs/blob-store';
import type { Disk } from '../../src/server/files/disk';
import { realDisk } from '../../src/server/files/disk';
import { removeIdlePartials } from '../../src/server/blobs/idle-partials';
import { FileBlobStore } from '../../src/server/blobs/file-blob-store';
import { lockFolder } from '../../src/server/files/folder-lock';
import type { Probe } from '../../src/server/ops/probe';
import { ReceiptSigner } from '../../src/server/ops/receipt-signer';
import type { CloudDatabase } from './postgres/connect';
import { connectDatabase } from './postgres/connect';
import { startBucketScrub } from './images/bucket-scrub';
import { S3BlobStore } from './images/s3-blob-store';
import { S3Bucket } from './images/s3-bucket';
import type { CloudSettings } from './settings';
import { PgAppendStore } from './store/pg-append-store';

/** All durable state of the cloud. */
export interface CloudStores {
  readonly database: CloudDatabase;
  readonly store: PgAppendStore;
  readonly blobs: BlobStore;
  /** Deletes bytes permanently; the caller must know that nothing needs them. */
  readonly deleteBytes: (sha256: string) => Promise<void>;
  /** Deletes uploads that got no byte since a time, ms since 1970; returns their number. */
  readonly removeIdlePartials: (beforeMs: number) => Promise<number>;
  readonly receiptKey: ReceiptSigner;
  readonly traceKey: ReceiptSigner;
  close(): Promise<void>;
}

interface StoreHooks {
  readonly clock: () => number;
  readonly log: Logger;
  readonly onFatal: (error: Error) => void;
  readonly probe?: Probe | undefined;
  readonly disk?: Disk | undefined;
  readonly onBytesStored: (sha256: string) => void;
}

const PAGE = 1000;

/**
 * Opens the database and `REEF_HOME/cloud` and recovers them after any kind of end: folder lock, keys, append store,
 * blobs (re-checked, broken ones quarantined), slow scrub.
 */
export async function openStores(settings: CloudSettings, hooks: StoreHooks): Promise<CloudStores> {
  const { log, clock } = hooks;
  const cleanups: (() => void | Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of cleanups.splice(0).reverse()) await step();
  };
  try {
    const disk = hooks.disk ?? realDisk;
    const probe = hooks.probe === undefined ? {} : { probe: hooks.probe };
    // Locks before opening keys: of two processes starting together, one would sign with a key the other has
    // overwritten.
    const lock = lockFolder(settings.home);
    cleanups.push(() => lock.release());
    const receiptKey = await ReceiptSigner.open(path.join(settings.home, 'keys', 'receipts.json'), disk);
    const traceKey = await ReceiptSigner.open(path.join(settings.home, 'keys', 'traces.json'), disk);
    const report = (message: string): void => log.warn(message);
    const database = await connectDatabase({ databaseUrl: settings.databaseUrl, home: settings.home, report });
    cleanups.push(() => database.close());
    const store = await PgAppendStore.open({
      database,
      signer: receiptKey,
      report,
      now: () => new Date(clock()),
      ...probe,
    });
    cleanups.push(() => store.close());
    const { blobs, files } = await openBlobs(settings, { ...hooks, disk }, store, cleanups);
    return {
      database,
      store,
      blobs,
      deleteBytes: (sha256) => blobs.remove(sha256),
      removeIdlePartials: (beforeMs) => removeIdlePartials(files, beforeMs),
      receiptKey,
      traceKey,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens photographs in files, or in a bucket with staging files. */
async function openBlobs(
  settings: CloudSettings,
  hooks: StoreHooks,
  store: PgAppendStore,
  cleanups: (() => void | Promise<void>)[],
): Promise<{ readonly blobs: BlobStore & { remove(sha256: string): Promise<void> }; readonly files: FileBlobStore }> {
  const { log, onFatal, probe, disk, onBytesStored } = hooks;
  let inBucket: S3BlobStore | undefined;
  const onWhole = settings.s3 === null ? onBytesStored : (sha256: string) => inBucket?.enqueue(sha256);
  const files = await FileBlobStore.open({
    root: settings.home,
    minFreeBytes: settings.minFreeBytes,
    onFatal,
    onStored: onWhole,
    ...(disk === undefined ? {} : { disk }),
    ...(probe === undefined ? {} : { probe }),
  });
  if (settings.s3 !== null) {
    const lostBlobs = {
      isLost: (sha256: string) => store.isBlobLost(sha256),
      markRestored: (sha256: string) => store.markBlobRestored(sha256),
    };
    const bucket = new S3BlobStore({
      bucket: new S3Bucket(settings.s3),
      staging: files,
      copies: path.join(settings.home, 'copies'),
      log,
      lostBlobs,
      onStored: onBytesStored,
    });
    inBucket = bucket;
    cleanups.push(() => bucket.close());
    const waiting = await bucket.recover();
    if (waiting > 0) log.info({ waiting }, 'photographs left by the last run go to the bucket');
    const onBroken = async (sha256: string): Promise<void> => {
      const records = await store.markBlobLost(sha256);
      log.error({ sha256, records }, 'the bucket does not have a photograph as it was receipted');
    };
    cleanups.push(
      startBucketScrub({ blobs: bucket, expected: (after, limit) => store.expectedBlobs(after, limit), onBroken, log }),
    );
    return { blobs: bucket, files };
  }
  cleanups.push(() => files.close());
  cleanups.push(
    await guardBlobs(
      files,
      { expected: () => expectedBlobs(store), markLost: (sha256) => store.markBlobLost(sha256) },
      log,
    ),
  );
  return { blobs: files, files };
}

async function* expectedBlobs(store: PgAppendStore): AsyncGenerator<BlobRef, void, void> {
  for (let after = ''; ;) {
    const page = await store.expectedBlobs(after, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.sha256;
  }
}
