import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Dexie } from 'dexie';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ReportQueue, type ReportTarget } from '../../../src/data/report-queue';
import { createUsageRepository } from '../../../src/data/repositories/tablet/usage-repository';
import { analyticsSchema, type UsageEvent } from '../../../src/protocol/cloud-http';
import { analysisOps, open, withPhotograph } from '../../support/tablet/analyses';
import { until } from '../../support/tablet/tablet';
import { newOrigin, nodeHost, type Origin } from '../../support/tablet/tablet-host';

let server: Server;
let address = '';
let bodies: { readonly events: readonly UsageEvent[] }[] = [];
beforeEach(async () => {
  bodies = [];
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      bodies.push(JSON.parse(Buffer.concat(parts).toString()) as (typeof bodies)[number]);
      response.writeHead(200).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/analytics`;
});
afterEach(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

function openQueue(origin: Origin, target: () => ReportTarget | null) {
  const host = nodeHost({ origin });
  const queue = new ReportQueue<UsageEvent>({
    host,
    database: 'reef-usage',
    target,
    max: 300,
    batch: 100,
    bodyOf: (events) => ({ events }),
    failure: 'An event of use could not be reported.',
  });
  return { queue, usage: createUsageRepository({ isoNow: () => '2026-11-20T01:02:03.000Z' }, queue) };
}

it('2§7 events of use wait offline, survive a restart and go in order, many at once', async () => {
  const origin = newOrigin();
  const first = openQueue(origin, () => null);
  first.usage.note('analysis', { version: 2.4 });
  for (let n = 0; n < 120; n++) first.usage.note(`analysis_step_labels_undo`, { n });
  first.usage.note('analysis_complete', { text: `${'x'.repeat(250)}\0` });
  expect(await first.queue.pendingCount()).toBe(122);
  await first.queue.close();
  expect(bodies).toEqual([]);

  const second = openQueue(origin, () => ({ address }));
  second.queue.send();
  await until(async () => (await second.queue.pendingCount()) === 0, 'all sent');
  expect(bodies.map(({ events }) => events.length)).toEqual([100, 22]);
  const events = bodies.flatMap((body) => body.events);
  expect(events[0]).toEqual({ name: 'analysis', at: '2026-11-20T01:02:03.000Z', params: { version: 2.4 } });
  expect(events.slice(1, -1).map(({ params }) => params?.['n'])).toEqual([...Array(120).keys()]);
  expect(events.at(-1)).toMatchObject({ name: 'analysis_complete', params: { text: 'x'.repeat(200) } });
  for (const body of bodies) expect(analyticsSchema.safeParse(body).success).toBe(true);
  await second.queue.close();
});

it('2§7 the latest events wait, and the oldest are dropped beyond the limit', async () => {
  const origin = newOrigin();
  const { queue, usage } = openQueue(origin, () => null);
  for (let n = 0; n < 310; n++) usage.note('analysis', { n });
  expect(await queue.pendingCount()).toBe(300);
  await queue.close();
  const again = openQueue(origin, () => ({ address }));
  again.queue.send();
  await until(async () => (await again.queue.pendingCount()) === 0, 'all sent');
  expect(bodies[0]?.events[0]?.params).toEqual({ n: 10 });
  await again.queue.close();
});

it('2§7 RepeatImage is noted when a photograph returns that was shown before', async () => {
  const tablet = await open();
  const { ids } = await withPhotograph(tablet, 2);
  const { analyses } = tablet.repositories.census;
  const [one, two] = ids;
  const next = async (except: typeof ids) => {
    const found = await analyses.next({ isExpert: false, except, labels: { regionId: 'gbr' } });
    return 'image' in found ? found.image.id : found.none;
  };
  expect(await next([one!])).toBe(two);
  expect(await next([two!])).toBe(one);
  expect(await next([one!, two!])).toBe('no-link');
  const stored = new Dexie(`${tablet.database}-usage`, {
    indexedDB: tablet.host.idb.factory,
    IDBKeyRange: tablet.host.idb.keyRange,
  });
  const noted = await until(async () => {
    const { tables } = await stored.open();
    const rows = (await tables[0]!.toArray()) as { readonly report: UsageEvent }[];
    return rows.length > 0 ? rows : undefined;
  }, 'the event');
  stored.close();
  expect(noted.map(({ report }) => [report.name, report.params])).toEqual([['RepeatImage', { imageId: one }]]);
  expect(analysisOps(tablet)).toEqual([]);
});
