import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from 'pino';
import { guardBlobs } from '../src/server/blobs/blob-guard';
import type { Disk } from '../src/server/files/disk';
import { realDisk } from '../src/server/files/disk';
import { FileBlobStore } from '../src/server/blobs/file-blob-store';
import type { Probe } from '../src/server/ops/probe';
import { ReceiptSigner } from '../src/server/ops/receipt-signer';
import { lockFolder } from '../src/server/files/folder-lock';
import { settleFreed } from './store/freed-bytes';
import { SqliteAppendStore } from './store/sqlite-append-store';
import type { EdgeSettings } from './settings';

/** Files of the bundle key and the person key in the key folder. */
export const BUNDLE_KEY_FILE = 'bundles.json';
export const PERSON_KEY_FILE = 'people.json';

export interface EdgeStores {
  readonly store: SqliteAppendStore;
  readonly blobs: FileBlobStore;
  readonly receiptKey: ReceiptSigner;
  readonly traceKey: ReceiptSigner;
  readonly bundleKey: ReceiptSigner;
  readonly personKey: ReceiptSigner;
  close(): Promise<void>;
}

interface StoreHooks {
  readonly clock: () => number;
  readonly log: Logger;
  readonly onFatal: (error: Error) => void;
  readonly probe?: Probe | undefined;
  readonly disk?: Disk | undefined;
  /** Pause of the scrub between two photographs, ms. */
  readonly scrubStepMs?: number | undefined;
  /** True for a store restored from a backup: it starts a new epoch. */
  readonly restored?: boolean;
}

/**
 * Opens everything durable under `REEF_HOME/edge` and recovers it: lock, keys, append store, blobs (verified, broken
 * ones quarantined), then the slow scrub.
 */
export async function openStores(settings: EdgeSettings, hooks: StoreHooks): Promise<EdgeStores> {
  const { log, onFatal, clock } = hooks;
  const disk = hooks.disk ?? realDisk;
  const probe = hooks.probe === undefined ? {} : { probe: hooks.probe };
  mkdirSync(settings.home, { recursive: true, mode: 0o700 });
  // Lock before keys: two processes starting at once would overwrite each other's.
  const lock = lockFolder(settings.home);
  const { receiptKey, traceKey, bundleKey, personKey } = await openKeys(settings.home, disk).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  const store = SqliteAppendStore.open({
    folder: settings.home,
    signer: receiptKey,
    lock,
    onFatal,
    report: (message) => log.error(message),
    now: () => new Date(clock()),
    restored: hooks.restored === true,
    ...probe,
  });
  try {
    const blobs = await FileBlobStore.open({
      root: settings.home,
      minFreeBytes: settings.minFreeBytes,
      onFatal,
      disk,
      ...probe,
    });
    await settleFreed(store.freed, (sha256) => blobs.size(sha256));
    const stopScrub = await guardBlobs(
      blobs,
      { expected: () => store.blobs.expectedBlobs(), markLost: (sha256) => store.blobs.quarantine(sha256) },
      log,
      hooks.scrubStepMs,
    );
    return {
      store,
      blobs,
      receiptKey,
      traceKey,
      bundleKey,
      personKey,
      async close() {
        stopScrub();
        await blobs.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openKeys(
  home: string,
  disk: Disk,
): Promise<Pick<EdgeStores, 'receiptKey' | 'traceKey' | 'bundleKey' | 'personKey'>> {
  return {
    receiptKey: await ReceiptSigner.open(path.join(home, 'keys', 'receipts.json'), disk),
    traceKey: await ReceiptSigner.open(path.join(home, 'keys', 'traces.json'), disk),
    bundleKey: await ReceiptSigner.open(path.join(home, 'keys', BUNDLE_KEY_FILE), disk),
    personKey: await ReceiptSigner.open(path.join(home, 'keys', PERSON_KEY_FILE), disk),
  };
}
