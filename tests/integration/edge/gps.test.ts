import { createSocket } from 'node:dgram';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Receiver } from '../../../edge-server/gps/receiver';
import type { EdgeGps, EdgeMeta } from '../../../src/protocol/edge-socket';
import { until } from '../../support/servers/client';
import type { TestEdge } from '../../support/servers/edge';
import { startEdge } from '../../support/servers/edge';
import { pairedClient } from '../../support/servers/edge-client';
import { nmea, rmc, startGpsServer } from '../../support/doubles/gps-server';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function ask<Answer>(edge: TestEdge, name: string): Promise<Answer> {
  return (await (
    await fetch(`${edge.url}/edge/${name}`, { headers: { authorization: `Bearer ${edge.adminToken}` } })
  ).json()) as Answer;
}

async function box(url: string): Promise<TestEdge> {
  const edge = await startEdge({ env: { GPS_URL: url } });
  ends.push(() => edge.remove());
  return edge;
}

/** Standalone receiver with timeouts divided by 50. */
function receiver(url: string): Receiver {
  const made = new Receiver(url, {
    clocks: { wall: Date.now, latestKnown: () => Date.UTC(2026, 10, 1), monotonic: () => performance.now() },
    log: pino({ level: 'silent' }),
    hurry: 50,
  });
  ends.push(() => made.close());
  return made;
}

describe('protocol: edge socket, gps: a receiver over NMEA', () => {
  it('protocol: settings: nmea+tcp: a box shows the fix and its age, and survives the receiver', async () => {
    const server = await startGpsServer();
    ends.push(() => server.away());
    const edge = await box(`nmea+tcp://127.0.0.1:${server.port}`);
    await until(() => server.connections() === 1, 'the box connects');
    expect(await ask(edge, 'gps')).toBeNull();
    const client = await pairedClient(edge);
    const heard: EdgeGps[] = [];
    client.socket.on('update', (update: { name: string; data: EdgeGps }) => heard.push(update.data));
    await client.send('query', { name: 'gps', subscribe: true });

    server.say(rmc(-16.86, 146.23, Date.now()));
    await until(async () => (await ask(edge, 'gps')) !== null, 'a fix');
    expect(await ask(edge, 'gps')).toMatchObject({ lat: -16.86, lng: 146.23, speed: 5, heading: 90, source: 'nmea' });
    expect(await ask<EdgeMeta>(edge, 'meta')).toMatchObject({ gps: 'fix', name: 'Reef Box' });
    await until(() => heard.length > 0, 'the follower is notified');
    expect(heard[0]).toMatchObject({ lat: -16.86, lng: 146.23 });
    expect(heard[0]).not.toHaveProperty('receivedAt');

    await server.away();
    const before = await ask<EdgeGps>(edge, 'gps');
    await until(async () => (await ask<EdgeGps>(edge, 'gps')).age > before.age + 100, 'the fix ages');
    await server.open();
    await until(() => server.connections() === 2, 'the box reconnects automatically');
    server.say(rmc(-16.87, 146.24, Date.now()));
    await until(async () => (await ask<EdgeGps>(edge, 'gps')).lat === -16.87, 'the next fix');
    client.close();
  });

  it('protocol: settings: nmea+udp: datagrams need no line end, and noise changes nothing', async () => {
    const probe = createSocket('udp4');
    await new Promise<void>((resolve) => probe.bind(0, '127.0.0.1', resolve));
    const { port } = probe.address();
    await new Promise<void>((resolve) => probe.close(() => resolve()));
    const edge = await box(`nmea+udp://127.0.0.1:${port}`);
    const sender = createSocket('udp4');
    ends.push(() => new Promise<void>((resolve) => sender.close(() => resolve())));
    const say = (text: string | Uint8Array) => sender.send(text, port, '127.0.0.1');
    say(Buffer.alloc(1_400, 0xb5));
    say(rmc(-16.86, 146.23, Date.now()).replace(',A,', ',B,'));
    say(rmc(-16.86, 146.23, Date.now()).trimEnd());
    await until(async () => (await ask(edge, 'gps')) !== null, 'a fix');
    say(rmc(-16.5, 146.5, Date.now()) + nmea('IIDBT,034.4,f,010.5,M,005.7,F'));
    await until(async () => (await ask<EdgeGps>(edge, 'gps')).lat === -16.5, 'the next fix');
  });

  it('a receiver with a wrong clock yields its position with the box’s time', async () => {
    const server = await startGpsServer();
    ends.push(() => server.away());
    const edge = await box(`nmea+tcp://127.0.0.1:${server.port}`);
    await until(() => server.connections() === 1, 'the box connects');
    const before = Date.now();
    server.say(rmc(-16.86, 146.23, Date.UTC(2007, 3, 7)));
    await until(async () => (await ask(edge, 'gps')) !== null, 'a fix');
    const fix = await ask<EdgeGps>(edge, 'gps');
    expect(fix.lat).toBe(-16.86);
    expect(Date.parse(fix.time)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(fix.time)).toBeLessThanOrEqual(Date.now());
  });

  it('a slow or silent connection is reopened, and void fixes keep the last one', async () => {
    const server = await startGpsServer();
    ends.push(() => server.away());
    const made = receiver(`nmea+tcp://127.0.0.1:${server.port}`);
    expect(made.state()).toBe('away');
    await until(() => server.connections() === 1, 'connects');
    const drip = setInterval(() => server.say('x'), 20);
    await until(() => server.connections() >= 3, 'slow noise does not count as a receiver');
    clearInterval(drip);
    expect(made.current()).toBeNull();
    server.say(`\r\n${rmc(-16.86, 146.23, Date.now())}`);
    await until(() => made.current() !== null || (server.say(rmc(-16.86, 146.23, Date.now())), false), 'a fix');
    expect(made.state()).toBe('fix');
    server.say(
      nmea('GPRMC,085411.000,V,,,,,,,030414,,,N') + nmea('GPRMC,085411.000,A,9922.3215,N,00454.5778,E,,,030414,,,A'),
    );
    await until(() => made.counts().void > 0 && made.counts().broken.field > 0, 'both are read');
    expect(made.current()).toMatchObject({ lat: -16.86, lng: 146.23 });
  });

  it('foreign, truncated or huge answers from gpsd do no harm', async () => {
    const server = await startGpsServer();
    ends.push(() => server.away());
    const made = receiver(`gpsd://127.0.0.1:${server.port}`);
    await until(() => server.heard().includes('?WATCH={"enable":true,"json":true};'), 'the watch is requested');
    server.say('HTTP/1.1 400 Bad Request\r\n\r\n{"class":"TPV","mode":3,"lat":');
    server.say(`${'9'.repeat(2_000_000)}}\r\n{"class":"TPV","mode":3,"lat":0,"lon":0}\n`);
    const report = JSON.stringify({
      class: 'TPV',
      mode: 3,
      time: new Date().toISOString(),
      lat: -16.86,
      lon: 146.23,
      speed: 1,
    });
    server.say(report.slice(0, 20));
    server.say(`${report.slice(20)}\n`);
    await until(() => made.current() !== null, 'a fix');
    expect(made.current()).toMatchObject({ lat: -16.86, lng: 146.23, speed: 1.94, source: 'gpsd' });
  });
});
