import { expect, test, vi } from 'vitest';
import { composeBridge } from '../../../cloud-sync/bridge/compose-bridge';
import { readBridgeSettings } from '../../../cloud-sync/bridge/settings';
import type { ErrorGroup } from '../../../src/protocol/cloud-http';
import type { WaitingReports } from '../../../src/protocol/edge-http';
import { tempFolder } from '../../support/servers/client';
import { STAFF_TOKEN, startCloud } from '../../support/servers/cloud';
import type { TestEdge } from '../../support/servers/edge';
import { closers } from '../../support/tablet/closers';
import { edge, tablet } from '../../support/tablet/real-scene';
import { until } from '../../support/tablet/tablet';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const SURROUNDINGS = {
  url: 'https://box.lan/surveys',
  browser: 'Browser/1',
  screen: '1180x820',
  viewport: '1180x700',
  language: 'en-AU',
  device: 'Tablet',
  host: 'box.lan',
  timeZone: 'Australia/Brisbane',
};

/** Oldest error reports aboard, as the bridge reads them. */
async function aboard({ url, adminToken }: TestEdge): Promise<WaitingReports['reports']> {
  const answer = await fetch(`${url}/edge/log`, { headers: { authorization: `Bearer ${adminToken}` } });
  return ((await answer.json()) as WaitingReports).reports;
}

test('1§7, 3§7 errors of a tablet that never meets the shore reach staff by its box', async () => {
  const shore = await startCloud();
  const folder = tempFolder('error-reports');
  const box = await edge();
  const settings = readBridgeSettings(['--edge', box.url, '--cloud', shore.url], {
    REEF_HOME: folder.path,
    BRIDGE_TOKEN: (await shore.post<{ token: string }>('/api/fleet/boxes', { name: 'Reef Star' }, STAFF_TOKEN)).body
      .token,
    EDGE_ADMIN_TOKEN: box.adminToken,
  });
  const { bridge, close } = composeBridge(settings, undefined, { log: () => undefined, limits: { cloudPollMs: 0 } });
  closers.push(async () => {
    close();
    await shore.close();
    folder.remove();
  });
  const step = () => bridge.step(new AbortController().signal);

  const one = await tablet({ reports: () => SURROUNDINGS });
  one.host.log.note('error', 'IMG_0001.JPG of ana@example.org failed', { stack: 'at open (index.js:1:2)' });
  for (let n = 1; n < 40; n++) one.host.log.note('error', `Took ${n} ms too long`);
  await one.repositories.edge.link.pair(box.url, box.code);
  const [first] = await until(async () => {
    const reports = await aboard(box);
    return reports.length === 20 ? reports : undefined;
  }, 'reports aboard');
  expect(first!.report).toMatchObject({ ...SURROUNDINGS, message: '{file} of {email} failed\nat open (index.js:1:2)' });

  // The shore takes 30 a minute of one network; the bridge goes on, and the others wait aboard.
  for (let round = 0; round < 3; round++) await step();
  const { groups } = (await shore.get<{ groups: ErrorGroup[] }>('/api/errors', STAFF_TOKEN)).body;
  expect(groups.map(({ title, count }) => [title, count])).toEqual([
    ['Took {n} ms too long', 29],
    ['{file} of {email} failed', 1],
  ]);
  expect((await bridge.status()).state).toBe('idle');
  expect((await aboard(box)).map(({ report }) => report.message)).toEqual(
    Array.from({ length: 10 }, (_, i) => `Took ${30 + i} ms too long`),
  );
});
