import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { S3BlobStore } from '../../cloud-sync/api/images/s3-blob-store';
import { S3Bucket } from '../../cloud-sync/api/images/s3-bucket';
import type { BlobAnnouncement, BlobStore, Transfer } from '../../src/server/blobs/blob-store';
import { FileBlobStore } from '../../src/server/blobs/file-blob-store';
import { testBucket } from '../support/servers/s3';
import { blobStoreConformance } from './blob-store';

/**
 * Bucket store as seen by callers that wait for its report: whole bytes are put after the last chunk was acknowledged,
 * and count once the bucket confirms them.
 */
function patient(store: S3BlobStore): BlobStore {
  const arrived = async (transfer: Transfer): Promise<Transfer> => {
    while (store.pendingUploads.length > 0) await pause(5);
    return transfer;
  };
  return {
    begin: async (announcement: BlobAnnouncement) => arrived(await store.begin(announcement)),
    write: async (uploadId: string, offset: number, chunk: Uint8Array | Readable) =>
      arrived(await store.write(uploadId, offset, chunk)),
    transfer: (uploadId) => store.transfer(uploadId),
    has: (sha256) => store.has(sha256),
    size: (sha256) => store.size(sha256),
    read: (sha256, range) => store.read(sha256, range),
    file: (sha256) => store.file(sha256),
    disk: () => store.disk(),
  };
}

blobStoreConformance('blob store in a bucket', async ({ minFreeBytes = 0 } = {}) => {
  const bucket = await testBucket();
  const root = await mkdtemp(path.join(tmpdir(), 'reef-staging-'));
  const opened: S3BlobStore[] = [];
  const open = async (): Promise<BlobStore> => {
    const staging = await FileBlobStore.open({
      root,
      minFreeBytes,
      onFatal: (error) => {
        throw error;
      },
      onStored: (sha256) => store.enqueue(sha256),
    });
    const store = new S3BlobStore({
      bucket: new S3Bucket({
        endpoint: bucket.endpoint,
        region: 'us-east-1',
        bucket: bucket.env['S3_BUCKET'] ?? '',
        key: bucket.env['S3_KEY'] ?? '',
        secret: bucket.env['S3_SECRET'] ?? '',
      }),
      staging,
      copies: path.join(root, 'copies'),
      log: pino({ level: 'silent' }),
      onStored: () => undefined,
      lostBlobs: { isLost: async () => false, markRestored: async () => undefined },
      retryDelays: { firstMs: 10, maxMs: 100 },
    });
    opened.push(store);
    await store.recover();
    return patient(store);
  };
  return {
    store: await open(),
    reopen: open,
    partials: async () => new Set((await readdir(path.join(root, 'partials'))).map((name) => name.slice(0, 32))).size,
    dispose: async () => {
      for (const store of opened) await store.close();
      await bucket.close();
      await rm(root, { recursive: true });
    },
  };
});
