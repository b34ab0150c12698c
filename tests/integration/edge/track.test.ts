import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { EdgeGps, EdgeTrack } from '../../../src/protocol/edge-socket';
import { until } from '../../support/servers/client';
import type { TestEdge } from '../../support/servers/edge';
import { startEdge } from '../../support/servers/edge';
import { pairedClient } from '../../support/servers/edge-client';
import { rmc, startGpsServer } from '../../support/doubles/gps-server';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function track(edge: TestEdge, query = ''): Promise<EdgeTrack['fixes']> {
  const answer = await fetch(`${edge.url}/edge/track${query}`, {
    headers: { authorization: `Bearer ${edge.adminToken}` },
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as EdgeTrack).fixes;
}

async function underWay(): Promise<{ edge: TestEdge; sail: (n: number) => Promise<void> }> {
  const server = await startGpsServer();
  ends.push(() => server.away());
  const edge = await startEdge({ env: { GPS_URL: `nmea+tcp://127.0.0.1:${server.port}` } });
  ends.push(() => edge.remove());
  let went = 0;
  const start = Date.now() - 600_000;
  return {
    edge,
    /** Sends `n` fixes 40 m and 10 s apart, each of which is stored. */
    sail: async (n) => {
      const [before, connections] = [(await track(edge)).length, server.connections()];
      await until(() => server.connections() >= Math.max(1, connections), 'the box listens to its receiver');
      for (let i = 0; i < n; i++, went++) {
        server.say(rmc(-16.86 + went * 36e-5, 146.23, start + went * 10_000));
        await until(
          async () =>
            (await track(edge)).length > before + i ||
            (server.say(rmc(-16.86 + went * 36e-5, 146.23, start + went * 10_000)), false),
          `fix ${went} is stored`,
        );
      }
    },
  };
}

describe('protocol: edge socket: the vessel’s track', () => {
  it('protocol: edge socket: the track grows with each fix, survives kills and is read by span', async () => {
    const { edge, sail } = await underWay();
    await sail(3);
    for (let kill = 1; kill <= 3; kill++) {
      const before = await track(edge);
      await edge.restart('SIGKILL');
      expect(await track(edge), `after kill ${kill}`).toEqual(before);
      const gps = (await (
        await fetch(`${edge.url}/edge/gps`, { headers: { authorization: `Bearer ${edge.adminToken}` } })
      ).json()) as EdgeGps;
      expect(gps.time, 'the last known position').toBe(before.at(-1)!.time);
      await sail(1);
    }
    const fixes = await track(edge);
    expect(fixes.length).toBe(6);
    expect(fixes.map(({ lat }) => Math.round((lat + 16.86) / 36e-5))).toEqual([0, 1, 2, 3, 4, 5]);
    expect(Date.parse(fixes[1]!.time) - Date.parse(fixes[0]!.time)).toBe(10_000);

    const client = await pairedClient(edge);
    expect(await client.send('query', { name: 'track', params: { from: fixes[1]!.time, to: fixes[3]!.time } })).toEqual(
      { ok: true, data: { fixes: fixes.slice(1, 4) } },
    );
    expect(await track(edge, `?from=${fixes[4]!.time}`)).toEqual(fixes.slice(4));
    expect(await client.send('query', { name: 'track', params: { from: 'yesterday' } })).toMatchObject({
      ok: false,
      error: { code: 'bad-message', field: 'from' },
    });
    expect(
      await client.send('query', { name: 'track', params: { from: fixes[3]!.time, to: fixes[1]!.time } }),
    ).toMatchObject({ ok: false, error: { code: 'bad-message', field: 'from' } });
    expect(await client.send('query', { name: 'track', subscribe: true })).toMatchObject({
      ok: false,
      error: { code: 'bad-message', field: 'subscribe' },
    });
    client.close();
  });

  it('a damaged track file is replaced by a new one, and the box starts and reports it', async () => {
    const { edge, sail } = await underWay();
    await sail(2);
    await edge.stop();
    const home = path.join(edge.home, 'edge');
    writeFileSync(path.join(home, 'vessel.db'), 'this is no database, and was one');
    await edge.restart();
    expect(await track(edge)).toEqual([]);
    expect(readdirSync(home).some((name) => name.startsWith('vessel.db.broken-'))).toBe(true);
    expect(edge.output).toContain('were damaged. They were moved to');
    await sail(1);
  });
});
