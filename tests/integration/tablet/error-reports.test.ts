import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Dexie } from 'dexie';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ErrorReports } from '../../../src/data/error-reports';
import type { ReportTarget } from '../../../src/data/report-queue';
import type { Person } from '../../../src/data/repositories';
import type { PersonId } from '../../../src/domain/ids';
import { until } from '../../support/tablet/tablet';
import { newOrigin, nodeHost, type Origin } from '../../support/tablet/tablet-host';
import { SURROUNDINGS } from '../../support/surroundings';

const MARA: Person = {
  uid: 'abcdefghijkl' as PersonId,
  name: { first: 'Mara', last: 'Lind' },
  email: 'mara@example.org',
  org: null,
  pending: true,
};

let server: Server;
let address = '';
let taken: Record<string, unknown>[] = [];
let answers: number[] = [];
beforeEach(async () => {
  [taken, answers] = [[], []];
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const status = answers.shift() ?? 204;
      if (status < 300)
        taken.push({
          ...(JSON.parse(Buffer.concat(parts).toString()) as object),
          at: `${request.method} ${request.url}`,
        });
      response.writeHead(status).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/log`;
});
afterEach(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

function open(origin: Origin, to: () => ReportTarget | null, host = 'census.example') {
  const tablet = nodeHost({ origin });
  return {
    tablet,
    reports: new ErrorReports({
      host: tablet,
      database: 'reef-reports',
      surroundings: () => ({ ...SURROUNDINGS, host }),
      appVersion: '0.1.0',
      person: () => MARA,
      target: to,
    }),
  };
}

it('3§7 an error is queued offline, survives a restart and is posted once in full', async () => {
  const origin = newOrigin();
  const first = open(origin, () => null);
  first.tablet.log.note('error', 'TypeError: nothing there', { stack: 'at capture' });
  first.tablet.log.note('warn', 'The box went away.');
  first.tablet.log.note('info', 'Paired.');
  expect(await first.reports.pendingCount()).toBe(1);
  await first.reports.close();
  expect(taken).toEqual([]);

  const second = open(origin, () => ({ address }));
  const [report] = await until(async () => (taken.length > 0 ? taken : undefined), 'the report');
  expect(report).toMatchObject({
    at: 'POST /api/log',
    method: 'error',
    message: 'TypeError: nothing there\nat capture',
    ...SURROUNDINGS,
    uid: MARA.uid,
    version: '0.1.0',
  });
  expect(JSON.stringify(report)).not.toContain(MARA.email);
  expect(Number.isNaN(Date.parse(String(report?.['timestamp'])))).toBe(false);
  expect(await second.reports.pendingCount()).toBe(0);
  second.reports.send();
  await second.reports.close();
  expect(taken).toHaveLength(1);
});

it('3§7 a log server outage keeps a report, a refusal ends it, and order is kept', async () => {
  answers = [503, 400];
  const { tablet, reports } = open(newOrigin(), () => ({ address }));
  tablet.log.note('error', 'one');
  tablet.log.note('error', 'two');
  // First attempt fails and is retried automatically; then `one` is refused for good and `two` accepted.
  const got = await until(async () => (taken.length > 0 ? taken : undefined), 'the second report');
  expect(got.map(({ message }) => message)).toEqual(['two']);
  expect(await reports.pendingCount()).toBe(0);
  await reports.close();
});

it('3§7 a box that takes no reports keeps none from another server', async () => {
  answers = [404];
  let session: string | undefined = 'session-of-a-box';
  const { tablet, reports } = open(newOrigin(), () => ({ address, ...(session === undefined ? {} : { session }) }));
  tablet.log.note('error', 'one');
  await expect.poll(() => answers).toEqual([]);
  reports.send();
  expect(await reports.pendingCount()).toBe(1);
  expect(taken).toEqual([]);
  session = undefined;
  reports.send();
  expect(await reports.pendingCount()).toBe(0);
  expect(taken).toMatchObject([{ message: 'one' }]);
  await reports.close();
});

it('1§9 the latest 100 reports wait; 3§7 on localhost none does', async () => {
  const { tablet, reports } = open(newOrigin(), () => null);
  for (let i = 0; i < 120; i++) tablet.log.note('error', `error ${i}`);
  expect(await reports.pendingCount()).toBe(100);
  await reports.close();
  const local = open(newOrigin(), () => ({ address }), 'localhost:5173');
  local.tablet.log.note('error', 'at home');
  expect(await local.reports.pendingCount()).toBe(0);
  await local.reports.close();
  expect(taken).toEqual([]);
});

it('3§7 a report that version 1 queued leaves without its email, and with the name of its time zone', async () => {
  const { idb, ...rest } = nodeHost({ origin: newOrigin() });
  const old = new Dexie('reef-reports', { indexedDB: idb.factory, IDBKeyRange: idb.keyRange });
  old.version(1).stores({ reports: '++n' });
  const { timeZone, ...surroundings } = SURROUNDINGS;
  await old
    .table('reports')
    .add({
      report: {
        method: 'error',
        timestamp: '2026-11-01T00:00:00.000Z',
        message: 'IMG_1.jpg of mara@example.org',
        ...surroundings,
        timezone: timeZone,
        uid: MARA.uid,
        email: MARA.email,
      },
    });
  old.close();
  const reports = new ErrorReports({
    host: { ...rest, idb },
    database: 'reef-reports',
    surroundings: () => SURROUNDINGS,
    appVersion: '0.2.0',
    person: () => MARA,
    target: () => ({ address }),
  });
  const [report] = await until(async () => (taken.length > 0 ? taken : undefined), 'the report');
  await reports.close();
  expect(report).toMatchObject({ timeZone, uid: MARA.uid, version: 'unknown' });
  expect(JSON.stringify(report)).not.toMatch(/email":|@|IMG_1|timezone/);
});
