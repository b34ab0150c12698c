import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { EdgeGps, EdgeMeta, EdgeTrack } from '../../../src/protocol/edge-socket';
import { until } from '../../support/servers/client';
import { startEdge } from '../../support/servers/edge';
import { freePort } from '../../support/servers/free-port';
import { nmea, rmc } from '../../support/doubles/gps-server';

// Starting box and gpsd processes is slow on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const LOG = fileURLToPath(new URL('../../../../shared/data/nmea/gps.log', import.meta.url));

/** Log of a real receiver if there is one, else a made-up walk. */
function logText(): string {
  if (existsSync(LOG))
    return readFileSync(LOG, 'latin1')
      .slice(0, 60_000)
      .replace(/[^\n]*$/, '');
  const start = Date.UTC(2014, 3, 3, 8, 54, 11);
  return Array.from(
    { length: 240 },
    (_, n) => rmc(52.372 + n * 1e-5, 4.9096, start + n * 1000, 0.6) + nmea('GPVTG,1.0,T,,M,0.6,N,1.1,K,A'),
  ).join('');
}

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Debian's gpsd, fed with the log by gpsfake. */
class Gpsd {
  #child: ChildProcess | undefined;
  #printed = '';

  readonly #log: string;

  constructor(
    readonly port: number,
    log: string,
  ) {
    this.#log = log;
  }

  start(): void {
    // Process group of its own: the daemon is gpsfake's child and must end with it.
    const child = spawn('gpsfake', ['-P', String(this.port), '-c', '0.02', '-n', '-q', this.#log], {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes: Buffer) => (this.#printed += bytes.toString('utf8')));
    child.on('error', (error) => (this.#printed += error.message));
    this.#child = child;
  }

  get printed(): string {
    return this.#printed;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child?.pid === undefined || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('close', resolve));
    process.kill(-child.pid, 'SIGKILL');
    await gone;
  }
}

describe('protocol: settings: a real gpsd', () => {
  it('a log through gpsd yields fixes that age while gpsd is down and resume after it', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'reef-gpsd-'));
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    const log = path.join(folder, 'vessel.log');
    writeFileSync(log, logText(), 'latin1');
    const gpsd = new Gpsd(await freePort(), log);
    ends.push(() => gpsd.kill());
    gpsd.start();
    const edge = await startEdge({ env: { GPS_URL: `gpsd://127.0.0.1:${gpsd.port}` } });
    ends.push(() => edge.remove());
    const ask = async <Answer>(name: string): Promise<Answer> =>
      (await (
        await fetch(`${edge.url}/edge/${name}`, { headers: { authorization: `Bearer ${edge.adminToken}` } })
      ).json()) as Answer;

    const began = Date.now();
    await until(async () => (await ask<EdgeGps | null>('gps')) !== null, `a fix through gpsd:\n${gpsd.printed}`);
    const fix = await ask<EdgeGps>('gps');
    expect(fix.source).toBe('gpsd');
    expect(fix.lat).toBeCloseTo(52.372, 2);
    expect(fix.lng).toBeCloseTo(4.9096, 2);
    // gpsd reads the log of 2014 as a week rollover and reports 2033; neither may be shown.
    expect(Date.parse(fix.time)).toBeGreaterThan(began - 60_000);
    expect(Date.parse(fix.time)).toBeLessThan(Date.now() + 60_000);
    expect((await ask<EdgeMeta>('meta')).gps).toBe('fix');
    expect((await ask<EdgeTrack>('track')).fixes.length).toBeGreaterThan(0);

    await gpsd.kill();
    const old = await ask<EdgeGps>('gps');
    await until(async () => (await ask<EdgeGps>('gps')).age > old.age + 500, 'the fix ages');
    expect(await ask<EdgeGps>('gps')).toMatchObject({ source: 'gpsd' });
    gpsd.start();
    await until(async () => (await ask<EdgeGps>('gps')).age < 500, `a fix after gpsd came back:\n${gpsd.printed}`);
  });
});
