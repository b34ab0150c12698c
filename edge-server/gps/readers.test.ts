import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checksumOf } from './nmea';
import { GpsdReader, NmeaReader } from './readers';
import type { Reading } from './reading';

const sentence = (body: string): string => `$${body}*${checksumOf(body).toString(16).toUpperCase().padStart(2, '0')}`;
const GOOD = sentence('GPRMC,085411.000,A,5222.3215,N,00454.5778,E,0.58,251.34,030414,,,A');
const LOGS = fileURLToPath(new URL('../../../shared/data/nmea/', import.meta.url));

/** Instrument log of a walk: depth and wind between, some sentences cut or flipped. */
function madeLog(): { text: string; good: number; broken: number } {
  const lines: string[] = [];
  let [good, broken] = [0, 0];
  for (let n = 0; n < 2_000; n++) {
    const time = new Date(n * 1000).toISOString().slice(11, 19).replaceAll(':', '');
    const rmc = sentence(
      `GPRMC,${time},A,16${(50 + n / 1000).toFixed(4)},S,146${(13 + n / 1000).toFixed(4)},E,5.10,${n % 360}.0,211126,,,A`,
    );
    lines.push(n % 7 === 3 ? rmc.replace(',A,', ',B,') : rmc, sentence('IIDBT,034.4,f,010.5,M,005.7,F'));
    if (n % 7 === 3) broken += 1;
    else good += 1;
  }
  return { text: lines.join('\r\n') + '\r\n', good, broken };
}

