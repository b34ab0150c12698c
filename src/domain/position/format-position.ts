/**
 * Formats a position in degrees and minutes with one decimal, `16° 51.9′ S 146° 13.4′ E`. A tenth of a minute is about
 * 185 m. Rounded as a whole, so 59.96′ becomes the next degree.
 *
 * @param lat degrees, -90..90
 * @param lng degrees; wrapped beyond ±180
 * @returns null for an invalid position
 */
export function formatPosition(lat: number, lng: number): string | null {
  if (!Number.isFinite(lat) || !Number.isFinite(lng) || Math.abs(lat) > 90) return null;
  const round = ((((lng + 180) % 360) + 360) % 360) - 180;
  return `${formatDegreesMinutes(lat, 'N', 'S')} ${formatDegreesMinutes(round, 'E', 'W')}`;
}

/** Formats one coordinate: `16° 51.9′ S`. @param degrees signed; followed by the letters of both directions */
export function formatDegreesMinutes(degrees: number, positive: string, negative: string): string {
  const tenths = Math.round(Math.abs(degrees) * 600);
  const side = degrees < 0 && tenths > 0 ? negative : positive;
  return `${Math.floor(tenths / 600)}° ${((tenths % 600) / 10).toFixed(1).padStart(4, '0')}′ ${side}`;
}

/** Formats a bearing in three figures: `034°`; 360 becomes 000. @param degrees true */
export function formatBearing(degrees: number): string | null {
  if (!Number.isFinite(degrees)) return null;
  const whole = Math.round(((degrees % 360) + 360) % 360) % 360;
  return `${String(whole).padStart(3, '0')}°`;
}

/** Formats an age: `6 s`, `4 min`, `2 h`, `3 days`. @param ms negative counts as 0 */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  if (hours < 48) return `${hours} h`;
  return `${Math.round(hours / 24)} days`;
}
