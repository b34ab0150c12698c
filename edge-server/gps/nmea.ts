import type { ReadingFault, Motion, Reading, ReceiverTime } from './reading';
import { isPlausiblePosition } from './reading';

/** Printable ASCII without the reserved characters, between start and checksum. */
const SENTENCE = /^([$!])([ -\x7e]*?)(?:\*([0-9A-Fa-f]{2}))?$/;
/** Measured fixes in RMC, GLL, VTG and GNS: not estimated, simulated or typed in. */
const MEASURED = /[ADPRF]/;
/** Same for GGA: GPS, differential, military, real-time kinematic. */
const MEASURED_QUALITY = /^[1-5]$/;
const NO_TIME: ReceiverTime = { timeOfDay: null, date: null };

class FieldError extends Error {}

/**
 * Reads one NMEA 0183 sentence of any talker: position from RMC, GGA, GLL, GNS, motion from VTG, date from RMC, ZDA.
 * All or nothing.
 *
 * @param line without its line end
 */
export function parseSentence(line: string): Reading {
  const [, start, body, checksum] = SENTENCE.exec(line) ?? [];
  if (start === undefined || body === undefined || !/^[A-Z][A-Z0-9]{2,}(,|$)/.test(body)) return brokenReading('form');
  if (checksum === undefined) return brokenReading(body.includes('*') ? 'form' : 'no-checksum');
  if (Number.parseInt(checksum, 16) !== checksumOf(body)) return brokenReading('checksum');
  const [address = '', ...fields] = body.split(',');
  if (start !== '$' || !/^[A-OQ-Z][A-Z0-9]{4}$/.test(address)) return { kind: 'other' };
  try {
    return readSentence(address.slice(2), (n) => fields[n - 1] ?? '');
  } catch (error) {
    if (error instanceof FieldError) return brokenReading('field');
    throw error;
  }
}

export function checksumOf(body: string): number {
  let sum = 0;
  for (let i = 0; i < body.length; i++) sum ^= body.charCodeAt(i);
  return sum;
}

/** @param field by its number in the standard's tables, from 1 */
function readSentence(sentence: string, field: (n: number) => string): Reading {
  switch (sentence) {
    case 'RMC':
      return field(2) === 'A' && isMeasured(field(12))
        ? readPosition(
            field,
            3,
            { timeOfDay: parseTimeOfDay(field(1)), date: parseShortDate(field(9)) },
            readMotion(field(7), field(8)),
          )
        : { kind: 'void' };
    case 'GGA':
      return MEASURED_QUALITY.test(field(6))
        ? readPosition(field, 2, { timeOfDay: parseTimeOfDay(field(1)), date: null }, {}, field(7))
        : { kind: 'void' };
    case 'GLL':
      // No status before version 2: then the position alone shows a fix.
      return (field(6) === 'A' || (field(6) === '' && field(1) !== '')) && isMeasured(field(7))
        ? readPosition(field, 1, { timeOfDay: parseTimeOfDay(field(5)), date: null })
        : { kind: 'void' };
    case 'GNS':
      return MEASURED.test(field(6))
        ? readPosition(field, 2, { timeOfDay: parseTimeOfDay(field(1)), date: null }, {}, field(7))
        : { kind: 'void' };
    case 'VTG':
      return isMeasured(field(9)) ? { kind: 'motion', motion: readMotion(field(5), field(1)) } : { kind: 'void' };
    case 'ZDA':
      return {
        kind: 'time',
        time: { timeOfDay: parseTimeOfDay(field(1)), date: parseLongDate(field(2), field(3), field(4)) },
      };
    default:
      return { kind: 'other' };
  }
}

function brokenReading(fault: ReadingFault): Reading {
  return { kind: 'broken', fault };
}

/** Mode of version 2.3 and later; older sentences have none. */
function isMeasured(mode: string): boolean {
  return mode === '' || MEASURED.test(mode);
}

