import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, bundleSimulator } from '../simulation/run';

/** What histories are about: the simulator runs these files, and no other code in their place. */
const PRODUCTION = [
  'src/domain/fold/fold.ts',
  'src/data/ops/append.ts',
  'src/data/ops/take-in.ts',
  'src/data/ops/reissue.ts',
  'src/data/ops/settle-names.ts',
  'src/data/ops/ledger.ts',
  'src/data/sync/sender.ts',
  'src/data/sync/clash.ts',
  'src/data/sync/puller.ts',
  'src/data/sync/offer.ts',
  'src/data/sync/freeing.ts',
  'src/data/transport/connectivity.ts',
  'src/data/transport/edge-link.ts',
  'src/data/transport/cloud-link.ts',
  'src/server/file-blob-store.ts',
  'src/server/receipt-signer.ts',
  'edge-server/services/intake.ts',
  'edge-server/socket/dispatcher.ts',
  'edge-server/routes/ops.ts',
  'edge-server/store/sqlite-append-store.ts',
  'edge-server/store/commit-queue.ts',
  'cloud-sync/bridge/bridge.ts',
  'cloud-sync/bridge/state-file.ts',
  'cloud-sync/api/services/intake.ts',
  'cloud-sync/api/routes/ops.ts',
];

describe('the simulator runs production code unchanged', () => {
  it('its bundle holds the files themselves', async () => {
    const bundle = await bundleSimulator();
    try {
      expect(PRODUCTION.filter((file) => !bundle.inputs.includes(file))).toEqual([]);
      // A file that a plugin had put in another's place would have a name of that plugin's.
      expect(bundle.inputs.filter((name) => name.includes(':'))).toEqual([]);
    } finally {
      bundle.remove();
    }
  });

  it('nothing of it takes the place of a module', () => {
    const folder = path.join(ROOT, 'tests', 'simulation');
    const texts = readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')] as const);
    expect(
      texts.filter(([, text]) => /\b(vi|vitest)\.(mock|doMock|spyOn|stubGlobal)\b/.test(text)).map(([name]) => name),
    ).toEqual([]);
  });

  it('a change to production code is made in one way alone, and where its text has gone it is an error', async () => {
    await expect(
      bundleSimulator([{ file: 'src/domain/fold/fold.ts', find: 'a line that nobody wrote', replace: '' }]),
    ).rejects.toThrow(/stands 0 times/);
  });
});
