/**
 * Offset of a camera's clock (3§3, Image: `meta.taken`). Cameras write local time without a zone, set by hand. One
 * offset per survey and camera, from a photograph of the box's clock or entered manually, converts readings to UTC.
 */
export interface CameraClock {
  /** Camera, as {@link cameraName} returns it; null: all cameras of the survey without their own clock. */
  readonly camera: string | null;
  /** ms to add to the reading, parsed as UTC, to get true UTC. */
  readonly offsetMs: number;
  readonly how: 'qr' | 'hand';
  /** Time of setting, ISO 8601 UTC. */
  readonly at: string;
}

const READING = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(Z|[+-]\d{2}:\d{2})?$/;

/** Plausible readings; anything outside is an unset clock or garbage. */
const EARLIEST_MS = Date.UTC(1970, 0, 1, 0, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);

/** Earliest valid clock code: no box existed before. */
const FIRST_CODE_MS = Date.UTC(2024, 0, 1);

/** Prefix of the box's clock code, followed by UTC in ms since 1970. */
const CODE = 'REEFCLOCK1:';

/**
 * Parses a camera reading as if it were UTC, in ms; its zone is ignored.
 *
 * @returns null for an invalid time, or one before 1970 or after 2100
 */
export function readingMs(taken: string): number | null {
  const match = READING.exec(taken);
  if (match === null) return null;
  const digits = taken.slice(0, 19);
  const ms = Date.parse(`${digits}Z`);
  // Rejects dates such as 30 February, which would become a day in March.
  if (!(ms >= EARLIEST_MS && ms < LATEST_MS) || new Date(ms).toISOString().slice(0, 19) !== digits) return null;
  return ms;
}

/** UTC in ms of a reading with a zone; null without one or if invalid. */
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
 * Offset for a camera's readings.
 *
 * @param cameraReading ISO 8601 without zone at that moment
 * @param trueUtcMs UTC at that moment, ms
 * @returns ms; null for an invalid reading
 */
export function offsetFrom(cameraReading: string, trueUtcMs: number): number | null {
  const reading = readingMs(cameraReading);
  return reading === null || !Number.isFinite(trueUtcMs) ? null : trueUtcMs - reading;
}

/**
 * Time a photograph was taken, ISO 8601 UTC with milliseconds. The camera's offset overrides a zone in the reading;
 * without an offset a zone is required.
 */
export function correctedUtc(taken: string | null, clock: Pick<CameraClock, 'offsetMs'> | null): string | null {
  if (taken === null) return null;
  const reading = readingMs(taken);
  if (reading === null) return null;
  const ms = clock === null ? zonedMs(taken) : reading + clock.offsetMs;
  return ms === null || !(Math.abs(ms) < 8.64e15) ? null : new Date(ms).toISOString();
}

/** Display name of a camera, without repeating the make: `OLYMPUS TG-6`. Null without EXIF make and model. */
export function cameraName(
  camera: { readonly make?: string | null; readonly model?: string | null } | null,
): string | null {
  const make = camera?.make?.trim() ?? '';
  const model = camera?.model?.trim() ?? '';
  const words = model.toLowerCase().startsWith(make.toLowerCase()) ? model : `${make} ${model}`;
  return words.trim() === '' ? null : words.trim();
}

/** Effective clock of a camera: its own latest, else the latest for all cameras. */
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

export function withClock(clocks: readonly CameraClock[], clock: CameraClock): CameraClock[] {
  return [...clocks.filter(({ camera }) => camera !== clock.camera), clock];
}

/** Parses a survey record's `cameraClocks`; invalid entries are skipped. */
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
 * Formats a clock error in its two largest units: `3 min 42 s slow`, `1 h 10 min fast`, `right`.
 *
 * @param offsetMs as in {@link CameraClock}
 * @param zoneOffsetMinutes minutes east of UTC that the clock should show (Cairns: 600)
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

/** Encodes the box's clock code. @param ms UTC, ms since 1970 */
export function encodeClockCode(ms: number): string {
  return `${CODE}${Math.round(ms)}`;
}

/** Parses a clock code to UTC in ms; null for any other text. */
export function parseClockCode(text: string): number | null {
  if (!text.startsWith(CODE) || !/^\d{12,14}$/.test(text.slice(CODE.length))) return null;
  const ms = Number(text.slice(CODE.length));
  return ms >= FIRST_CODE_MS && ms < LATEST_MS ? ms : null;
}
