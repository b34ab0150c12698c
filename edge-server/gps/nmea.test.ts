import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { checksumOf, parseSentence } from './nmea';

const made = (body: string): string => `$${body}*${checksumOf(body).toString(16).toUpperCase().padStart(2, '0')}`;
const place = { kind: 'position', lat: 52.372025, lng: 4.90963 };
const timeOfDay = ((8 * 60 + 54) * 60 + 11) * 1000;

describe('protocol: edge socket, gps: NMEA 0183', () => {
  it.each([
    [
      'RMC',
      'GPRMC,085411.000,A,5222.3215,N,00454.5778,E,0.58,251.34,030414,,,A',
      { ...place, time: { timeOfDay, date: Date.UTC(2014, 3, 3) }, motion: { speed: 0.58, heading: 251.34 } },
    ],
    [
      'RMC of many systems, south and west',
      'GNRMC,085411,A,1651.6000,S,14613.8000,W,,,211126,,',
      { kind: 'position', lat: -16.86, lng: -146.23, time: { timeOfDay, date: Date.UTC(2026, 10, 21) }, motion: {} },
    ],
    [
      'RMC of the last century',
      'GPRMC,085411,A,5222.3215,N,00454.5778,E,,,220899,,',
      { ...place, time: { timeOfDay, date: Date.UTC(1999, 7, 22) }, motion: {} },
    ],
    [
      'GGA',
      'GPGGA,085411.000,5222.3215,N,00454.5778,E,1,4,2.95,16.0,M,47.0,M,,',
      { ...place, time: { timeOfDay, date: null }, motion: {}, satellites: 4 },
    ],
    [
      'GGA that counts no satellites',
      'GPGGA,085411.000,5222.3215,N,00454.5778,E,1,,2.95,16.0,M,47.0,M,,',
      { ...place, time: { timeOfDay, date: null }, motion: {} },
    ],
    [
      'GGA with a zero count',
      'GPGGA,085411.000,5222.3215,N,00454.5778,E,1,00,2.95,16.0,M,47.0,M,,',
      { ...place, time: { timeOfDay, date: null }, motion: {} },
    ],
    [
      'GGA with an invalid count',
      'GPGGA,085411.000,5222.3215,N,00454.5778,E,1,many,2.95,16.0,M,47.0,M,,',
      { ...place, time: { timeOfDay, date: null }, motion: {} },
    ],
    ['GLL', 'IIGLL,5222.3215,N,00454.5778,E,085411.000,A,D', { ...place, time: { timeOfDay, date: null }, motion: {} }],
    [
      'GNS, of which one system has a fix',
      'GNGNS,085411.000,5222.3215,N,00454.5778,E,NA,9,0.9,16.0,47.0,,',
      { ...place, time: { timeOfDay, date: null }, motion: {}, satellites: 9 },
    ],
    ['VTG', 'GPVTG,360.0,T,,M,5.81,N,10.8,K,A', { kind: 'motion', motion: { speed: 5.81, heading: 0 } }],
    ['ZDA', 'GPZDA,085411,21,11,2026,00,00', { kind: 'time', time: { timeOfDay, date: Date.UTC(2026, 10, 21) } }],
    ['ZDA without a date', 'GPZDA,085411,,,,00,', { kind: 'time', time: { timeOfDay, date: null } }],
  ] as const)('parses %s', (_name, body, reading) => {
    expect(parseSentence(made(body))).toEqual(reading);
  });

  it.each([
    ['RMC with a warning', 'GPRMC,085411.000,V,5222.3215,N,00454.5778,E,,,030414,,,N'],
    ['RMC that is empty', 'GPRMC,,V,,,,,,,,,,N'],
    ['RMC by dead reckoning', 'GPRMC,085411.000,A,5222.3215,N,00454.5778,E,,,030414,,,E'],
    ['GGA without a fix', 'GPGGA,085411.000,,,,,0,0,,,M,,M,,'],
    ['GGA simulated', 'GPGGA,085411.000,5222.3215,N,00454.5778,E,8,4,2.95,16.0,M,47.0,M,,'],
    ['GLL that is not valid', 'GPGLL,5222.3215,N,00454.5778,E,085411.000,V,N'],
    ['GNS of no system', 'GNGNS,085411.000,,,,,NN,0,,,,,'],
  ])('reads %s as no fix', (_name, body) => {
    expect(parseSentence(made(body))).toEqual({ kind: 'void' });
  });

  it.each([
    ['depth', made('IIDBT,034.4,f,010.5,M,005.7,F')],
    ["a maker's own", made('PGRME,3.0,M,4.0,M,5.0,M')],
    [
      'AIS',
      '!AIVDM,1,1,,A,15MvlfP000G?n@TK>ij0W8?p00S5,0*02'.replace(
        /\*..$/,
        `*${checksumOf('AIVDM,1,1,,A,15MvlfP000G?n@TK>ij0W8?p00S5,0').toString(16).padStart(2, '0')}`,
      ),
    ],
  ])('ignores %s', (_name, line) => {
    expect(parseSentence(line)).toEqual({ kind: 'other' });
  });

  it.each([
    ['a wrong checksum', '$GPRMC,085411.000,A,5222.3215,N,00454.5778,E,0.58,251.34,030414,,,A*64', 'checksum'],
    ['no checksum', '$GPRMC,085411.000,A,5222.3215,N,00454.5778,E,0.58,251.34,030414,,,A', 'no-checksum'],
    ['a checksum cut off', '$GPRMC,085411.000,A,5222.3215,N,00454.5778,E,0.58,251.34,030414,,,A*6', 'form'],
    ['noise', '\u00ff\u0000\u00b5b\u0001', 'form'],
    ['a start alone', '$', 'form'],
    ['nothing between', '$*00', 'form'],
    ['latitude off the earth', made('GPRMC,085411.000,A,9922.3215,N,00454.5778,E,,,030414,,,A'), 'field'],
    ['a latitude just past the pole', made('GPRMC,085411.000,A,9000.0001,N,00454.5778,E,,,030414,,,A'), 'field'],
    ['longitude off the earth', made('GPGLL,5222.3215,N,18100.0000,E,085411.000,A,A'), 'field'],
    ['minutes from 60 on', made('GPGLL,5260.0000,N,00454.5778,E,085411.000,A,A'), 'field'],
    ['a latitude of three digits', made('GPGLL,052.3215,N,00454.5778,E,085411.000,A,A'), 'field'],
    ['an unknown hemisphere', made('GPGLL,5222.3215,X,00454.5778,E,085411.000,A,A'), 'field'],
    ['no hemisphere', made('GPGLL,5222.3215,,00454.5778,E,085411.000,A,A'), 'field'],
    ['0°, 0°', made('GPRMC,085411.000,A,0000.0000,N,00000.0000,E,,,030414,,,A'), 'field'],
    ['a fix without a place', made('GPRMC,085411.000,A,,,,,,,030414,,,A'), 'field'],
    ["25 o'clock", made('GPRMC,255411.000,A,5222.3215,N,00454.5778,E,,,030414,,,A'), 'field'],
    ['the 31st of February', made('GPRMC,085411.000,A,5222.3215,N,00454.5778,E,,,310226,,,A'), 'field'],
    ['a speed in words', made('GPVTG,1.0,T,,M,fast,N,,K,A'), 'field'],
    ['a negative speed', made('GPVTG,1.0,T,,M,-1.0,N,,K,A'), 'field'],
    ['an address in small letters', made('gprmc,085411.000,A,5222.3215,N,00454.5778,E,,,030414,,,A'), 'form'],
  ])('refuses %s', (_name, line, fault) => {
    expect(parseSentence(line)).toEqual({ kind: 'broken', fault });
  });

  it('never throws, and never accepts a sentence with one changed character', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (noise) => parseSentence(noise) !== undefined));
    const good = '$GPRMC,085411.000,A,5222.3215,N,00454.5778,E,0.58,251.34,030414,,,A*63';
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.integer({ min: 0x20, max: 0x7e }), (at, code) => {
        const sign = String.fromCharCode(code);
        fc.pre(sign.toLowerCase() !== good[at]!.toLowerCase() || sign === good[at]);
        const changed = good.slice(0, at) + sign + good.slice(at + 1);
        const reading = parseSentence(changed);
        return changed === good ? reading.kind === 'position' : reading.kind === 'broken' || (at === 0 && sign === '!');
      }),
    );
  });
});