/** @param at number of the latitude field; hemisphere, longitude and its hemisphere follow */
function readPosition(
  field: (n: number) => string,
  at: number,
  time: ReceiverTime = NO_TIME,
  moves: Motion = {},
  satellites = '',
): Reading {
  const lat = parseDegrees(field(at), 2, 90) * parseHemisphere(field(at + 1), 'N', 'S');
  const lng = parseDegrees(field(at + 2), 3, 180) * parseHemisphere(field(at + 3), 'E', 'W');
  // Receiver that claims a fix and has none.
  if (!isPlausiblePosition(lat, lng)) throw new FieldError();
  // An invalid satellite count does not spoil the position; zero is left out.
  const counted = /^\d{1,3}$/.test(satellites) && Number(satellites) > 0;
  return {
    kind: 'position',
    lat: round(lat),
    lng: round(lng),
    time,
    motion: moves,
    ...(counted ? { satellites: Number(satellites) } : {}),
  };
}

/** `ddmm.mmm` or `dddmm.mmm` as degrees. */
function parseDegrees(text: string, digits: 2 | 3, most: number): number {
  const [, whole, minutes] =
    (digits === 2 ? /^(\d{2})(\d{2}(?:\.\d{1,10})?)$/ : /^(\d{3})(\d{2}(?:\.\d{1,10})?)$/).exec(text) ?? [];
  if (whole === undefined || minutes === undefined || Number(minutes) >= 60) throw new FieldError();
  const value = Number(whole) + Number(minutes) / 60;
  if (value > most) throw new FieldError();
  return value;
}

function parseHemisphere(text: string, plus: string, minus: string): 1 | -1 {
  if (text === plus) return 1;
  if (text === minus) return -1;
  throw new FieldError();
}

/** Rounds to a tenth of a millimetre: no arithmetic noise is stored. */
function round(value: number): number {
  return Math.round(value * 1e9) / 1e9;
}

/** `hhmmss.sss` as ms since midnight; null if empty. */
function parseTimeOfDay(text: string): number | null {
  if (text === '') return null;
  const [, hours, minutes, seconds] = /^(\d{2})(\d{2})(\d{2}(?:\.\d{1,6})?)$/.exec(text) ?? [];
  if (hours === undefined || minutes === undefined || seconds === undefined) throw new FieldError();
  // A leap second is 60.
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) >= 61) throw new FieldError();
  return Math.round((Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000);
}

/** `ddmmyy`: years from 80 are 19xx, when GPS began. */
function parseShortDate(text: string): number | null {
  if (text === '') return null;
  const [, day, month, year] = /^(\d{2})(\d{2})(\d{2})$/.exec(text) ?? [];
  if (day === undefined || month === undefined || year === undefined) throw new FieldError();
  return midnight(Number(year) + (Number(year) >= 80 ? 1900 : 2000), Number(month), Number(day));
}

function parseLongDate(day: string, month: string, year: string): number | null {
  if (day === '' && month === '' && year === '') return null;
  if (!/^\d{2}$/.test(day) || !/^\d{2}$/.test(month) || !/^\d{4}$/.test(year)) throw new FieldError();
  return midnight(Number(year), Number(month), Number(day));
}

function midnight(year: number, month: number, day: number): number {
  const made = new Date(Date.UTC(year, month - 1, day));
  // Date rolls 31 February over into March.
  if (made.getUTCMonth() !== month - 1 || made.getUTCDate() !== day) throw new FieldError();
  return made.getTime();
}

function readMotion(knots: string, degreesTrue: string): Motion {
  const speed = parseDecimal(knots, 1000);
  const heading = parseDecimal(degreesTrue, 360);
  return { ...(speed === undefined ? {} : { speed }), ...(heading === undefined ? {} : { heading: heading % 360 }) };
}

function parseDecimal(text: string, most: number): number | undefined {
  if (text === '') return undefined;
  if (!/^\d{1,4}(\.\d{0,6})?$/.test(text) || Number(text) > most) throw new FieldError();
  return Number(text);
}
