import exifr from 'exifr';
import { isObject } from '../../domain/json';
import type { CameraFacts } from './photograph.api';

const TAGS = [
  'DateTimeOriginal',
  'CreateDate',
  'OffsetTimeOriginal',
  'Make',
  'Model',
  'Orientation',
  'GPSLatitude',
  'GPSLatitudeRef',
  'GPSLongitude',
  'GPSLongitudeRef',
  'GPSAltitude',
  'GPSAltitudeRef',
];

/**
 * Reads EXIF (exifr) raw: a time without a zone stays without one, since the camera's zone is unknown, and a depth
 * below the sea keeps its sign. Missing or damaged EXIF yields nothing: the file is evidence anyway.
 */
export async function cameraFacts(file: Blob | Uint8Array): Promise<CameraFacts> {
  const tags = await readTags(file);
  const takenAt = isoTime(tags['DateTimeOriginal'] ?? tags['CreateDate'], tags['OffsetTimeOriginal']);
  const position = positionOf(tags);
  return {
    ...(takenAt === undefined ? {} : { takenAt }),
    ...cleanText('make', tags['Make']),
    ...cleanText('model', tags['Model']),
    ...(typeof tags['Orientation'] === 'number' ? { orientation: tags['Orientation'] } : {}),
    ...(position === undefined ? {} : { position }),
  };
}

async function readTags(file: Blob | Uint8Array): Promise<Readonly<Record<string, unknown>>> {
  try {
    const tags: unknown = await exifr.parse(file, {
      pick: TAGS,
      reviveValues: false,
      translateValues: false,
      gps: true,
    });
    return isObject(tags) ? tags : {};
  } catch {
    // Unreadable EXIF counts as none; exifr throws plain errors for every kind of damage.
    return {};
  }
}

function cleanText(name: 'make' | 'model', value: unknown): { make?: string; model?: string } {
  if (typeof value !== 'string') return {};
  const text = value
    .replace(/\p{Cc}/gu, '')
    .trim()
    .slice(0, 80)
    .toWellFormed();
  return text === '' ? {} : { [name]: text };
}

/** Converts `2021:11:02 10:11:12` to `2021-11-02T10:11:12`, with the zone if the camera wrote one. */
function isoTime(value: unknown, zone: unknown): string | undefined {
  const match = typeof value === 'string' ? /^(\d{4}):(\d{2}):(\d{2})[ T](\d{2}):(\d{2}):(\d{2})/.exec(value) : null;
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second] = match;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  if (Number.isNaN(Date.parse(`${iso}Z`))) return undefined;
  return typeof zone === 'string' && /^[+-]\d{2}:\d{2}$/.test(zone) ? `${iso}${zone}` : iso;
}

function positionOf(tags: Readonly<Record<string, unknown>>): CameraFacts['position'] {
  const lat = degrees(tags['GPSLatitude'], tags['GPSLatitudeRef'], 'S', 90);
  const lng = degrees(tags['GPSLongitude'], tags['GPSLongitudeRef'], 'W', 180);
  if (lat === undefined || lng === undefined) return undefined;
  const altitude = tags['GPSAltitude'];
  const below = isBelowSea(tags['GPSAltitudeRef']);
  return {
    lat,
    lng,
    ...(typeof altitude === 'number' && Number.isFinite(altitude) ? { altitude: below ? -altitude : altitude } : {}),
  };
}

function degrees(value: unknown, ref: unknown, negative: string, max: number): number | undefined {
  if (!Array.isArray(value) || value.length !== 3) return undefined;
  const [whole, minutes, seconds] = value as readonly unknown[];
  if (typeof whole !== 'number' || typeof minutes !== 'number' || typeof seconds !== 'number') return undefined;
  const size = whole + minutes / 60 + seconds / 3600;
  // Negative values are damage: the hemisphere is a separate tag.
  if (!Number.isFinite(size) || Math.min(whole, minutes, seconds) < 0 || size > max) return undefined;
  return typeof ref === 'string' && ref.startsWith(negative) ? -size : size;
}

/** True if the reference is 1, as a number or as bytes. */
function isBelowSea(value: unknown): boolean {
  return value === 1 || (value instanceof Uint8Array && value[0] === 1);
}