function countsOf(readings: readonly Reading[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const reading of readings) {
    const name = reading.kind === 'broken' ? `broken: ${reading.fault}` : reading.kind;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

describe('protocol: edge socket, gps: bytes of a receiver', () => {
  it('sentences are the same however the bytes are split', () => {
    const text = Buffer.from([GOOD, sentence('GPVTG,1.0,T,,M,5.0,N,,K,A'), '$GPRMC,half', GOOD, ''].join('\r\n'));
    const whole = new NmeaReader().read(text);
    expect(whole.map(({ kind }) => kind)).toEqual(['position', 'motion', 'broken', 'position']);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length)), (cuts) => {
        const reader = new NmeaReader();
        const places = [0, ...cuts.sort((a, b) => a - b), text.length];
        const readings = places.slice(1).flatMap((end, n) => reader.read(text.subarray(places[n], end)));
        expect(readings).toEqual(whole);
      }),
    );
  });

  it('a lost line end spoils one sentence; tag blocks and other line ends are read', () => {
    expect(new NmeaReader().read(Buffer.from(`$GPRMC,0854${GOOD}\n`)).map(({ kind }) => kind)).toEqual([
      'broken',
      'position',
    ]);
    expect(new NmeaReader().read(Buffer.from(`${GOOD}${GOOD}\r`)).map(({ kind }) => kind)).toEqual([
      'position',
      'position',
    ]);
    expect(
      new NmeaReader().read(Buffer.from(`\\s:GP0001,c:1500000000*0A\\${GOOD}  \n\n\r\n`)).map(({ kind }) => kind),
    ).toEqual(['position']);
  });

  it('noise and an endless line are dropped within bounds, and the next sentence is read', () => {
    const reader = new NmeaReader();
    const noise = Buffer.alloc(1_000_000, 0xb5);
    for (let n = 0; n < 20; n++) expect(reader.read(noise)).toEqual([]);
    expect(reader.read(Buffer.from(`\n${GOOD}\n`))).toMatchObject([
      { kind: 'broken', fault: 'too-long' },
      { kind: 'position' },
    ]);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const noisy = new NmeaReader();
        const readings = [...noisy.read(bytes), ...noisy.read(Buffer.from(`\n${GOOD}\n`))];
        expect(readings.at(-1)).toMatchObject({ kind: 'position', lat: 52.372025 });
        expect(readings.slice(0, -1).filter(({ kind }) => kind === 'position')).toEqual([]);
      }),
    );
  });

  it('gpsd reports yield fixes in knots; anything else is no fix or an error', () => {
    const reader = new GpsdReader();
    const read = (report: unknown) =>
      reader.read(Buffer.from(`${typeof report === 'string' ? report : JSON.stringify(report)}\r\n`))[0];
    const tpv = {
      class: 'TPV',
      device: '/dev/gps',
      mode: 3,
      time: '2026-11-21T08:54:11.000Z',
      lat: -16.86,
      lon: 146.23,
      speed: 2,
      track: 90.5,
    };
    expect(read(tpv)).toEqual({
      kind: 'position',
      lat: -16.86,
      lng: 146.23,
      time: { timeOfDay: 32_051_000, date: Date.UTC(2026, 10, 21) },
      motion: { speed: 3.89, heading: 90.5 },
    });
    expect(read({ ...tpv, time: undefined })).toMatchObject({
      kind: 'position',
      time: { timeOfDay: null, date: null },
    });
    expect(read({ ...tpv, mode: 1 })).toEqual({ kind: 'void' });
    expect(read({ ...tpv, status: 8 })).toEqual({ kind: 'void' });
    for (const wrong of [
      { ...tpv, lat: 91 },
      { ...tpv, lat: 0, lon: 0 },
      { ...tpv, lat: undefined },
      { ...tpv, lat: '1' },
      { ...tpv, mode: 'x' },
    ])
      expect(read(wrong)).toEqual({ kind: 'broken', fault: 'field' });
    for (const wrong of ['{"class":"TPV"', 'null', '[]', '7', 'hello'])
      expect(read(wrong)).toEqual({ kind: 'broken', fault: 'form' });
    expect(read({ class: 'VERSION', release: '3.25' })).toEqual({ kind: 'other' });
    expect(
      read({ class: 'SKY', satellites: Array.from({ length: 200 }, (_, PRN) => ({ PRN, el: 1, az: 2 })) }),
    ).toEqual({ kind: 'other' });
    expect(
      read({ class: 'SKY', satellites: Array.from({ length: 20 }, (_, PRN) => ({ PRN, used: PRN < 9 })) }),
    ).toEqual({ kind: 'satellites', satellites: 9 });
    expect(
      read({ class: 'SKY', nSat: 20, uSat: 11, satellites: [{ PRN: 1, used: true }] }),
      'its own count takes precedence',
    ).toEqual({ kind: 'satellites', satellites: 11 });
    for (const said of [{ hdop: 0.9 }, { uSat: 0 }, { uSat: -3 }, { satellites: 'many' }])
      expect(read({ class: 'SKY', ...said })).toEqual({ kind: 'other' });
  });

  it('of a generated log every broken sentence is refused and every good one read', () => {
    const { text, good, broken } = madeLog();
    expect(countsOf(new NmeaReader().read(Buffer.from(text)))).toEqual({
      position: good,
      'broken: checksum': broken,
      other: good + broken,
    });
  });

  it('of real logs every sentence with a wrong checksum is refused and every other read', () => {
    const logs = existsSync(LOGS)
      ? ['plaka.log', 'gps.log'].map((name) => ({ name, text: readFileSync(LOGS + name, 'latin1') }))
      : [{ name: 'made', text: madeLog().text }];
    let sentences = 0;
    for (const { name, text } of logs) {
      const lines = text.split(/[\r\n]+/).filter((line) => line !== '');
      sentences += lines.length;
      // Independent checksum.
      const right = lines.filter((line) => {
        const star = line.indexOf('*');
        return (
          star > 0 &&
          [...Buffer.from(line.slice(1, star), 'latin1')].reduce((sum, byte) => sum ^ byte, 0) ===
            Number.parseInt(line.slice(star + 1), 16)
        );
      });
      const readings = new NmeaReader().read(Buffer.from(text.endsWith('\n') ? text : `${text}\n`, 'latin1'));
      const counts = countsOf(readings);
      console.log(`${name}: ${lines.length} sentences, ${JSON.stringify(counts)}`);
      expect(readings.filter(({ kind }) => kind !== 'broken').length).toBe(right.length);
      expect(readings.filter(({ kind }) => kind === 'broken').length).toBe(lines.length - right.length);
      expect(counts['position']).toBeGreaterThan(1_000);
    }
    console.log(`${sentences} sentences in all`);
  });

  it('of real logs with a flipped bit in every fifth sentence exactly these are refused', () => {
    const text = existsSync(LOGS)
      ? readFileSync(`${LOGS}plaka.log`, 'latin1')
      : madeLog().text.replaceAll(',B,', ',A,');
    const lines = text.split(/[\r\n]+/).filter((line) => line !== '');
    let flipped = 0;
    const spoilt = lines.map((line, n) => {
      if (n % 5 !== 0) return line;
      flipped += 1;
      const at = (n * 7919) % line.length;
      return line.slice(0, at) + String.fromCharCode(line.charCodeAt(at) ^ (1 << (n % 4))) + line.slice(at + 1);
    });
    const readings = new NmeaReader().read(Buffer.from(`${spoilt.join('\r\n')}\r\n`, 'latin1'));
    const taken = readings.filter(({ kind }) => kind !== 'broken').length;
    console.log(`${flipped} of ${lines.length} sentences spoilt, ${taken} taken`);
    expect(taken).toBe(lines.length - flipped);
  });
});
