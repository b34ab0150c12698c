import { expect, test, vi } from 'vitest';
import { composeBridge } from '../../../cloud-sync/bridge/compose-bridge';
import { readBridgeSettings } from '../../../cloud-sync/bridge/settings';
import type { WaitingUsage } from '../../../src/protocol/edge-http';
import { tempFolder } from '../../support/servers/client';
import { STAFF_TOKEN, startCloud } from '../../support/servers/cloud';
import { pairedClient } from '../../support/servers/edge-client';
import { closers } from '../../support/tablet/closers';
import { edge } from '../../support/tablet/real-scene';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const NAMES = [
  'analysis',
  'analysis_step_labels',
  'analysis_step_labels_pen',
  'analysis_complete',
  'RepeatImage',
  'user_skip_image',
];

test('2§7 events of use go ashore by the box, at the time of the tablet, once', async () => {
  const shore = await startCloud();
  const folder = tempFolder('usage-events');
  const box = await edge();
  const client = await pairedClient(box);
  const settings = readBridgeSettings(['--edge', box.url, '--cloud', shore.url], {
    REEF_HOME: folder.path,
    BRIDGE_TOKEN: (await shore.post<{ token: string }>('/api/fleet/boxes', { name: 'Reef Star' }, STAFF_TOKEN)).body
      .token,
    EDGE_ADMIN_TOKEN: box.adminToken,
  });
  const { bridge, close } = composeBridge(settings, undefined, { log: () => undefined, limits: { cloudPollMs: 0 } });
  closers.push(async () => {
    client.close();
    close();
    await shore.close();
    folder.remove();
  });
  const post = async (body: unknown, token: string | null = client.session): Promise<number> =>
    (
      await fetch(`${box.url}/edge/analytics`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(body),
      })
    ).status;
  const waiting = async (): Promise<WaitingUsage['events']> => {
    const answer = await fetch(`${box.url}/edge/analytics`, { headers: { authorization: `Bearer ${box.adminToken}` } });
    return ((await answer.json()) as WaitingUsage).events;
  };
  const at = '2026-11-20T03:04:05.000Z';
  expect(await post({ name: 'analysis', params: { version: 2.1 } })).toBe(200);
  expect(await post({ events: NAMES.map((name) => ({ name, at, params: { step: 'labels', seconds: 3 } })) })).toBe(200);
  for (const wrong of [
    {},
    { name: 'no name' },
    { name: 'analysis', params: { deep: { a: 1 } } },
    { name: 'analysis', at: 'yesterday' },
    { name: 'analysis', params: { text: '\u0000' } },
    { events: [] },
    { events: Array.from({ length: 101 }, () => ({ name: 'analysis' })) },
  ])
    expect(await post(wrong), JSON.stringify(wrong).slice(0, 60)).toBe(400);
  expect(await post({ name: 'x'.repeat(70_000) })).toBe(413);
  expect(await post({ name: 'analysis' }, null)).toBe(401);
  expect((await waiting()).map(({ event }) => event.name)).toEqual(['analysis', ...NAMES]);

  for (let round = 0; round < 2; round++) await bridge.step(new AbortController().signal);
  expect(await waiting()).toEqual([]);
  const { rows } = await shore.cloud.context.database.pool.query<{ name: string; at: Date; entry: object }>(
    'SELECT name, at, entry FROM analytics_events ORDER BY id',
  );
  expect(rows.map(({ name }) => name)).toEqual(['analysis', ...NAMES]);
  expect(rows[0]).toMatchObject({ entry: { version: 2.1 } });
  expect(rows.slice(1).every((row) => row.at.toISOString() === at)).toBe(true);
  expect((await bridge.status()).state).toBe('idle');
});
