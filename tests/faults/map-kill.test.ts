import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { EdgeMeta } from '../../src/protocol/edge-socket';
import type { MapFilesReply, WantedMapFilesReply } from '../../src/protocol/map-files';
import type { FaultProxy } from '../support/doubles/proxy';
import { startProxy } from '../support/doubles/proxy';
import { runSeed, seeded } from '../support/seed';
import { tempFolder } from '../support/servers/client';
import type { TestCloud } from '../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../support/servers/cloud';
import { CloudProcess } from '../support/servers/cloud-process';
import type { EdgeProcess } from '../support/servers/edge';
import { startEdge } from '../support/servers/edge';
import { addRaster } from '../support/servers/report-archives';
import { tally } from '../support/tally';
import { bundle } from './power-cut/bundle';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 400_000 });

const ARCHIVE_BYTES = 8 * 1024 * 1024;
const ADDRESS = '/tiles/raster-gbr.pmtiles';
/** Slow enough that a kill strikes in the middle, bytes a second. */
const LINK_RATE = 500_000;
/** Bytes of a start besides the archive: identities, keys, lists, reference data. */
const START_BYTES = 400_000;
const KILLS = 3;

const seed = runSeed();
const random = seeded(seed);
const folder = tempFolder('map-kill');
let shore: TestCloud;
let edge: EdgeProcess;
let proxy: FaultProxy;
let bridge: CloudProcess;
let archive: Buffer;

beforeAll(async () => {
  shore = await startCloud();
  archive = await addRaster(shore, ARCHIVE_BYTES);
  edge = await startEdge({ home: path.join(folder.path, 'box') });
  proxy = await startProxy(Number(new URL(shore.url).port), seed);
  proxy.slow(LINK_RATE);
  const { token } = (await shore.post<{ token: string }>('/api/fleet/boxes', { name: 'Reef Star' }, STAFF_TOKEN)).body;
  bridge = await CloudProcess.bridge({
    program: await bundle('tests/faults/bridge-entry.ts'),
    env: { REEF_HOME: path.join(folder.path, 'bridge'), BRIDGE_TOKEN: token, EDGE_ADMIN_TOKEN: edge.adminToken },
    args: ['--edge', edge.url, '--cloud', `http://127.0.0.1:${proxy.port}`],
  });
});
afterAll(async () => {
  await bridge?.kill();
  await proxy?.close();
  await edge?.remove();
  await shore?.close();
  folder.remove();
});

const asAdmin = (): Record<string, string> => ({
  authorization: `Bearer ${edge.adminToken}`,
  'content-type': 'application/json',
});

async function isComplete(): Promise<boolean> {
  const { maps } = (await (await fetch(`${edge.url}/edge/meta`, { headers: asAdmin() })).json()) as EdgeMeta;
  return maps?.status === 'complete';
}

/** Bytes of the archive that the box has, as it tells a bridge. */
async function bytesAboard(): Promise<number> {
  const { files } = (await (await fetch(`${shore.url}/api/map-files`)).json()) as MapFilesReply;
  const { sha256 } = files.find(({ address }) => address === ADDRESS)!;
  const body = JSON.stringify({ files });
  const answer = await fetch(`${edge.url}/edge/map-files`, { method: 'PUT', headers: asAdmin(), body });
  const { wanted } = (await answer.json()) as WantedMapFilesReply;
  return wanted.find((file) => file.sha256 === sha256)?.offset ?? ARCHIVE_BYTES;
}

test('3§7 a bridge killed in the middle of an archive continues at the byte that the box has', async () => {
  console.log(`map kills: seed ${seed}`);
  const until = (holds: () => Promise<boolean>): Promise<void> =>
    expect.poll(holds, { timeout: 300_000, interval: 50 }).toBe(true);
  let [aboard, before] = [0, 0];
  for (let kills = 0; kills < KILLS; kills++) {
    const killAt = aboard + 200_000 + random.below(1_200_000);
    await until(async () => (await bytesAboard()) >= killAt);
    await bridge.kill();
    [aboard, before] = [await bytesAboard(), proxy.bytes.down];
    expect(aboard, 'killed in the middle').toBeLessThan(ARCHIVE_BYTES);
    expect((await fetch(edge.url + ADDRESS)).status, 'half an archive is not served').toBe(404);
    await bridge.start();
  }
  await until(isComplete);
  expect(proxy.bytes.down - before, 'what is aboard is not fetched again').toBeLessThan(
    archive.length - aboard + START_BYTES,
  );
  tally('kills and cuts of the bridge', KILLS);
  const served = Buffer.from(await (await fetch(edge.url + ADDRESS)).arrayBuffer());
  expect(served.equals(archive)).toBe(true);
});
