import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, bundleSimulator } from '../simulation/run';

/** Production files that histories run unchanged. */
const PRODUCTION = [
  'src/domain/fold/fold.ts',
  'src/data/tablet-core.ts',
  'src/data/ops/append.ts',
  'src/data/ops/holds.ts',
  'src/data/ops/ingest.ts',
  'src/data/ops/reissue-unsent.ts',
  'src/data/ops/resolve-op-id-clashes.ts',
  'src/data/ops/op-index.ts',
  'src/data/sync/sending/sender.ts',
  'src/data/sync/sending/handle-op-id-clash.ts',
  'src/data/sync/puller.ts',
  'src/data/sync/sending/offer.ts',
  'src/data/sync/freeing/free-bytes.ts',
  'src/data/transport/connectivity.ts',
  'src/data/transport/edge/edge-link-keeper.ts',
  'src/data/transport/cloud/cloud-link-keeper.ts',
  'src/server/blobs/file-blob-store.ts',
  'src/server/ops/receipt-signer.ts',
  'edge-server/intake/intake.ts',
  'edge-server/socket/dispatcher.ts',
  'edge-server/intake/ops-routes.ts',
  'edge-server/store/sqlite-append-store.ts',
  'edge-server/store/commit-queue.ts',
  'cloud-sync/bridge/bridge.ts',
  'cloud-sync/bridge/state/bridge-state-file.ts',
  'cloud-sync/api/intake/cloud-intake.ts',
  'cloud-sync/api/intake/ops-routes.ts',
];

describe('the simulator runs production code unchanged', () => {
  it('its bundle contains the product files themselves', async () => {
    const bundle = await bundleSimulator();
    try {
      expect(PRODUCTION.filter((file) => !bundle.inputs.includes(file))).toEqual([]);
      // A file replaced by a plugin would have a name with the plugin's prefix.
      expect(bundle.inputs.filter((name) => name.includes(':'))).toEqual([]);
    } finally {
      bundle.remove();
    }
  });

  it('no module of the product is replaced', () => {
    const folder = path.join(ROOT, 'tests', 'simulation');
    const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => [name, readFileSync(path.join(folder, name), 'utf8')] as const);
    expect(
      texts.filter(([, text]) => /\b(vi|vitest)\.(mock|doMock|spyOn|stubGlobal)\b/.test(text)).map(([name]) => name),
    ).toEqual([]);
  });

  it('a planted defect changes product code in one way and fails if its text is gone', async () => {
    await expect(
      bundleSimulator([{ file: 'src/domain/fold/fold.ts', find: 'a line that does not exist', replace: '' }]),
    ).rejects.toThrow(/stands 0 times/);
  });
});
