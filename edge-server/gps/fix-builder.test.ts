import { describe, expect, it } from 'vitest';
import { FixBuilder } from './fix-builder';
import { checksumOf, parseSentence } from './nmea';

const NOW = Date.UTC(2026, 10, 21, 3, 0, 0);
const sentence = (body: string): string => `$${body}*${checksumOf(body).toString(16).padStart(2, '0')}`;

/** Builder with clocks that the test sets. */
function scene(mayTeach = true) {
  const at = { wall: NOW, known: NOW - 60_000, ticks: 1_000 };
  const maker = new FixBuilder(
    { wall: () => at.wall, latestKnown: () => at.known, monotonic: () => at.ticks },
    'nmea',
    mayTeach,
  );
  const take = (body: string) => maker.build(parseSentence(sentence(body)));
  const rmc = (ms: number) => {
    const iso = new Date(ms).toISOString();
    return take(
      `GPRMC,${iso.slice(11, 19).replaceAll(':', '')},A,1651.6000,S,14613.8000,E,5.0,90.0,${iso.slice(8, 10)}${iso.slice(5, 7)}${iso.slice(2, 4)},,,A`,
    );
  };
  return { at, take, rmc };
}

describe('protocol: edge socket, gps: the time of a fix', () => {
  it('a plausible receiver time is used, and the box learns it only from a running clock', () => {
    const { at, rmc } = scene();
    const first = rmc(NOW + 5_000);
    expect(first).toMatchObject({
      lat: -16.86,
      lng: 146.23,
      time: '2026-11-21T03:00:05.000Z',
      speed: 5,
      heading: 90,
      isTimeSure: false,
    });
    for (let n = 1; n <= 4; n++) {
      at.ticks += 1000;
      expect(rmc(NOW + 5_000 + n * 1000)?.isTimeSure, `after ${n} seconds`).toBe(false);
    }
    at.ticks += 1000;
    expect(rmc(NOW + 10_000)).toMatchObject({ time: '2026-11-21T03:00:10.000Z', isTimeSure: true });
    at.ticks += 1000;
    expect(rmc(NOW + 3_600_000)?.isTimeSure, 'it leapt by an hour').toBe(false);
  });

  it('the box learns no time from datagrams, which anyone can send', () => {
    const { at, rmc } = scene(false);
    for (let n = 0; n < 20; n++, at.ticks += 1000)
      expect(rmc(NOW + n * 1000)).toMatchObject({ time: new Date(NOW + n * 1000).toISOString(), isTimeSure: false });
  });

  it.each([
    ['of a week counter that rolled over', Date.UTC(2007, 3, 7, 3, 0, 0)],
    ['of the last century', Date.UTC(1999, 7, 22)],
    ['of a receiver that was never set', Date.UTC(2006, 0, 1)],
    ['of a far future', Date.UTC(2046, 6, 7)],
    ['of the week before last', NOW - 14 * 86_400_000],
  ])("a date %s yields the box's own time, keeps the position and teaches the box nothing", (_name, wrong) => {
    const { at, rmc } = scene();
    for (let n = 0; n < 20; n++, at.ticks += 1000, at.wall += 1000) {
      expect(rmc(wrong + n * 1000)).toMatchObject({
        lat: -16.86,
        time: new Date(NOW + n * 1000).toISOString(),
        isTimeSure: false,
      });
    }
  });

  it('the time is the latest known one after the wall clock was set back', () => {
    const { at, rmc } = scene();
    at.wall = 0;
    expect(rmc(Date.UTC(1999, 7, 22))?.time).toBe(new Date(at.known).toISOString());
    at.ticks += 10_000;
    expect(rmc(Date.UTC(1999, 7, 22))?.time, 'and runs on, so that the track has its times').toBe(
      new Date(at.known + 10_000).toISOString(),
    );
    at.known += 60_000;
    expect(rmc(Date.UTC(1999, 7, 22))?.time, 'the box learnt a later one').toBe(new Date(at.known).toISOString());
    expect(rmc(NOW)?.time, 'a receiver that is right is believed').toBe('2026-11-21T03:00:00.000Z');
  });

  it('a fresh date of another sentence completes a time, also across midnight', () => {
    const { at, take, rmc } = scene();
    const undated = 'GPGLL,1651.6000,S,14613.8000,E,030007,A,A';
    expect(take(undated)?.time, 'no date yet').toBe(new Date(NOW).toISOString());
    rmc(NOW + 5_000);
    at.ticks += 2_000;
    expect(take(undated)?.time).toBe('2026-11-21T03:00:07.000Z');
    rmc(Date.UTC(2026, 10, 21, 23, 59, 59));
    at.ticks += 3_000;
    expect(take('GPGLL,1651.6000,S,14613.8000,E,000002,A,A')?.time).toBe('2026-11-22T00:00:02.000Z');
    at.ticks += 3_600_000;
    expect(take('GPGLL,1651.6000,S,14613.8000,E,010002,A,A')?.time, 'an hour later the date has expired').toBe(
      new Date(NOW).toISOString(),
    );
    take('GPZDA,030100,21,11,2026,00,00');
    expect(take('GPGLL,1651.6000,S,14613.8000,E,030101,A,A')?.time).toBe('2026-11-21T03:01:01.000Z');
  });

  it('the satellite count also appears in the fixes of the next seconds', () => {
    const { at, take } = scene();
    const gll = 'GPGLL,1651.6000,S,14613.8000,E,030007,A,A';
    expect(take(gll)).not.toHaveProperty('satellites');
    expect(take('GPGGA,030007,1651.6000,S,14613.8000,E,1,11,0.9,2.0,M,0.0,M,,')).toMatchObject({ satellites: 11 });
    at.ticks += 1000;
    expect(take(gll)).toMatchObject({ satellites: 11 });
    at.ticks += 60_000;
    expect(take(gll)).not.toHaveProperty('satellites');
  });

  it('speed and heading of VTG are used for a few seconds', () => {
    const { at, take } = scene();
    const gll = 'GPGLL,1651.6000,S,14613.8000,E,030007,A,A';
    expect(take(gll)).not.toHaveProperty('speed');
    expect(take('GPVTG,45.0,T,,M,7.5,N,,K,A')).toBeNull();
    expect(take(gll)).toMatchObject({ speed: 7.5, heading: 45 });
    at.ticks += 60_000;
    expect(take(gll)).not.toHaveProperty('speed');
  });
});
