import { ReefError } from '../../../domain/errors';
import { RUBBLE_SITE_COLUMNS } from '../../../domain/results/tables/rubble-file';
import type { RubbleSites } from './types';

/**
 * Rubble sites of `rubble.csv`; lines that are not valid are left out. A file of before the intervals lacks the last
 * columns.
 *
 * @throws ReefError for a file without its columns
 */
export function decodeRubble(text: string): RubbleSites {
  const [head = '', ...lines] = text.trim().split(/\r?\n/);
  if (!`${head},`.startsWith(`${RUBBLE_SITE_COLUMNS.join(',')},`))
    throw new ReefError('internal', { message: 'The rubble sites of this region cannot be read.' });
  const sites = { longitudes: [], latitudes: [], photographs: [], probabilities: [], sources: [] } as {
    [Name in keyof RubbleSites]: RubbleSites[Name][number][];
  };
  for (const line of lines) {
    const cells = line.split(',').map((cell) => (cell === '' ? NaN : Number(cell)));
    const [n = NaN, longitude = NaN, latitude = NaN, photographs = NaN, probability = NaN] = cells;
    if (![n, longitude, latitude, photographs, probability].every(Number.isFinite)) continue;
    sites.longitudes[n] = longitude;
    sites.latitudes[n] = latitude;
    sites.photographs[n] = photographs;
    sites.probabilities[n] = probability;
    const [low = NaN, high = NaN, analysts = NaN, skill = NaN, pipeline = NaN] = cells.slice(
      RUBBLE_SITE_COLUMNS.length,
    );
    if ([low, high, analysts, skill, pipeline].every(Number.isFinite))
      sites.sources[n] = { low, high, analysts, skill, pipeline };
  }
  return sites;
}
