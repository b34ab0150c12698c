/**
 * How far a camera's own clock is off (3§3, Image: `meta.taken`). Cameras write local time without a zone, set by hand; one
 * offset per survey and camera, from a photograph of the box's clock or typed in, turns every reading into UTC.
 */
export interface CameraClock {
  /** Which camera, as {@link cameraName} says it; null: every camera of the survey that has no clock of its own. */
  readonly camera: string | null;
  /** ms to add to the camera's reading, read as if it were UTC, to have the true UTC. */
  readonly offsetMs: number;
  readonly how: 'qr' | 'hand';
  /** When it was set, ISO 8601 UTC. */
  readonly at: string;
}

const READING = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(Z|[+-]\d{2}:\d{2})?$/;

/** Readings outside of these are a camera whose clock was never set, or garbage: no photograph of the census is so old or so new. */
const EARLIEST_MS = Date.UTC(1970, 0, 1, 0, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);

/** No box was there to show its clock before: a code of an earlier time is of a box whose clock was never set, or no box's at all. */
const FIRST_CODE_MS = Date.UTC(2024, 0, 1);

/** What begins the text of the box's clock code; the number that follows is UTC in ms since 1970. */
const CODE = 'REEFCLOCK1:';

/**
 * The digits of a camera's reading as if they were UTC, in ms; a zone it names is left aside.
 *
 * @returns null for what is no time of a calendar, and for times before 1970 or after 2100
 */
export function readingMs(taken: string): number | null {
  const match = READING.exec(taken);
  if (match === null) return null;
  const digits = taken.slice(0, 19);
  const ms = Date.parse(`${digits}Z`);
  // A 30th of February would otherwise become a day in March.
  if (!(ms >= EARLIEST_MS && ms < LATEST_MS) || new Date(ms).toISOString().slice(0, 19) !== digits) return null;
  return ms;
}

/** UTC in ms of a reading that names its zone; null for one that names none, and for garbage. */
export function zonedMs(taken: string): number | null {
  const zone = READING.exec(taken)?.[7];
  const reading = readingMs(taken);
  if (zone === undefined || reading === null) return null;
  if (zone === 'Z') return reading;
  const [hours = 0, minutes = 0] = zone.slice(1).split(':').map(Number);
  if (hours > 14 || minutes > 59) return null;
  return reading - (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/**
 * What to add to a camera's readings.
 *
 * @param cameraReading ISO 8601 without zone: what the camera wrote at that moment
 * @param trueUtcMs UTC at that moment, ms
 * @returns ms; null where the camera's reading is no time
 */
export function offsetFrom(cameraReading: string, trueUtcMs: number): number | null {
  const reading = readingMs(cameraReading);
  return reading === null || !Number.isFinite(trueUtcMs) ? null : trueUtcMs - reading;
}

/**
 * When a photograph was taken, ISO 8601 UTC with milliseconds. A clock that was set for the camera overrides a zone that
 * the camera wrote; without a clock only a reading with a zone tells.
 */
export function correctedUtc(taken: string | null, clock: Pick<CameraClock, 'offsetMs'> | null): string | null {
  if (taken === null) return null;
  const reading = readingMs(taken);
  if (reading === null) return null;
  const ms = clock === null ? zonedMs(taken) : reading + clock.offsetMs;
  return ms === null || !(Math.abs(ms) < 8.64e15) ? null : new Date(ms).toISOString();
}

/** A camera's name as clocks and lists show it: `OLYMPUS TG-6`, the make not said twice. Null where EXIF says neither. */
export function cameraName(
  camera: { readonly make?: string | null; readonly model?: string | null } | null,
): string | null {
  const make = camera?.make?.trim() ?? '';
  const model = camera?.model?.trim() ?? '';
  const words = model.toLowerCase().startsWith(make.toLowerCase()) ? model : `${make} ${model}`;
  return words.trim() === '' ? null : words.trim();
}

/** The clock that holds for a camera: the latest that was set for it, else the latest for all cameras. */
export function clockFor(clocks: readonly CameraClock[], camera: string | null): CameraClock | null {
  const latest = (of: string | null): CameraClock | undefined =>
    clocks
      .filter((clock) => clock.camera === of)
      .reduce<CameraClock | undefined>(
        (best, clock) => (best === undefined || clock.at >= best.at ? clock : best),
        undefined,
      );
  return (camera === null ? undefined : latest(camera)) ?? latest(null) ?? null;
}

/** The list with this clock in place of an earlier one of the same camera. */
export function withClock(clocks: readonly CameraClock[], clock: CameraClock): CameraClock[] {
  return [...clocks.filter(({ camera }) => camera !== clock.camera), clock];
}

/** The clocks that a survey's record holds (`cameraClocks`); entries that are none are left out. */
export function parseClocks(value: unknown): CameraClock[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: unknown): CameraClock[] => {
    if (typeof entry !== 'object' || entry === null) return [];
    const { camera, offsetMs, how, at } = entry as Record<string, unknown>;
    if ((camera !== null && typeof camera !== 'string') || typeof offsetMs !== 'number' || !Number.isFinite(offsetMs))
      return [];
    return [{ camera, offsetMs, how: how === 'qr' ? 'qr' : 'hand', at: typeof at === 'string' ? at : '' }];
  });
}

const UNITS = [
  ['day', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/**
 * How a camera's clock stands, in words: `3 min 42 s slow`, `1 h 10 min fast`, `right`. The two largest units.
 *
 * @param offsetMs as in {@link CameraClock}
 * @param zoneOffsetMinutes minutes east of UTC that the camera's clock is meant to show (Cairns: 600)
 */
export function formatClockError(offsetMs: number, zoneOffsetMinutes: number): string {
  const slowSeconds = Math.round((offsetMs + zoneOffsetMinutes * 60_000) / 1000);
  let rest = Math.abs(slowSeconds);
  if (rest === 0) return 'right';
  const words: string[] = [];
  for (const [unit, seconds] of UNITS) {
    const count = Math.floor(rest / seconds);
    if (count === 0) {
      if (words.length > 0) break;
      continue;
    }
    rest -= count * seconds;
    words.push(`${count} ${unit}${unit === 'day' && count > 1 ? 's' : ''}`);
    if (words.length === 2) break;
  }
  return `${words.join(' ')} ${slowSeconds > 0 ? 'slow' : 'fast'}`;
}

/** The text of the box's clock code. @param ms UTC, ms since 1970 */
export function encodeClockCode(ms: number): string {
  return `${CODE}${Math.round(ms)}`;
}

/** UTC in ms that a clock code says; null for any other text. */
export function parseClockCode(text: string): number | null {
  if (!text.startsWith(CODE) || !/^\d{12,14}$/.test(text.slice(CODE.length))) return null;
  const ms = Number(text.slice(CODE.length));
  return ms >= FIRST_CODE_MS && ms < LATEST_MS ? ms : null;
}
