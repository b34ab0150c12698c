import type { GeoPoint } from './geo-point';

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

/** Formats a position as charts do, minutes to a thousandth (2 m): `16° 52.459′ S, 146° 12.778′ E`. */
export function formatChartPosition({ latitude, longitude }: GeoPoint): string {
  return `${formatDegreesMinutes(latitude, 'N', 'S', 3)}, ${formatDegreesMinutes(longitude, 'E', 'W', 3)}`;
}

/**
 * Formats one coordinate: `16° 51.9′ S`.
 *
 * @param degrees signed; followed by the letters of both directions
 * @param decimals of the minutes
 */
export function formatDegreesMinutes(degrees: number, positive: string, negative: string, decimals = 1): string {
  const [perMinute, perDegree] = [10 ** decimals, 60 * 10 ** decimals];
  const units = Math.round(Math.abs(degrees) * perDegree);
  const minutes = ((units % perDegree) / perMinute).toFixed(decimals).padStart(3 + decimals, '0');
  return `${Math.floor(units / perDegree)}° ${minutes}′ ${degrees < 0 && units > 0 ? negative : positive}`;
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
