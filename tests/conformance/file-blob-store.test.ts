import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { recoverBlobs } from '../../src/server/blobs/blob-recovery';
import { FileBlobStore } from '../../src/server/blobs/file-blob-store';
import { blobStoreConformance } from './blob-store';

blobStoreConformance('blob store in files', async ({ minFreeBytes = 0 } = {}) => {
  const root = await mkdtemp(path.join(tmpdir(), 'reef-blobs-'));
  const open = async (): Promise<FileBlobStore> => {
    const store = await FileBlobStore.open({
      root,
      minFreeBytes,
      onFatal: (error) => {
        throw error;
      },
    });
    await recoverBlobs(store);
    return store;
  };
  const store = await open();
  return {
    store,
    reopen: open,
    partials: async () => new Set((await readdir(path.join(root, 'partials'))).map((name) => name.slice(0, 32))).size,
    dispose: () => rm(root, { recursive: true }),
  };
});
